"""Bringing two changes of one entity together, field by field: what the merged document must say.

Called by merging. Sets merge as sets, keyed lists item by item, nested mappings name by name, bodies line by line; any
other field changed differently on both sides is a conflict, told with both values and the place in the hand edit.
"""

from __future__ import annotations

from dataclasses import field, is_dataclass, replace
from typing import Any

from loopx.documents.places import Where, dotted, place_of
from loopx.documents.reading import Reading
from loopx.documents.shapes import Shape, shapes
from loopx.documents.threeway import merge_lines
from loopx.errors import Place, Problem
from loopx.model.codec import plain
from loopx.model.defining import dataclass
from loopx.model.entities import Entity
from loopx.model.fields import Merge, Owner


@dataclass(slots=True)
class FieldMerge:
    """A merge under way. ``theirs`` is the hand edit; conflicts are collected, never raised."""

    theirs: Reading
    conflicts: list[Problem] = field(default_factory=list)

    def entity(self, base: Entity, ours: Entity, theirs: Entity) -> Entity:
        """What the merged document must say: machine-owned fields as accepted, every other field merged."""
        found: dict[str, Any] = {}
        for name, shape in shapes(type(ours)).items():
            if shape.mark.owner is not Owner.MACHINE:
                found[name] = self._value(shape, *_three(name, base, ours, theirs), (shape.key,))
        if hasattr(ours, "body"):
            found["body"] = self._body(*_three("body", base, ours, theirs))
        return replace(ours, **found)

    def conflict(self, where: Where, base: Any, ours: Any, theirs: Any, place: Place | None = None) -> None:
        """Note that both sides changed the value at ``where`` differently."""
        name = dotted(where)
        if place is None and self.theirs.document is not None:
            place = place_of(self.theirs.document, where)
        message = f"`{name}`: accepted meanwhile is {_shown(ours)}, the edit says {_shown(theirs)}."
        facts = {"field": name, "base": plain(base), "accepted": plain(ours), "edited": plain(theirs)}
        self.conflicts.append(Problem("merge-conflict", message, place, "", facts))

    def _value(self, shape: Shape, base: Any, ours: Any, theirs: Any, where: Where) -> Any:
        if ours in (base, theirs):
            return theirs
        if theirs == base:
            return ours
        if shape.mark.merge is Merge.SET:
            return _merged_set(base, ours, theirs)
        if shape.mark.merge is Merge.KEYED:
            return self._keyed(base, ours, theirs, where)
        if is_dataclass(ours) and type(base) is type(ours) is type(theirs):
            return self._nested(base, ours, theirs, where)
        self.conflict(where, base, ours, theirs)
        return theirs

    def _nested(self, base: Any, ours: Any, theirs: Any, where: Where) -> Any:
        found: dict[str, Any] = {}
        for name, shape in shapes(type(ours)).items():
            found[name] = self._value(shape, *_three(name, base, ours, theirs), (*where, shape.key))
        return replace(ours, **found)

    def _keyed(self, base: Any, ours: Any, theirs: Any, where: Where) -> tuple[Any, ...]:
        before, accepted = ({item.id: item for item in side} for side in (base, ours))
        found = []
        for number, item in enumerate(theirs):
            kept = self._item(before.get(item.id), accepted.get(item.id), item, (*where, number))
            found += [kept] if kept is not None else []
        typed = {item.id for item in theirs}
        for item in ours:
            if item.id not in typed and item != before.get(item.id):
                # New since, or changed since by one side and removed by the other.
                found.append(item)
                if item.id in before:
                    self.conflict(where, before[item.id], item, None)
        return tuple(found)

    def _item(self, base: Any, ours: Any, theirs: Any, where: Where) -> Any:
        if base is not None and ours is not None:
            return self._nested(base, ours, theirs, where)
        if base is None and ours in (None, theirs):
            return theirs
        if base is not None and base == theirs:
            return None
        self.conflict(where, base, ours, theirs)
        return theirs

    def _body(self, base: str, ours: str, theirs: str) -> str:
        if ours in (base, theirs) or theirs == base:
            return ours if theirs == base else theirs
        lines, clashes = merge_lines(*(each.split("\n") if each else [] for each in (base, ours, theirs)))
        start = self.theirs.place_of_key("body")
        for clash in clashes:
            place = Place(start.path, (start.line or 1) + clash.line, 1)
            self.conflict(("body",), None, "\n".join(clash.ours), "\n".join(clash.theirs), place)
        return "\n".join(lines)


def _three(name: str, base: Any, ours: Any, theirs: Any) -> tuple[Any, Any, Any]:
    return getattr(base, name), getattr(ours, name), getattr(theirs, name)


def _merged_set(base: tuple[Any, ...], ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> tuple[Any, ...]:
    kept = [item for item in theirs if item in ours or item not in base]
    return (*kept, *(item for item in ours if item not in base and item not in theirs))


def _shown(value: Any) -> str:
    text = " ".join(str(plain(value)).split()) if value not in (None, (), "") else "nothing"
    return f"`{text[:79]}…`" if len(text) > 80 else f"`{text}`" if text != "nothing" else text
