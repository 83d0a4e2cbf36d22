"""Writing a new document, in the one form LoopX gives to texts it starts itself.

Called for what commands create and for machine-owned records, which are written whole. A document somebody may have
edited is never written this way: see :mod:`loopx.documents.editing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING
from typing import Any

from loopx.documents.notation import entry_lines
from loopx.documents.segments import segment_text
from loopx.documents.shapes import Shape, shapes
from loopx.documents.source import normal_body
from loopx.model.entities import Entity, kind_of
from loopx.model.kind import Kind
from loopx.model.layout import schema_reference

ALWAYS_WRITTEN = frozenset({"title", "status", "todo_class", "priority"})
"""Fields a person will want to see and change, written even where they hold their default."""

MODELINE = "# yaml-language-server: $schema="
"""Tells an editor which schema checks and completes the text."""


def emit(path: str, entity: Entity) -> bytes:
    """The document of ``entity`` for ``path``: modeline, fields in their order, then the body; of a trace
    segment its lines alone.

    Reading it gives an equal entity, for a body in normal form (:func:`loopx.documents.source.normal_body`).
    """
    kind = kind_of(entity)
    if kind is Kind.TRACE:
        return segment_text(entity)
    lines = [f"{MODELINE}{schema_reference(path, kind)}"]
    for shape, value in _fields(entity):
        lines += entry_lines(value, shape, "")
    if not kind.is_markdown:
        return ("\n".join(lines) + "\n").encode()
    body = normal_body(getattr(entity, "body", ""))
    text = "\n".join(["---", *lines, "---", *(["", body] if body else []), ""])
    return text.encode()


def _fields(entity: Entity) -> Iterator[tuple[Shape, Any]]:
    for name, shape in shapes(type(entity)).items():
        value = getattr(entity, name)
        if value is None:
            continue
        if name in ALWAYS_WRITTEN or shape.default is MISSING or value != shape.default:
            yield shape, value
