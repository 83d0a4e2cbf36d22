"""Which operations a record tells of, so that what an operation did is found although its receipt is not.

Asked when a row is written and when memory is searched; knows fields, no rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.model.entities import kind_of
from loopx.model.kind import Kind

if TYPE_CHECKING:
    from loopx.model.entities import Entity

_FIELDS = {
    Kind.EVIDENCE: ("operation",),
    Kind.LEASE: ("acquired_by",),
    Kind.TURN: ("opened_by", "settled_by"),
    Kind.EFFECT: ("opened_by", "settled_by"),
    Kind.HANDOFF: ("created_by",),
    Kind.RUN: ("operation",),
}
_ENTRIES = {
    Kind.COMPLETION: "entries",
    Kind.DECISION: "entries",
    Kind.CRITERION: "entries",
    Kind.BASELINE: "entries",
    Kind.CLOSURE: "entries",
    Kind.MONITOR: "recent",
}
"""Records that keep what happened entry by entry, each with the operation that made it."""


def operations_of(entity: Entity) -> set[str]:
    """Ids of the operations ``entity`` says it was made by; empty for what is no record."""
    kind = kind_of(entity)
    found = {getattr(entity, name) for name in _FIELDS.get(kind, ())}
    if kind in _ENTRIES:
        found.update(each.operation for each in getattr(entity, _ENTRIES[kind]))
    return {each for each in found if each is not None}
