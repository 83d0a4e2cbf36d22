"""Which LoopX this is, and whether another one was installed in its place meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import loopx
from loopx.errors import Problem

HOME = str(Path(loopx.__file__).parent)
"""Where the running package lies."""


class Program:
    """The program as it was when this process began."""

    def __init__(self) -> None:
        self._stamp = _stamp()

    def change(self) -> Problem | None:
        """What to say when the installed program is no longer the one that runs."""
        if _stamp() == self._stamp:
            return None
        return Problem("daemon-outdated", f"Another LoopX was installed; this daemon still runs {loopx.__version__}.")


def _stamp() -> tuple[int, int] | None:
    try:
        found = os.stat(loopx.__file__)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns
