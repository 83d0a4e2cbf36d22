"""A clock that stands still until it is told, so that no test sleeps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class FakeClock:
    """A :class:`loopx.model.clock.Clock` under the test's control.

    ``wait`` returns at once and moves the time on. ``while_waiting`` runs in the middle of every wait: what another
    person or process does meanwhile.
    """

    def __init__(self, start: datetime = START, while_waiting: Callable[[], None] | None = None) -> None:
        self._now = start
        self.while_waiting = while_waiting
        self.waits: list[float] = []

    def now(self) -> datetime:
        return self._now

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.advance(seconds=seconds)
        if self.while_waiting is not None:
            self.while_waiting()

    def advance(self, **length: float) -> datetime:
        """Move the time on by a length (keywords of :class:`datetime.timedelta`) and return the new time."""
        self._now += timedelta(**length)
        return self._now
