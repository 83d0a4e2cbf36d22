"""Quota: the slots a window of time allows, what was spent of them, and when some free up again.

The window slides: a spend counts from when it was made until the window's length has passed. Only settled Turns spend;
an open one holds no slot, whatever became of its agent. The decision, ``turn open`` and the pages ask here.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from loopx.kernel.durations import LONGEST
from loopx.kernel.state import State
from loopx.model.goal import Goal, Quota

if TYPE_CHECKING:
    from loopx.model.turn import Turn


class Window(NamedTuple):
    """The window of a Goal's quota that ends now."""

    spent: int
    """Slots spent since ``starts_at`` and not taken back."""
    limit: int
    """Slots it allows; 0 stops the Goal."""
    starts_at: datetime
    frees_at: datetime | None
    """Where it is used up: when a slot is free again. ``None`` otherwise, and where no time ever frees one."""

    @property
    def is_used_up(self) -> bool:
        return self.spent >= self.limit

    @property
    def left(self) -> int:
        """Slots that may still be spent."""
        return max(self.limit - self.spent, 0)


def window(state: State, goal: Goal, now: datetime) -> Window:
    """What ``goal`` allows at ``now``. Costs as much as there are Turns in the window, however many came before."""
    length = window_length(goal)
    starts_at, limit = now - length, max(quota_of(goal).compute, 0)
    spent, frees_at = 0, None
    for at, slots in _counted(state.spent(goal.id, starts_at), starts_at, now, length):
        if frees_at is None and limit and spent + slots >= limit:
            frees_at = at + length
        spent += slots
    return Window(spent, limit, starts_at, frees_at)


def is_past_its_slots(turn: Turn, goal: Goal, now: datetime) -> bool:
    """Whether an open ``turn`` has been open longer than its slots last, so that it is to be settled or voided.

    A Turn said to have been opened in the future was stamped by a clock that was wrong: it is past its slots as well
    once that is more than its slots away.
    """
    allowed = slot_length(goal) * max(turn.slots, 1)
    return abs(now - turn.opened_at) > min(allowed, LONGEST)


def quota_of(goal: Goal) -> Quota:
    """The quota in force for ``goal``."""
    return goal.quota or Quota()


def window_length(goal: Goal) -> timedelta:
    """How far back a window reaches: at least an hour."""
    return min(timedelta(hours=max(min(quota_of(goal).window_hours, 10**6), 1)), LONGEST)


def slot_length(goal: Goal) -> timedelta:
    """How long one slot is: at least a minute."""
    return min(timedelta(minutes=max(min(quota_of(goal).slot_minutes, 10**7), 1)), LONGEST)


def _counted(
    spends: Iterable[tuple[datetime, int]], starts_at: datetime, now: datetime, length: timedelta
) -> Iterable[tuple[datetime, int]]:
    """Spends of the window. A stamp a whole window ahead of now is no time to go by; a lesser one is taken for now."""
    return ((min(at, now), slots) for at, slots in spends if starts_at < at <= now + length)
