"""One look at one workspace: the ground checked, what was typed taken in, what became of it told as facts.

Called by :mod:`loopx.daemon.running` on every wake. It decides nothing: a look is a read of the workspace, which runs a
pass where there is reason to, or a thorough pass. Whatever goes wrong is part of the answer; nothing is raised.
"""

from __future__ import annotations

import time
from dataclasses import field

from loopx.errors import LoopxError, Problem
from loopx.kernel.state import State
from loopx.model.defining import dataclass
from loopx.workspace import Workspace
from loopx.workspace.history import log
from loopx.workspace.passes import Wish
from loopx.workspace.reading import READ_WAIT_SECONDS
from loopx.workspace.reports import LogEntry
from loopx.workspace.results import EditState, PendingEdit

_MOST_COMMITS = 200
"""Commits of one look that are told one by one."""
_TROUBLE = frozenset({"edits-pending", "history-rewritten", "workspace-version"})


@dataclass(slots=True, kw_only=True)
class Look:
    """What one look found. ``commits`` are those since the look before, oldest first."""

    revision: str | None = None
    commits: list[LogEntry] = field(default_factory=list)
    edits: list[PendingEdit] = field(default_factory=list)
    failure: Problem | None = None
    state: State | None = None
    seconds: float = 0.0
    is_thorough: bool = False

    @property
    def is_unsettled(self) -> bool:
        """Whether a file needs only to rest, so that it is looked at again soon."""
        return any(each.state is EditState.SETTLING or _is_first_absence(each) for each in self.edits)


class Looking:
    """Looks at one open workspace again and again."""

    def __init__(self, ws: Workspace) -> None:
        self.ws = ws
        self._revision: str | None = None
        self._is_first = True

    def look(self, *, is_thorough: bool) -> Look:
        """Look once."""
        began = time.perf_counter()
        found = Look(is_thorough=is_thorough)
        try:
            self._look(found)
        except LoopxError as error:
            found.failure = error.problem
        except OSError as error:
            found.failure = Problem("file-failed", f"{error.strerror or error}.")
        except Exception as error:  # noqa: BLE001  (a look that fails is told, and the next one is made)
            found.failure = Problem("daemon-failed", f"A look ended early: {type(error).__name__}: {error}.")
        found.seconds = time.perf_counter() - began
        return found

    def follow(self) -> list[LogEntry]:
        """The commits since this was asked last, oldest first, as far as the workspace has followed them."""
        revision = self.ws.cache.get_meta("revision")
        if revision == self._revision:
            return []
        fresh: list[LogEntry] = []
        for entry in () if self._is_first else log(self.ws.cache, limit=_MOST_COMMITS):
            if entry.revision == self._revision:
                break
            fresh.append(entry)
        self._revision, self._is_first = revision, False
        return fresh[::-1]

    def _look(self, found: Look) -> None:
        self.ws.people.forget()
        if found.is_thorough:
            wish = Wish(thorough=True)
            report = self.ws.passes.run(wish, wait_seconds=READ_WAIT_SECONDS, purpose="the daemon's slow rescan")
            if report.taken_in:
                self.ws.pages.mark()
        view = self.ws.read(take_in=not found.is_thorough)
        found.failure = next((each for each in view.warnings if each.code in _TROUBLE), None)
        found.state, found.revision = view.state, view.revision
        found.edits = self.ws.edits(take_in=False)
        found.commits = self.follow()


def _is_first_absence(edit: PendingEdit) -> bool:
    """Whether a file is merely not there just now, as in the middle of a save."""
    return edit.state is EditState.ABSENT and any(each.code == "document-absent" for each in edit.problems)
