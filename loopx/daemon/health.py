"""What ``loopx daemon status`` shows of a daemon: kept up to date by the loop, told as JSON values."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from typing import Any

from loopx.daemon.duties import Duty
from loopx.daemon.looking import Look
from loopx.errors import Problem
from loopx.model.defining import dataclass
from loopx.model.times import format_instant


@dataclass(slots=True, kw_only=True)
class Health:
    """How one daemon is doing."""

    pid: int
    version: str
    root: str
    since: datetime
    mode: str = ""
    why: str = ""
    page: str | None = None
    page_why: str = ""
    last_event_at: datetime | None = None
    last_look_at: datetime | None = None
    last_look_seconds: float = 0.0
    looks: int = 0
    failures: int = 0
    overflows: int = 0
    served: int = 0
    declined: dict[str, int] = field(default_factory=dict)
    """Commands not carried out here, by why."""
    revision: str | None = None
    refused: int = 0
    duty: Duty | None = None
    failure: Problem | None = None
    page_failure: Problem | None = None
    outdated: Problem | None = None

    def looked(self, look: Look, now: datetime) -> None:
        """Note a look."""
        self.looks += 1
        self.last_look_at, self.last_look_seconds = now, look.seconds
        self.failure = look.failure
        self.failures += look.failure is not None
        if look.state is not None:
            self.revision = look.revision
            self.refused = sum(1 for each in look.edits if each.problems and each.state != "settling")

    @property
    def problems(self) -> list[Problem]:
        return [each for each in (self.failure, self.page_failure, self.outdated) if each is not None]

    def as_json(self) -> dict[str, Any]:
        return {
            "pid": self.pid,
            "version": self.version,
            "root": self.root,
            "since": format_instant(self.since),
            "mode": self.mode,
            "why": self.why,
            "page": self.page,
            "page_why": self.page_why,
            "last_event_at": _instant(self.last_event_at),
            "last_look_at": _instant(self.last_look_at),
            "last_look_ms": round(self.last_look_seconds * 1000, 1),
            "looks": self.looks,
            "failures": self.failures,
            "overflows": self.overflows,
            "served": self.served,
            "declined": dict(self.declined),
            "revision": self.revision,
            "refused": self.refused,
            "next_due_at": _instant(self.duty.at if self.duty else None),
            "next_due": f"{self.duty.what}: {self.duty.about}" if self.duty else "",
            "problems": [each.as_json() for each in self.problems],
        }


def _instant(at: datetime | None) -> str | None:
    return None if at is None else format_instant(at)
