"""Whether waiting goes round in a circle. Adding, editing, deferring, superseding and reopening ask before they change
anything; verdicts ask again, since a file may hold what no command would have allowed.
"""

from __future__ import annotations

from collections.abc import Iterable

from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import refuse
from loopx.model.todo import Todo, TodoStatus

_SHOWN = 6


def waits_for(todo: Todo) -> tuple[str, ...]:
    """Ids of the Todos that must be done before ``todo`` counts as done.

    A superseded Todo waits for those that replace it and no longer for what it depended on.
    """
    if todo.status is TodoStatus.SUPERSEDED:
        return todo.superseded_by
    condition, _, subject = (todo.resume_when or "").partition(":")
    waiting = todo.status is TodoStatus.DEFERRED and condition == "todo_done"
    return (*todo.depends_on, subject) if waiting else todo.depends_on


def circle(state: State, start: str, first: Iterable[str]) -> tuple[str, ...] | None:
    """The way from ``start`` by ``first`` and what those wait for back to ``start``; ``None`` when none leads back."""
    came_from: dict[str, str] = {}
    ahead = [(each, start) for each in first]
    while ahead:
        here, before = ahead.pop()
        if here in came_from:
            continue
        came_from[here] = before
        if here == start:
            return _way(start, came_from)
        found = state.todo(here)
        ahead.extend((each, here) for each in (waits_for(found) if found else ()))
    return None


def no_circle(state: State, start: str, first: Iterable[str], code: str = "dependency-cycle") -> Refused | None:
    """The refusal that names the circle ``first`` would close, if it would."""
    found = circle(state, start, first)
    if found is None:
        return None
    shown = found if len(found) <= _SHOWN else (*found[: _SHOWN - 2], "…", found[-1])
    field = "depends_on" if code == "dependency-cycle" else None
    return refuse(code, f"This would close a circle: {' → '.join(shown)}.", field=field, cycle=list(found))


def _way(start: str, came_from: dict[str, str]) -> tuple[str, ...]:
    steps = [start]
    here = came_from[start]
    while here != start:
        steps.append(here)
        here = came_from[here]
    return (start, *reversed(steps[1:]), start)
