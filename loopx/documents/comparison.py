"""What differs between two versions of an entity, field by field.

Called to turn a hand edit into commands and to tell people what changed.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from loopx.model.entities import Entity


def compare(before: Entity, after: Entity) -> dict[str, tuple[Any, Any]]:
    """Attribute name to ``(old, new)`` for every field that differs, ``body`` included, ``goal`` left out.

    Raises :class:`TypeError` when the two are of different kinds.
    """
    if type(before) is not type(after):
        raise TypeError(f"{type(before).__name__} and {type(after).__name__} cannot be compared")
    found: dict[str, tuple[Any, Any]] = {}
    for each in fields(before):
        old, new = getattr(before, each.name), getattr(after, each.name)
        if old != new and each.name != "goal":
            found[each.name] = (old, new)
    return found
