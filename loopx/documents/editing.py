"""Changing fields of a document in place: the spans of these fields, and nothing else.

Called for every command that changes a document and for merging. Each result is read again: it says exactly what was
asked for and everything else it said before, or the edit is refused. Needs no validation library: it edits texts that
were accepted, with values the kernel has judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, replace
from datetime import datetime
from typing import Any

from loopx.documents.bodies import body_splices
from loopx.documents.changes import Change, mapping_splices
from loopx.documents.headings import HEADLINES, first_heading
from loopx.documents.lines import comments_above, inserted
from loopx.documents.nodes import value_of
from loopx.documents.notation import entry_lines
from loopx.documents.places import place_of
from loopx.documents.shapes import Shape, by_key, shapes
from loopx.documents.source import Splice, normal_body
from loopx.documents.tree import Document, parse
from loopx.documents.values import Values, trusted_entity, values_in
from loopx.errors import LoopxError
from loopx.model.entities import CLASSES, Entity
from loopx.model.fields import Merge
from loopx.model.times import format_instant


def edit(path: str, data: bytes, fields: Mapping[str, Any]) -> bytes:
    """``data`` with ``fields`` changed: attribute names (or ``body``) to values as the entity holds them.

    ``None`` removes a field. An edit that changes nothing returns the same bytes. A document without a header gets one.
    Raises :class:`ValueError` for a name the kind does not have, ``field-not-editable`` (located) where the text is
    written so that the field cannot be changed alone, or the first problem of a document that cannot be read.
    """
    document = parse(path, data)
    values = values_in(document)
    before = entity_of(document, values)
    after = _applied(document, before, fields)
    splices = list(_splices(document, before, after, fields))
    return finished(document, values, splices, after) if splices else data


def entity_of(document: Document, values: Values) -> Entity:
    """What ``document`` says, checked before by whoever accepted it; raises its first problem where it says nothing."""
    try:
        return trusted_entity(document, values)
    except (TypeError, ValueError, AttributeError) as error:
        from loopx.documents.reading import bound

        problems = bound(document).problems
        if not problems:
            raise
        raise LoopxError.of(problems[0]) from error


def finished(document: Document, values: Values, splices: list[Splice], after: Entity) -> bytes:
    """The document with ``splices`` made, after a look at whether it says what ``after`` says and all else it said."""
    data = document.source.spliced(splices)
    try:
        result = parse(document.source.path, data)
        found = values_in(result)
        said = trusted_entity(result, found)
    except (LoopxError, TypeError, ValueError, AttributeError) as error:
        raise _refused(document, "the text would no longer be readable", None) from error
    different = next((name for name in _names(after) if not alike(after, said, name)), None)
    if different is not None or _unknown(result) != _unknown(document) or not set(found.missing) <= set(values.missing):
        raise _refused(document, "more than this field would change", different)
    return data


def alike(one: Entity, other: Entity, name: str) -> bool:
    """Whether two entities say the same in the field ``name``: sets in any order, instants to the second."""
    first, second = getattr(one, name), getattr(other, name)
    if isinstance(first, datetime) and isinstance(second, datetime):
        return format_instant(first) == format_instant(second)
    if name == "body":
        return normal_body(first) == normal_body(second)
    shape = shapes(type(one)).get(name)
    if shape is not None and shape.mark.merge is Merge.SET:
        return set(first) == set(second)
    return bool(first == second)


def top_of(document: Document) -> int:
    """Where a field goes that belongs above all others: over the first field and its comments, below the modeline."""
    source = document.source
    assert source.header is not None
    if document.root is None:
        return source.header[1]
    return comments_above(source, document.root.entries[0]) if document.root.entries else document.root.start


def new_header(document: Document, lines: list[str]) -> Splice:
    """A header with ``lines`` above a text that has none."""
    newline = document.source.newline_near(0)
    return 0, 0, newline.join(["---", *lines, "---", ""])


def _names(entity: Entity) -> list[str]:
    return [*shapes(type(entity)), *(["body"] if hasattr(entity, "body") else [])]


def _applied(document: Document, before: Entity, fields: Mapping[str, Any]) -> Entity:
    known = _names(before)
    found: dict[str, Any] = {}
    for name, value in fields.items():
        if name not in known:
            raise ValueError(f"{name!r} is no field of a {document.kind.value}")
        found[name] = _default(document, name) if value is None else value
    return replace(before, **found)


def _default(document: Document, name: str) -> Any:
    if name == "body":
        return ""
    default = shapes(CLASSES[document.kind])[name].default
    if default is MISSING:
        raise _refused(document, f"a {document.kind.value} must have `{name}`", name)
    return default


def _splices(document: Document, before: Entity, after: Entity, fields: Mapping[str, Any]) -> Iterator[Splice]:
    changes = list(_changes(document, before, after, fields))
    source = document.source
    if changes and document.root is None:
        lines = [line for shape, _, new in changes if new is not None for line in entry_lines(new, shape, "")]
        if lines:
            yield new_header(document, lines) if source.header is None else inserted(source, source.header[1], lines)
    elif changes and document.root is not None:
        order = [shape.key for shape in shapes(type(after)).values()]
        yield from mapping_splices(source, document.root, changes, order, top_of(document))
    if "body" in fields:
        yield from body_splices(source, getattr(after, "body", ""))


def _changes(document: Document, before: Entity, after: Entity, fields: Mapping[str, Any]) -> Iterator[Change]:
    """The fields whose text must change, in the order of the kind. A title that a heading gives needs none."""
    headline = _headline_to_write(document, after)
    for name, shape in shapes(type(after)).items():
        old, new = getattr(before, name), getattr(after, name)
        if name == headline:
            yield shape, None, new
        elif name in fields and fields[name] is None:
            if document.root is not None and document.root.find(shape.key):
                yield shape, old, None
        elif name in fields and not _is_kept(shape, old, new):
            yield shape, old, new


def _is_kept(shape: Shape, old: Any, new: Any) -> bool:
    return bool(old == new) or (shape.mark.merge is Merge.SET and set(old) == set(new))


def _headline_to_write(document: Document, after: Entity) -> str | None:
    """The field that must be written into the header because no heading says it (any more)."""
    name = HEADLINES.get(document.kind)
    if name is None or (document.root is not None and document.root.find(name)):
        return None
    heading = first_heading(normal_body(getattr(after, "body", "")))
    return None if heading is not None and heading[0] == getattr(after, name) else name


def _unknown(document: Document) -> dict[str, Any]:
    """What the document says under names LoopX does not know."""
    known = by_key(CLASSES[document.kind])
    entries = document.root.entries if document.root else []
    return {entry.key.value: repr(value_of(entry.value)) for entry in entries if entry.key.value not in known}


def _refused(document: Document, why: str, name: str | None) -> LoopxError:
    shape = shapes(CLASSES[document.kind]).get(name) if name else None
    place = place_of(document, (shape.key,) if shape else ())
    message = f"The field cannot be changed in place: {why}."
    return LoopxError("field-not-editable", message, place=place, facts={"field": shape.key} if shape else None)
