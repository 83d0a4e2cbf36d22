"""What did the person ask, and what do we say back.

``loopx`` starts here. A request becomes one library call and its answer becomes text or one JSON envelope; nothing here
decides anything. Modules load lazily: each noun is a module of ``commands``, imported only when it is typed.
"""

from __future__ import annotations

import sys


def main() -> int:
    """The ``loopx`` command; returns its exit status.

    ``--version`` alone, and what a daemon answers, come before anything is imported.
    """
    if sys.argv[1:] == ["--version"]:
        from loopx import __version__

        print(f"loopx {__version__}")
        return 0
    from loopx.cli.thin import ask

    status, operation = ask(sys.argv[1:])
    if status is not None:
        return status
    from loopx.cli.app import start

    return start(sys.argv[1:], operation)
