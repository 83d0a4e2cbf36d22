"""Things worth a warning that stop nothing: names LoopX does not know, values a comment mark may have cut short.

Called by reading, on every document that parses. What it warns of stays in the file as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from loopx.documents.nodes import Mapping as MappingNode
from loopx.documents.nodes import Node, Scalar, Sequence
from loopx.documents.places import Where, dotted
from loopx.documents.shapes import Shape, by_key
from loopx.documents.syntax import quoted_value
from loopx.documents.tree import Document
from loopx.errors import Problem
from loopx.model.entities import CLASSES

PRIVATE_PREFIX = "x-"
"""Names a person marked as their own."""

_CUT = re.compile(r"(?P<gap>[ \t]+)#(?P<rest>[^\r\n]*)")
_ANY_CUT = re.compile(r"[^\s][ \t]+#")


def remarks(document: Document) -> Iterator[Problem]:
    """Every warning about ``document``, in the order of its text."""
    if document.root is None:
        return
    cls = CLASSES[document.kind]
    placed = ["goal"] if "goal" in cls.__dataclass_fields__ else []
    yield from _unknown(document, document.root, cls, (), placed)
    if _ANY_CUT.search(document.source.text, *(document.source.header or (0, 0))):
        yield from _cut(document, document.root, cls, ())


def _unknown(
    document: Document, node: MappingNode, cls: type[Any], way: Where, placed: Collection[str] = ()
) -> Iterator[Problem]:
    shapes = by_key(cls)
    for entry in node.entries:
        name = entry.key.value
        shape = shapes.get(name)
        if shape is not None and shape.nested is not None:
            for where, inner in _mappings(entry.value, (*way, name)):
                yield from _unknown(document, inner, shape.nested, where)
        elif shape is None and name not in placed and not name.startswith(PRIVATE_PREFIX):
            yield _unknown_name(document, entry.key, (*way, name), [*shapes, *placed])


def _unknown_name(document: Document, key: Scalar, where: Where, known: list[str]) -> Problem:
    from difflib import get_close_matches

    near = get_close_matches(key.value, known, 1, 0.7)
    hint = f"Did you mean `{near[0]}`?" if near else ""
    facts = {"field": dotted(where), "nearest": near[0] if near else None}
    message = f"`{dotted(where)}` is not a field LoopX knows; it is kept and ignored."
    return Problem("field-unknown", message, document.source.place(key.start), hint, facts)


def _mappings(node: Node, where: Where) -> Iterator[tuple[Where, MappingNode]]:
    if isinstance(node, MappingNode):
        yield where, node
    elif isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            if isinstance(item, MappingNode):
                yield (*where, number), item


def _cut(document: Document, node: MappingNode, cls: type[Any], way: Where) -> Iterator[Problem]:
    shapes = by_key(cls)
    for entry in node.entries:
        shape = shapes.get(entry.key.value)
        if shape is not None:
            yield from _cut_in(document, entry.value, shape, (*way, shape.key))


def _cut_in(document: Document, node: Node, shape: Shape, where: Where) -> Iterator[Problem]:
    if isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            yield from _cut_in(document, item, shape, (*where, number))
    elif isinstance(node, MappingNode) and shape.nested is not None:
        yield from _cut(document, node, shape.nested, where)
    elif isinstance(node, Scalar) and not node.style and not node.is_absent and (shape.is_free_text or shape.nested):
        yield from _cut_value(document, node, where)


def _cut_value(document: Document, node: Scalar, where: Where) -> Iterator[Problem]:
    """Two blanks, ``#`` and a blank make a comment somebody meant; anything closer looks like part of the value."""
    source = document.source
    match = _CUT.match(source.text, node.end)
    if match is None or (len(match["gap"]) > 1 and match["rest"][:1] in ("", " ")):
        return
    line = source.text[source.line_start(node.start) : source.line_end(node.start)].rstrip("\r\n")
    message = f"`{dotted(where)}` is read as `{node.value}`: what follows the `#` is a comment."
    hint = f"If it belongs to the value, quote it: {quoted_value(line) or 'the whole value'}"
    yield Problem("field-cut", message, source.place(match.end("gap")), hint, {"field": dotted(where)})
