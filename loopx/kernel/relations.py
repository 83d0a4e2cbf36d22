"""What may be asked of any entity: whose it is, when it happened, what it names, and which Todos come first.

The cache files entities by these answers, and memory works them out; both must mean the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel.traces import operations_of
from loopx.model.entities import kind_of
from loopx.model.kind import Kind
from loopx.model.todo import Todo, TodoClass

if TYPE_CHECKING:
    from datetime import datetime

    from loopx.model.entities import Entity

EVERYWHERE = "*"
"""What a Gate names that reaches beyond its own Goal."""


def is_entangled(todo: Todo) -> bool:
    """Whether something beyond its Goal's status could keep an open Todo from running."""
    return bool(
        todo.depends_on
        or todo.requires
        or todo.claimed_by
        or todo.resume_when
        or todo.capabilities
        or todo.excluded_agents
        or todo.repository
        or todo.write_scopes
        or todo.todo_class is not TodoClass.ADVANCEMENT
    )


def frontier_order(todo: Todo) -> tuple[str, str, str]:
    """The order in which open Todos are offered: priority, age, id."""
    return (todo.priority, todo.created_at.isoformat() if todo.created_at else "", todo.id)


def references(todo: Todo) -> set[str]:
    """Ids of other Todos and Gates that ``todo`` names in its fields."""
    named = {*todo.depends_on, *todo.supersedes, *todo.superseded_by, *todo.successors}
    condition, _, subject = (todo.resume_when or "").partition(":")
    if condition in ("todo_done", "gate_approved") and subject:
        named.add(subject)
    return named


def owner_of(entity: Entity) -> str | None:
    """Whose ``entity`` is: who claims the Todo, holds the Lease, takes the Turn, does the Effect, gets the Handoff; of
    Evidence, what it is about."""
    name = _OWNER.get(kind_of(entity))
    return getattr(entity, name) if name else None


def happened_at(entity: Entity) -> datetime | None:
    """When what ``entity`` tells of happened, to the second: for a settled Turn its settling."""
    for name in _HAPPENED.get(kind_of(entity), ("created_at",)):
        found: datetime | None = getattr(entity, name, None)
        if found is not None:
            return found
    return None


def named_by(entity: Entity) -> set[str]:
    """What ``entity`` names and is found by: ids of other documents, the criteria a Todo advances (``goal/id``), the
    obligations a Turn discharged, the keys a Lease has and had, the operations a record tells of, :data:`EVERYWHERE`
    for a Gate that reaches beyond its Goal."""
    if isinstance(entity, Todo):
        return references(entity) | {f"{entity.goal}/{each}" for each in entity.acceptance}
    found = operations_of(entity)
    for name in _NAMING.get(kind_of(entity), ()):
        value = getattr(entity, name)
        found.update((value,) if isinstance(value, str) else value or ())
    if kind_of(entity) is Kind.EVIDENCE and entity.reassessment is not None:  # type: ignore[union-attr]
        found.add(entity.reassessment.of)  # type: ignore[union-attr]
    if kind_of(entity) is Kind.TURN:
        found.update(word for each in entity.discharges for word in each.split()[:2])  # type: ignore[union-attr]
    if kind_of(entity) is Kind.LEASE:
        found.update((entity.key, *(each.key for each in entity.retired)))  # type: ignore[union-attr]
    if kind_of(entity) is Kind.GATE and reaches_beyond(entity.scope):  # type: ignore[union-attr, arg-type]
        found.add(EVERYWHERE)
    return found


def reaches_beyond(scope: str) -> bool:
    """Whether a decision of this scope holds beyond its own Goal."""
    return scope.split(":")[1:2] in (["project"], ["global"])


_OWNER = {
    Kind.TODO: "claimed_by",
    Kind.LEASE: "owner",
    Kind.TURN: "agent",
    Kind.EFFECT: "agent",
    Kind.HANDOFF: "receiver",
    Kind.EVIDENCE: "subject",
}
_HAPPENED = {
    Kind.TURN: ("settled_at", "opened_at"),
    Kind.EVIDENCE: ("observed_at",),
    Kind.LEASE: ("renewed_at",),
    Kind.EFFECT: ("opened_at",),
    Kind.COMPLETION: ("completed_at",),
}
_NAMING = {
    Kind.GATE: ("evidence",),
    Kind.EVIDENCE: ("subject", "references"),
    Kind.TURN: ("todo", "evidence"),
    Kind.EFFECT: ("todo", "evidence", "compensation"),
    Kind.HANDOFF: ("todos", "gates", "evidence"),
    Kind.PLAN: ("todo",),
    Kind.RUN: ("todo", "gate"),
}
