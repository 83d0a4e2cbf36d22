"""A progress bar on stderr while thousands of files are taken in. On a terminal only, and only when it is long work."""

from __future__ import annotations

import sys
from typing import Any

from loopx.cli.screen import is_terminal

LONG = 500
"""Fewer files than this are taken in before anybody would look up."""


class TakingIn:
    """Told how many of how many files were judged; shows a bar from the first word of long work to the last."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: int, total: int) -> None:
        if total < LONG or not is_terminal(sys.stderr):
            return
        if self._bar is None:
            self._start(total)
        self._bar.update(self._task, completed=done)
        if done >= total:
            self.stop()

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _start(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._bar = Progress(console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("Taking in hand-made files", total=total)
        self._bar.start()
