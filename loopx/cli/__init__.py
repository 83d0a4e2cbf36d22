"""What did the person ask, and what do we say back."""

from __future__ import annotations

import sys


def main() -> None:
    """The ``loopx`` command."""
    from loopx import __version__

    if sys.argv[1:] == ["--version"]:
        print(f"loopx {__version__}")
        return
    raise SystemExit(2)
