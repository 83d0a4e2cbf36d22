"""When the next look is: out of events, doubts, failures and instants. Pure; times are seconds of one steady clock.

:mod:`loopx.daemon.running` keeps one :class:`Agenda`, tells it what happened and asks it how long to wait.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from loopx.model.defining import dataclass
from loopx.workspace.settle import ADOPTION_SECONDS, YOUNG_SECONDS

QUIET_SECONDS = YOUNG_SECONDS
"""How long nothing must happen before a look: as long as a pass would otherwise wait for the file to hold still."""
LIMIT_SECONDS = 1.0
"""The longest a look is put off by things that go on happening."""
RESCAN_SECONDS = 30.0
"""How often everything is looked at without an event."""
POLL_SECONDS = 1.0
"""How often everything is looked at where there are no events."""
DOUBT_SECONDS = ADOPTION_SECONDS / 4
"""How soon a file in doubt is looked at again: absences and new files are judged after two seconds."""
FIRST_RETRY_SECONDS = 0.5
LAST_RETRY_SECONDS = 30.0
CALM_SECONDS = 2.0
"""After a failure events bring a look no sooner than this."""


class Why(StrEnum):
    """What a look is for."""

    EVENTS = "events"
    DOUBT = "doubt"
    """A file that only needs to rest, or a problem not told yet: seen, and to be seen again."""
    RETRY = "retry"
    DUE = "due"
    RESCAN = "rescan"


@dataclass(frozen=True, slots=True)
class Agenda:
    """What is known about when to look. Every change gives a new one."""

    rescan_at: float = 0.0
    first_event_at: float | None = None
    last_event_at: float | None = None
    doubt_at: float | None = None
    retry_at: float | None = None
    due_at: float | None = None
    failed_at: float | None = None
    failures: int = 0
    rescan_every: float = RESCAN_SECONDS

    def with_event(self, now: float) -> Agenda:
        """Something happened in the folders."""
        first = now if self.first_event_at is None else self.first_event_at
        return replace(self, first_event_at=first, last_event_at=now)

    def with_look(self, now: float, *, is_doubtful: bool, is_rescan: bool) -> Agenda:
        """A look came to its end. What happened up to ``now`` is answered."""
        rescan_at = now + self.rescan_every if is_rescan else self.rescan_at
        doubt_at = now + DOUBT_SECONDS if is_doubtful else None
        return replace(
            self,
            first_event_at=None,
            last_event_at=None,
            retry_at=None,
            failed_at=None,
            failures=0,
            doubt_at=doubt_at,
            rescan_at=rescan_at,
        )

    def with_failure(self, now: float) -> Agenda:
        """A look failed; it is tried again, each time after twice as long."""
        pause = min(FIRST_RETRY_SECONDS * 2.0 ** min(self.failures, 16), LAST_RETRY_SECONDS)
        return replace(
            self,
            first_event_at=None,
            last_event_at=None,
            doubt_at=None,
            retry_at=now + pause,
            failed_at=now,
            failures=self.failures + 1,
            rescan_at=max(self.rescan_at, now + pause),
        )

    def with_due(self, at: float | None) -> Agenda:
        """The next instant at which something falls due."""
        return replace(self, due_at=at)

    def with_pace(self, seconds: float, now: float) -> Agenda:
        """How often everything is looked at without an event."""
        if seconds == self.rescan_every:
            return self
        return replace(self, rescan_every=seconds, rescan_at=min(self.rescan_at, now + seconds))

    def next_look(self) -> tuple[float, Why]:
        """When to look next, and what for."""
        wishes = [(self.rescan_at, Why.RESCAN)]
        if self.last_event_at is not None and self.first_event_at is not None:
            quiet, limit = self.last_event_at + QUIET_SECONDS, self.first_event_at + LIMIT_SECONDS
            # What failed may itself have caused events; somebody putting it right has, too.
            soonest = 0.0 if self.failed_at is None else self.failed_at + CALM_SECONDS
            wishes.append((max(min(quiet, limit), soonest), Why.EVENTS))
        wishes += [
            (at, why)
            for at, why in ((self.doubt_at, Why.DOUBT), (self.retry_at, Why.RETRY), (self.due_at, Why.DUE))
            if at is not None
        ]
        return min(wishes)
