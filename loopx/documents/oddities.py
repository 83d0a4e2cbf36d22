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

_NUMBER_STARTS = frozenset("+-.0123456789")


def oddities(document: Document) -> Iterator[tuple[Where, Problem]]:
    """Each odd value of a known field, with the way to it."""
    if document.root is None:
        return
    mentioned: frozenset[int] | None = None
    for where, node in _values(document.root, CLASSES[document.kind]):
        if node.anchor is not None and mentioned is None:
            mentioned = frozenset(_mentioned(document.root))
        said = _said_of(node, is_mentioned=id(node) in (mentioned or ()))
        if said:
            yield where, _problem(document, node, where, said)


def _values(root: MappingNode, cls: type) -> Iterator[tuple[Where, Scalar]]:
    """Every single value of a known field."""
    shapes = by_key(cls)
    for entry in root.entries:
        shape = shapes.get(entry.key.value)
        # A required field left empty by a tag or an anchor is told of as missing, which says more.
        if shape is not None and not (shape.is_required and _is_empty(entry.value)):
            yield from _within(entry.value, (shape.key,), shape)


def _within(node: Node, where: Where, shape: Shape) -> Iterator[tuple[Where, Scalar]]:
    if isinstance(node, Scalar):
        yield where, node
    elif isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            yield from _within(item, (*where, number), shape)
    elif isinstance(node, MappingNode):
        inner = by_key(shape.nested) if shape.nested else {}
        for entry in node.entries:
            if entry.key.value in inner:
                yield from _within(entry.value, (*where, entry.key.value), inner[entry.key.value])


def _said_of(node: Scalar, *, is_mentioned: bool) -> str | None:
    if node.tag is not None and node.tag not in CORE_TAGS:
        return f"`{node.tag}` is read as a YAML tag"
    if node.anchor is not None and not is_mentioned:
        return f"`&{node.anchor}` is read as a YAML anchor"
    if not node.style and node.value[:1] in _NUMBER_STARTS:
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


def _mentioned(node: Node) -> Iterator[int]:
    """What aliases below ``node`` refer to, by object identity."""
    if isinstance(node, Alias):
        yield id(node.target)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _mentioned(item)
    elif isinstance(node, MappingNode):
        for entry in node.entries:
            yield from _mentioned(entry.value)
