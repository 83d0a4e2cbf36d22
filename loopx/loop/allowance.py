"""What one process may still do before it leaves a run for later. Unlike a budget it never ends the run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.loop.state import LoopState


@dataclass(frozen=True, slots=True)
class Allowance:
    """Limits of one process. Absent means none; 0 means none at all: nothing is begun.

    An allowance that is spent lets what runs come to its end, and lets verdicts, answers and recoveries go on.
    """

    steps: int | None = None
    """Executions it may begin."""
    seconds: float | None = None
    """How long it may carry the run on before it begins nothing more."""
    cost: float | None = None
    """What its executions may cost. One that is expected to pass it is not begun."""


class Spending:
    """How much of an allowance is used up. Counted from the first time the run is carried on."""

    def __init__(self, allowance: Allowance | None) -> None:
        self._allowance = allowance
        self._before: tuple[int, float, float] | None = None

    def begin(self, state: LoopState) -> None:
        """Count from here, unless it counts already."""
        if self._before is None:
            used = state.counters
            self._before = (used.steps_executed, used.active_seconds, used.cost)

    def left(self, state: LoopState, now: datetime) -> Allowance:
        """What may still be done; less than nothing where more was done than was allowed."""
        allowance, before = self._allowance, self._before
        if allowance is None or before is None:
            return Allowance()
        used, (steps, seconds, cost) = state.counters, before
        found = allowance
        if allowance.steps is not None:
            found = replace(found, steps=allowance.steps - (used.steps_executed - steps))
        if allowance.seconds is not None:
            found = replace(found, seconds=allowance.seconds - (state.active_seconds(now) - seconds))
        if allowance.cost is not None:
            found = replace(found, cost=allowance.cost - (used.cost - cost))
        return found

    def is_spent(self, state: LoopState, now: datetime) -> bool:
        """Whether nothing more may be begun."""
        if self._allowance is None:
            return False
        left = self.left(state, now)
        return any(each is not None and each <= 0 for each in (left.steps, left.seconds, left.cost))
