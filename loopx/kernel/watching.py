"""What makes a Todo a monitor: something to look at, and how often. Adding, editing and hand edits ask.

When a monitor is due is :mod:`loopx.kernel.cadence`; what a look at it does is :mod:`loopx.kernel.monitors`.
"""

from __future__ import annotations

from collections.abc import Set

from loopx.errors import Problem
from loopx.kernel.durations import parse_duration
from loopx.kernel.refusal import Refused
from loopx.kernel.wording import quoted, refuse
from loopx.model.todo import Todo, TodoClass

ONLY_MONITORS = ("target", "cadence", "expires_at", "material", "watch_only")
"""Fields that say something about watching, and nothing about any other work."""


def bad_monitor(todo: Todo, changed: Set[str]) -> Refused | None:
    """The refusal of a monitor whose ``changed`` fields leave open what to look at, or how often."""
    if todo.todo_class is not TodoClass.MONITOR:
        return None
    if changed & {"todo_class", "target"} and not todo.target:
        hint = "Say what it watches with --target."
        return refuse("target-missing", f"The monitor {todo.id} watches nothing.", hint, field="target", todo=todo.id)
    if changed & {"todo_class", "cadence"}:
        return _bad_cadence(todo)
    return None


def unwatchable(todo: Todo) -> Refused | None:
    """The refusal of a hand-made monitor that says something nobody can follow; what it leaves out is a notice."""
    is_said = todo.todo_class is TodoClass.MONITOR and todo.cadence is not None
    return _bad_cadence(todo) if is_said else None


def incomplete(todo: Todo) -> list[Problem]:
    """A notice for a hand-made monitor that leaves out what to look at, or how often."""
    if todo.todo_class is not TodoClass.MONITOR or todo.status.is_closed or (todo.target and todo.cadence):
        return []
    if not todo.target:
        message = f"The monitor {todo.id} has no target, so it never comes due."
        return [Problem("monitor-incomplete", message, facts={"todo": todo.id, "field": "target"})]
    message = f"The monitor {todo.id} has no cadence; until it has one it is looked at once a day."
    return [Problem("monitor-incomplete", message, facts={"todo": todo.id, "field": "cadence"})]


def _bad_cadence(todo: Todo) -> Refused | None:
    typed = todo.cadence or ""
    try:
        parse_duration(typed)
    except ValueError:
        said = f"{quoted(typed)} is no length of time" if typed else "The monitor says not how often"
        hint = "Write how often it is looked at, such as 30m, 6h or 1d."
        return refuse("cadence-invalid", f"{todo.id}: {said}.", hint, field="cadence", todo=todo.id)
    return None
