"""Where in a document something is: the place of a field, of an item in it, or of the heading that gave the title.

Called by whatever reports a problem with a document, in this room and (through a reading) above it.
"""

from __future__ import annotations

from loopx.documents.headings import HEADLINES
from loopx.documents.nodes import Node, node_at
from loopx.documents.tree import Document
from loopx.documents.values import Values
from loopx.errors import Place

Where = tuple[str | int, ...]
"""The way to a value: file keys and list positions."""


def find(document: Document, where: Where) -> Node | None:
    """The value that ``where`` leads to, if it is written in the header."""
    node, taken = node_at(document.root, where)
    return node if where and taken == len(where) else None


def place_of(document: Document, where: Where, values: Values | None = None) -> Place:
    """The place of the value ``where`` leads to, else of the nearest thing around it, else of the document's start."""
    node, taken = node_at(document.root, where)
    if node is not None and taken:
        return document.source.place(node.start)
    if values is not None and values.heading is not None and where == (HEADLINES.get(document.kind),):
        return document.source.place(values.heading)
    return Place(document.source.path, 1, 1)


def dotted(where: Where) -> str:
    """``where`` as people read it: ``acceptance[2].text``, list positions counted from 1."""
    text = ""
    for step in where:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if text else step
    return text
