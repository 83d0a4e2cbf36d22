"""Values of known fields that YAML reads as something nobody meant: tags, lone anchors, infinities.

Called by reading before a document is bound. YAML itself has nothing against any of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from loopx.documents.nodes import CORE_TAGS, Alias, Node, Scalar, Sequence, value_of
from loopx.documents.nodes import Mapping as MappingNode
from loopx.documents.places import Where, dotted
from loopx.documents.shapes import Shape, by_key
from loopx.documents.syntax import quoted_value
from loopx.documents.tree import Document
from loopx.errors import Problem
from loopx.model.entities import CLASSES


def oddities(document: Document) -> Iterator[tuple[Where, Problem]]:
    """Each odd value of a known field, with the way to it."""
    if document.root is None:
        return
    shapes = by_key(CLASSES[document.kind])
    for entry in document.root.entries:
        shape = shapes.get(entry.key.value)
        # A required field left empty by a tag or an anchor is told of as missing, which says more.
        if shape is not None and not (shape.is_required and _is_empty(entry.value)):
            yield from _within(document, entry.value, (shape.key,), shape)


def _within(document: Document, node: Node, where: Where, shape: Shape) -> Iterator[tuple[Where, Problem]]:
    if isinstance(node, Scalar):
        said = _said_of(document, node)
        if said:
            yield where, _problem(document, node, where, said)
    elif isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            yield from _within(document, item, (*where, number), shape)
    elif isinstance(node, MappingNode):
        inner = by_key(shape.nested) if shape.nested else {}
        for entry in node.entries:
            if entry.key.value in inner:
                yield from _within(document, entry.value, (*where, entry.key.value), inner[entry.key.value])


def _said_of(document: Document, node: Scalar) -> str | None:
    if node.tag is not None and node.tag not in CORE_TAGS:
        return f"`{node.tag}` is read as a YAML tag"
    if node.anchor is not None and not _is_mentioned(document.root, node):
        return f"`&{node.anchor}` is read as a YAML anchor"
    if not node.style and node.value[:1] in "+-.0123456789":
        value = value_of(node)
        if isinstance(value, float) and not isfinite(value):
            return f"`{node.value}` is read as a number that is not finite"
    return None


def _problem(document: Document, node: Scalar, where: Where, said: str) -> Problem:
    source = document.source
    raw = source.text[node.start : node.end]
    line = source.text[source.line_start(node.start) : source.line_end(node.start)].rstrip("\r\n")
    quoted = f'"{raw}"' if said.endswith("finite") else quoted_value(line) or f'"{raw}"'
    hint = f"If it is text, quote this: {quoted}"
    return Problem(
        "field-type", f"`{dotted(where)}`: {said}.", source.place(node.start), hint, {"field": dotted(where)}
    )


def _is_empty(node: Node) -> bool:
    return isinstance(node, Scalar) and value_of(node) is None


def _is_mentioned(node: Node | None, target: Scalar) -> bool:
    if isinstance(node, Alias):
        return node.target is target
    if isinstance(node, Sequence):
        return any(_is_mentioned(item, target) for item in node.items)
    return isinstance(node, MappingNode) and any(_is_mentioned(entry.value, target) for entry in node.entries)
