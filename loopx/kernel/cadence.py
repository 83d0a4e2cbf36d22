"""When a monitor is due: worked out from its log, its cadence and the clock. Nothing is stored by asking.

The decision, the audit and ``loopx monitor list`` ask :func:`monitor_standing`.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from loopx.kernel.durations import format_duration, later, parse_duration
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_todo
from loopx.kernel.state import State
from loopx.kernel.wording import quoted, refuse
from loopx.model.defining import dataclass
from loopx.model.times import format_instant
from loopx.model.todo import Todo, TodoClass, TodoStatus

_WATCHED = frozenset({TodoStatus.OPEN, TodoStatus.BLOCKED, TodoStatus.DEFERRED})
DEFAULT_CADENCE = timedelta(days=1)
"""How often a monitor is looked at whose file gives no cadence that can be read."""


@dataclass(frozen=True, slots=True)
class MonitorStanding:
    """Where a monitor stands at one instant. ``why`` is one sentence."""

    next_due_at: datetime | None
    """When to look next; ``None`` when nobody is to look any more, or nothing says at what."""
    is_due: bool
    is_overdue: bool
    """It is late by a whole cadence."""
    is_last_slot: bool
    """It is due, and watching ends before its next slot."""
    is_expired: bool
    why: str


def cadence_of(todo: Todo) -> timedelta:
    """How often ``todo`` is to be looked at."""
    try:
        return parse_duration(todo.cadence or "")
    except ValueError:
        return DEFAULT_CADENCE


def monitor_standing(state: State, todo: Todo, now: datetime) -> MonitorStanding:
    """Whether the monitor ``todo`` is due at ``now``.

    A monitor nobody looked at yet is due at once. A look dated in the future (a clock was set back) puts the next one
    off by one cadence from now at most.
    """
    if todo.status is not TodoStatus.OPEN:
        return _silent(f"It is {todo.status}.")
    if todo.expires_at is not None and now > todo.expires_at:
        return _silent(f"Watching ended at {format_instant(todo.expires_at)}.", is_expired=True)
    if not todo.target:
        return _silent("Nothing says what is to be looked at: it has no target.")
    cadence = cadence_of(todo)
    due = _next_due(state, todo, now, cadence)
    is_due = now >= due
    is_last = is_due and todo.expires_at is not None and todo.expires_at < later(now, cadence)
    return MonitorStanding(due, is_due, now >= later(due, cadence), is_last, False, _why(due, is_due, cadence, is_last))


def _next_due(state: State, todo: Todo, now: datetime, cadence: timedelta) -> datetime:
    log = state.monitor(todo.id)
    if log is None or log.last_polled_at is None:
        return min(todo.created_at or now, now)
    return min(later(log.last_polled_at, cadence), later(now, cadence))


def _why(due: datetime, is_due: bool, cadence: timedelta, is_last: bool) -> str:
    if is_last:
        return "It is due, and watching ends before its next slot."
    when = format_instant(due)
    return (
        f"It is due since {when}." if is_due else f"It is looked at every {format_duration(cadence)}, next at {when}."
    )


def _silent(why: str, *, is_expired: bool = False) -> MonitorStanding:
    return MonitorStanding(None, False, False, False, is_expired, why)


def schedule(
    state: State, now: datetime, goal: str | None = None, *, only_due: bool = False, closed: bool = False
) -> list[tuple[Todo, MonitorStanding]]:
    """Monitors with where each stands: the due ones first, then by when they come due, those that never do last."""
    found = [
        (todo, monitor_standing(state, todo, now))
        for todo in state.todos(goal, None if closed else _WATCHED)
        if todo.todo_class is TodoClass.MONITOR
    ]
    chosen = [each for each in found if each[1].is_due] if only_due else found
    return sorted(chosen, key=lambda each: _order(*each))


def find_monitor(state: State, typed: str, now: datetime) -> tuple[Todo, MonitorStanding] | Refused:
    """The monitor ``typed`` names, with where it stands."""
    todo = find_todo(state, typed)
    if isinstance(todo, Refused):
        return todo
    return not_a_monitor(todo) or (todo, monitor_standing(state, todo, now))


def not_a_monitor(todo: Todo) -> Refused | None:
    """The refusal of a Todo that watches nothing."""
    if todo.todo_class is TodoClass.MONITOR:
        return None
    message = f"{todo.id} {quoted(todo.title)} is of class {todo.todo_class}."
    return refuse("todo-not-monitor", message, todo=todo.id)


def _order(todo: Todo, standing: MonitorStanding) -> tuple[int, str, str, str]:
    if standing.next_due_at is None:
        return (3, "", todo.priority, todo.id)
    late = 0 if standing.is_overdue else 1
    return (late if standing.is_due else 2, format_instant(standing.next_due_at), todo.priority, todo.id)
