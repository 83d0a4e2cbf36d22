"""Merging a hand edit with what was accepted since the version it started from.

Called when a saved file comes from an older version than the one in history. The result keeps the hand's formatting;
machine-owned fields stay as accepted. What cannot be merged is told of, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loopx.documents.adoption import adopt
from loopx.documents.editing import alike, edit
from loopx.documents.fieldmerge import FieldMerge
from loopx.documents.nodes import value_of
from loopx.documents.reading import Reading, read
from loopx.documents.shapes import by_key, shapes
from loopx.documents.source import BOM
from loopx.documents.threeway import merge_lines
from loopx.documents.tree import location_of
from loopx.errors import LoopxError, Place, Problem
from loopx.model.defining import dataclass
from loopx.model.entities import CLASSES, Entity
from loopx.model.fields import Owner
from loopx.model.kind import Kind


@dataclass(frozen=True, slots=True)
class Merged:
    """How a merge came out. ``data`` is the merged document; ``None`` where it needs a person first.

    ``conflicts`` names each thing both sides changed differently (or what is wrong with a side). ``machine`` names, by
    file key, the machine-owned fields the hand edit changed. ``reverts`` is for the caller, who knows history: names of
    fields whose merged value undoes an older accepted change.
    """

    data: bytes | None
    conflicts: tuple[Problem, ...] = ()
    reverts: tuple[str, ...] = ()
    machine: tuple[str, ...] = ()


def merge(path: str, base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Bring ``theirs`` (a hand edit of ``base``, as typed) together with ``ours`` (the accepted version).

    A field only one side changed takes that side's value; ``rev`` is always ours; a machine-owned field missing in
    theirs is put back. Never raises on bad input.
    """
    if theirs in (base, ours):
        return Merged(ours)
    if location_of(path).kind is Kind.TRACE:
        return Merged(None, machine=("entries",))
    sides = [read(path, each) for each in (base, ours, theirs)]
    unreadable = next((side for side in reversed(sides) if side.bound is None), None)
    if unreadable is not None:
        return Merged(None, unreadable.problems)
    machine = tuple(_touched_machine_fields(*sides))
    if machine:
        return Merged(None, machine=machine)
    return _merged(path, sides, (base, ours, theirs))


def _merged(path: str, sides: list[Reading], texts: tuple[bytes, bytes, bytes]) -> Merged:
    work = FieldMerge(sides[2])
    base, accepted, typed = (_entity(side) for side in sides)
    wanted = work.entity(base, accepted, typed)
    unknown = _merged_unknown(work, *sides)
    if work.conflicts:
        return Merged(None, tuple(work.conflicts))
    try:
        even_base, even_theirs = (_evened(path, texts[i], sides[i], sides[1]) for i in (0, 2))
        data = _by_lines(path, (even_base, texts[1], even_theirs), wanted, unknown)
        if data is None:
            data = _spliced(path, even_theirs, wanted, unknown)
    except LoopxError as error:
        return Merged(None, (error.problem,))
    if data is None:
        message = "Both sides changed fields LoopX does not know."
        return Merged(None, (Problem("merge-conflict", message, Place(path)),))
    return Merged(data)


def _touched_machine_fields(base: Reading, ours: Reading, theirs: Reading) -> Iterator[str]:
    """Machine-owned fields that stand in theirs with a value neither other side has."""
    for name, shape in shapes(CLASSES[theirs.kind]).items():
        if shape.mark.owner is not Owner.MACHINE or name == "rev" or shape.key not in theirs.values:
            continue
        value = getattr(theirs.bound, name)
        known = [getattr(side.bound, name) for side in (base, ours) if shape.key not in side.missing]
        if value not in known:
            yield shape.key


def _entity(side: Reading) -> Entity:
    assert side.bound is not None
    return side.bound


def _evened(path: str, text: bytes, side: Reading, accepted: Reading) -> bytes:
    """``text`` with every machine-owned field as accepted, so that these make no difference between the sides."""
    ours = _entity(accepted)
    names = [name for name, shape in shapes(type(ours)).items() if shape.mark.owner is Owner.MACHINE]
    missing = {name: getattr(ours, name) for name in names if shapes(type(ours))[name].key in side.missing}
    whole = adopt(path, text, missing)
    present = {name: getattr(ours, name) for name in names if name not in missing}
    return edit(path, whole, present)


def _by_lines(
    path: str, texts: tuple[bytes, bytes, bytes], wanted: Entity, unknown: dict[str, str | None]
) -> bytes | None:
    """The three texts merged line by line, if that can be brought to say what is wanted.

    Where lines clash theirs are taken, and the fields in them are set afterwards.
    """
    base, accepted, typed = (text.removeprefix(BOM).decode() for text in texts)
    if _newline(base) != _newline(typed):
        # The editor changed every line's end; that must not count as a change of every line.
        base, accepted = (text.replace("\r\n", "\n").replace("\n", _newline(typed)) for text in (base, accepted))
    lines = [text.split("\n") for text in (base, accepted, typed)]
    merged, _ = merge_lines(*lines)
    text = (BOM if texts[2].startswith(BOM) else b"") + "\n".join(merged).encode()
    try:
        return _spliced(path, text, wanted, unknown)
    except LoopxError:
        # The merged lines are no document, or one that cannot be edited; theirs alone will do.
        return None


def _newline(text: str) -> str:
    """The first line's end."""
    return "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"


def _spliced(path: str, text: bytes, wanted: Entity, unknown: dict[str, str | None]) -> bytes | None:
    """``text`` with every field set that does not say what is wanted; ``None`` if its unknown fields are not right."""
    side = read(path, text)
    if side.entity is None or _unknown(side) != {name: value for name, value in unknown.items() if value is not None}:
        return None
    names = [*shapes(type(wanted)), *(["body"] if hasattr(wanted, "body") else [])]
    different = [name for name in names if not alike(wanted, side.entity, name)]
    return edit(path, text, {name: getattr(wanted, name) for name in different})


def _merged_unknown(work: FieldMerge, base: Reading, ours: Reading, theirs: Reading) -> dict[str, str | None]:
    """What fields LoopX does not know must say afterwards; ``None`` for those that go."""
    before, accepted, typed = (_unknown(side) for side in (base, ours, theirs))
    found: dict[str, str | None] = {}
    for name in {**typed, **accepted}:
        b, o, t = before.get(name), accepted.get(name), typed.get(name)
        found[name] = o if t == b else t
        if t not in (b, o) and o != b:
            work.conflict((name,), b, o, t)
    return found


def _unknown(side: Reading) -> dict[str, str]:
    known = by_key(CLASSES[side.kind])
    root = side.document.root if side.document else None
    entries: list[Any] = root.entries if root else []
    return {entry.key.value: repr(value_of(entry.value)) for entry in entries if entry.key.value not in known}
