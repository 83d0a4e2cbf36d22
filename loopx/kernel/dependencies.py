"""Where each prerequisite of a Todo stands: met, on its way, or never to come.

Completion refuses on what is not met; verdicts name each one. A superseded prerequisite is followed to what replaced
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from loopx.kernel.cycles import circle
from loopx.kernel.state import State
from loopx.kernel.wording import quoted
from loopx.model.defining import dataclass
from loopx.model.todo import Todo, TodoClass, TodoStatus


class Prospect(StrEnum):
    """What may be expected of a prerequisite."""

    MET = "met"
    UNMET = "unmet"
    """It can still be done."""
    DEAD = "dead"
    """It was cancelled."""
    IMPOSSIBLE = "impossible"
    """It is a standing monitor, which ends with its Goal and not before."""
    DANGLING = "dangling"
    """No Todo has that id."""
    CIRCULAR = "circular"
    """It waits, by whatever way, for the Todo that waits for it."""


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """One prerequisite. ``id`` is the Todo that decides it, ``named`` the one the waiting Todo names."""

    named: str
    id: str
    prospect: Prospect
    message: str


def prerequisites(state: State, todo: Todo) -> Iterator[Prerequisite]:
    """Every prerequisite of ``todo``, in the order it names them; several for one that was split up."""
    for named in todo.depends_on:
        yield from prospects(state, named, todo.id)


def prospects(state: State, named: str, waiting: str) -> Iterator[Prerequisite]:
    """Where the Todo ``named`` stands for the Todo ``waiting`` for it."""
    for identity in _heirs(state, named):
        found = state.todo(identity)
        prospect, message = _judged(state, identity, found, waiting)
        if identity != named:
            message = f"{message} It replaced {named}."
        yield Prerequisite(named, identity, prospect, message)


def _heirs(state: State, named: str) -> list[str]:
    """The ids that decide about ``named``: itself, or whatever stands at the end of its replacements."""
    ends: list[str] = []
    seen: set[str] = set()
    ahead = [named]
    while ahead:
        here = ahead.pop()
        if here in seen:
            continue
        seen.add(here)
        found = state.todo(here)
        if found is not None and found.status is TodoStatus.SUPERSEDED and found.superseded_by:
            ahead.extend(reversed(found.superseded_by))
        else:
            ends.append(here)
    return ends or [named]


def _judged(state: State, identity: str, found: Todo | None, waiting: str) -> tuple[Prospect, str]:
    if found is None:
        return Prospect.DANGLING, f"There is no Todo {identity}: correct what it depends on."
    name = f"{identity} {quoted(found.title)}"
    if found.status is TodoStatus.DONE:
        return Prospect.MET, f"{name} is done."
    if found.status.is_closed:
        return Prospect.DEAD, f"{name} was {found.status} and will never be done: depend on something else."
    if identity == waiting or circle(state, waiting, (identity,)):
        return Prospect.CIRCULAR, f"{name} waits for this Todo in turn: take one of the dependencies away."
    if found.todo_class is TodoClass.MONITOR:
        return Prospect.IMPOSSIBLE, f"{name} is a standing monitor and is never done: depend on something else."
    return Prospect.UNMET, f"{name} is {found.status}."
