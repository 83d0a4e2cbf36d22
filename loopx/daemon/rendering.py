"""Pages beside the daemon: those of the Goals just changed at once, all of them by the usual background process.

The process is a child that ends by itself and is waited for, so that none is left behind as a zombie. It is told
nothing: it works through what is marked as out of date.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable

from loopx.errors import LoopxError, Problem
from loopx.workspace import Workspace
from loopx.workspace.pages import is_rendering
from loopx.workspace.reports import LogEntry

REST_SECONDS = 0.05
"""How long no command must come before pages are made: whoever types many is not kept waiting for pages."""
LIMIT_SECONDS = 1.0
AT_ONCE = 2
"""So many Goals' pages are made before anything else; a change to more of them is left to the background."""


class Rendering:
    """Keeps the pages of one workspace fresh."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._child: subprocess.Popen[bytes] | None = None
        self.problem: Problem | None = None
        self._goals: set[str] = set()
        self._first_at: float | None = None
        self.due_at: float | None = None
        """When :meth:`hurry` is to be called, by the clock of the loop; ``None`` while nothing is wanted."""

    def want(self, commits: Iterable[LogEntry], now: float, *, at_once: bool) -> None:
        """Have the pages of the Goals these commits touched made soon."""
        self._goals |= goals_of(commits)
        if not self._goals:
            return
        self._first_at = now if self._first_at is None else self._first_at
        self.due_at = now if at_once else min(now + REST_SECONDS, self._first_at + LIMIT_SECONDS)

    def hurry(self) -> list[str]:
        """Make the pages of the few Goals that are wanted; the paths that changed."""
        goals, self._goals, self._first_at, self.due_at = self._goals, set(), None, None
        if not goals or len(goals) > AT_ONCE:
            return []
        try:
            found = self._ws.pages.render_goals(goals)
            self.problem = None
        except LoopxError as error:
            self.problem = error.problem
            return []
        return found

    def start(self) -> None:
        """Have everything else rendered, unless that is going on: who renders looks again before ending."""
        if self._child is not None or not self._ws.places.pages_dirty.exists():
            return
        if is_rendering(self._ws.places.render_lock):
            return
        self._child = subprocess.Popen(
            [sys.executable, "-m", "loopx.workspace.background", str(self._ws.places.root)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )

    def is_done(self) -> bool:
        """Whether a background process has come to its end since this was asked last."""
        if self._child is None or self._child.poll() is None:
            return False
        if self._child.returncode not in (0, 4):
            self.problem = Problem("pages-failed", f"The page process ended with {self._child.returncode}.")
        elif self._child.returncode == 0:
            self.problem = None
        self._child = None
        return True

    @property
    def is_running(self) -> bool:
        return self._child is not None

    def stop(self) -> None:
        """Leave the process to itself: it ends when it is done, and belongs to nobody then."""
        if self._child is not None:
            self._child.poll()
            self._child.returncode = self._child.returncode or 0  # without it, collecting the object would warn
            self._child = None


def goals_of(commits: Iterable[LogEntry]) -> set[str]:
    """The Goals whose folders these commits touched."""
    parts = (path.split("/", 2) for each in commits for path in each.paths)
    return {each[1] for each in parts if len(each) == 3 and each[0] == "goals"}
