"""The workspace a daemon keeps open, and lends to one command after the other as if each had opened its own."""

from __future__ import annotations

from collections.abc import Mapping

from loopx.model.clock import Clock
from loopx.workspace import Workspace
from loopx.workspace.discovery import Found
from loopx.workspace.sighting import Watch

_QUIET = {"LOOPX_PAGES": "off"}
"""No command starts a page process: whoever lends the workspace sees to the pages."""


class StandingWorkspace(Workspace):
    """Closing it gives it back; :meth:`end` closes it. For one thread."""

    def __init__(self, found: Found, *, environ: Mapping[str, str], clock: Clock, watch: Watch | None) -> None:
        self._own = found, {**environ, **_QUIET}
        self._operation = ""
        self._number = 0
        super().__init__(found, environ=self._own[1], clock=clock, watch=watch)

    def lend(self, found: Found, environ: Mapping[str, str], operation: str) -> None:
        """Be the workspace of a command that was typed elsewhere. Its operations are named after ``operation``."""
        self.found, self.notes = found, found.notes
        self.environ = {**environ, **_QUIET}
        self._operation, self._number = operation, 0
        self.people.forget()

    def fresh_operation(self) -> str:
        """The name the asker made up: should the answer be lost, the same request under it never runs twice."""
        if not self._operation:
            return super().fresh_operation()
        self._number += 1
        return self._operation if self._number == 1 else f"{self._operation}.{self._number}"

    def close(self) -> None:
        """Be the daemon's own again."""
        self.found, self.environ = self._own
        self.notes = self.found.notes
        self.progress = None
        self._operation = ""
        self.people.forget()

    def end(self) -> None:
        """End helper processes and give the cache back."""
        super().close()
