"""What a decision's changes do to entities in memory: the workspace and the tests see the same after a decision.

Records and documents alike; moving into the archive changes a place and no entity.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields, replace
from typing import Any, TypeVar

from loopx.kernel.outcome import Archive, Change, Create, Delete, Record, Update
from loopx.model.entities import Entity, goal_of, identity, kind_of
from loopx.model.kind import Kind

E = TypeVar("E", bound=Entity)
Key = tuple[Kind, str, str]


def key_of(kind: Kind, goal: str, identity: str) -> Key:
    """What tells one entity from all others: Visions and criteria are told apart by their Goal too."""
    return (kind, goal if kind.is_per_goal else "", "" if kind is Kind.WORKSPACE else identity)


def apply_changes(entities: Iterable[Entity], changes: Sequence[Change]) -> list[Entity]:
    """``entities`` after ``changes``, in the order they had, new ones last.

    Raises :class:`KeyError` for an update or deletion of an entity that is not there.
    """
    found = {_key(each): each for each in entities}
    for change in changes:
        match change:
            case Create(entity) | Record(entity):
                found[_key(entity)] = entity
            case Update(kind, goal, identity):
                key = key_of(kind, goal, identity)
                found[key] = updated(found[key], change)
            case Delete(kind, goal, identity):
                del found[key_of(kind, goal, identity)]
            case Archive():
                pass
    return list(found.values())


def updated(entity: E, change: Update) -> E:
    """``entity`` with the fields of ``change`` set; ``None`` puts a field's default back."""
    defaults = {each.name: _default(each) for each in fields(entity)}
    values = {name: defaults[name] if value is None else value for name, value in change.fields.items()}
    return replace(entity, **values)


def _default(each: Any) -> Any:
    if each.default is not MISSING:
        return each.default
    return each.default_factory() if each.default_factory is not MISSING else None


def _key(entity: Entity) -> Key:
    return key_of(kind_of(entity), goal_of(entity), identity(entity))
