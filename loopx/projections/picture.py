"""A graph as a picture: what the template needs to draw it as SVG, with every text fitted to its box."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from loopx.model.defining import dataclass
from loopx.projections.escape import one_line
from loopx.projections.graph import Graph, Node
from loopx.projections.layering import HEIGHT, WIDTH, Layout, layout

_COLUMNS, _GATE_COLUMNS = 26, 24
"""Narrow characters that fit into a box; a Gate's has round ends."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A box with its text. ``label`` fits; ``title`` is whole."""

    node: Node
    x: int
    y: int
    label: str
    title: str


@dataclass(frozen=True, slots=True)
class Line:
    """An edge: SVG path data, and whether a Gate stands at its start."""

    path: str
    is_gate: bool
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn graph and its size in pixels."""

    shapes: tuple[Shape, ...]
    lines: tuple[Line, ...]
    width: int
    height: int
    omitted: int
    loose: int
    box: tuple[int, int] = (WIDTH, HEIGHT)


def picture(graph: Graph) -> Picture:
    """The picture of a graph of at least one node."""
    placed = layout([node.id for node in graph.nodes], [(edge.source, edge.target) for edge in graph.edges])
    gates = {(edge.source, edge.target): edge.is_gate for edge in graph.edges}
    lines = (Line(each.path, gates[each.source, each.target], each.source, each.target) for each in placed.routes)
    return Picture(tuple(_shapes(graph, placed)), tuple(lines), placed.width, placed.height, graph.omitted, graph.loose)


def _shapes(graph: Graph, placed: Layout) -> Iterator[Shape]:
    nodes = {node.id: node for node in graph.nodes}
    for box in placed.boxes:
        node = nodes[box.id]
        title = one_line(node.label)
        yield Shape(node, box.x, box.y, fitted(title, _GATE_COLUMNS if node.is_gate else _COLUMNS), title)


def fitted(text: str, columns: int) -> str:
    """``text`` cut to so many narrow columns; a wide character (Chinese, emoji) takes two."""
    used = 0
    for index, character in enumerate(text):
        used += 2 if unicodedata.east_asian_width(character) in "WF" else not unicodedata.combining(character)
        if used > columns:
            return text[: max(1, index - 1)].rstrip("\u200d ") + "…"
    return text
