"""A graph in layers: where each node stands and which way each edge runs, so that a picture needs no script.

The classic method: each node one layer right of what it waits for, long edges led through the layers between, each
layer ordered by its neighbours, then moved towards them. Pieces that hang together are laid out by themselves and
set in rows like words. Pure and deterministic; knows only ids and sizes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise

from loopx.model.defining import dataclass

WIDTH, HEIGHT = 212, 46
"""Of a node, in pixels."""

_GAP_ACROSS, _GAP_DOWN, _BEND, _GAP_PIECES, _MARGIN = 64, 16, 10, 32, 12
_ROW = 1240
_SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Box:
    """Where a node stands: its upper left corner."""

    id: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Route:
    """Which way an edge runs, as the data of an SVG path."""

    source: str
    target: str
    path: str


@dataclass(frozen=True, slots=True)
class Layout:
    """A laid-out graph and the size of the picture."""

    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    width: int
    height: int


Point = tuple[str, int]
"""A place in a layer: a node's id with 0, or an edge's own id with the number of the layer it passes."""


def layout(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> Layout:
    """Places for ``nodes`` (at least one) and ways for ``edges`` (source, target) between them."""
    boxes: list[Box] = []
    routes: list[Route] = []
    width = height = 0
    left = top = _MARGIN
    for piece in _pieces(nodes, edges):
        members = set(piece)
        drawn = _Piece(piece, [edge for edge in edges if edge[0] in members])
        if left > _MARGIN and left + drawn.width > _ROW:
            left, top = _MARGIN, height + _GAP_PIECES
        piece_boxes, piece_routes, bottom = drawn.at(left, top)
        boxes += piece_boxes
        routes += piece_routes
        width, height = max(width, left + drawn.width), max(height, bottom)
        left += drawn.width + _GAP_PIECES
    return Layout(tuple(boxes), tuple(routes), width + _MARGIN, height + _MARGIN)


def _pieces(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Nodes that hang together, largest group first."""
    near: defaultdict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        near[source].append(target)
        near[target].append(source)
    seen: set[str] = set()
    found: list[list[str]] = []
    for start in nodes:
        reached, todo = set[str](), [start]
        while todo:
            node = todo.pop()
            if node not in reached and node not in seen:
                reached.add(node)
                todo += near[node]
        if reached:
            seen |= reached
            found.append([node for node in nodes if node in reached])
    return sorted(found, key=len, reverse=True)


class _Piece:
    """One connected group on its way to places."""

    def __init__(self, nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> None:
        self.layer = _layers(nodes, edges)
        self.ways = {(a, b): self._way(a, b) for a, b in edges if self.layer[a] < self.layer[b]}
        self.rows: list[list[Point]] = [[] for _ in range(max(self.layer.values()) + 1)]
        for node in nodes:
            self.rows[self.layer[node]].append((node, 0))
        for way in self.ways.values():
            for bend in way[1:-1]:
                self.rows[bend[1]].append(bend)
        self.before, self.after = self._neighbours()
        self.width = len(self.rows) * (WIDTH + _GAP_ACROSS) - _GAP_ACROSS

    def at(self, left: int, top: int) -> tuple[list[Box], list[Route], int]:
        """Boxes and routes with the group's corner at (left, top), and its lower border."""
        self._order()
        middles = self._settled()
        lift = top - min(middles[point] - _size(point) / 2 for row in self.rows for point in row)
        spots = {
            point: (left + number * (WIDTH + _GAP_ACROSS), round(middles[point] + lift))
            for number, row in enumerate(self.rows)
            for point in row
        }
        boxes = [Box(p[0], x, y - HEIGHT // 2) for p, (x, y) in spots.items() if p[1] == 0]
        routes = [Route(a, b, _curve([spots[p] for p in way])) for (a, b), way in self.ways.items()]
        bottom = max(round(y + _size(p) / 2) for p, (_, y) in spots.items())
        return boxes, routes, bottom

    def _way(self, source: str, target: str) -> list[Point]:
        bends = [(f"{source} {target}", n) for n in range(self.layer[source] + 1, self.layer[target])]
        return [(source, 0), *bends, (target, 0)]

    def _neighbours(self) -> tuple[Mapping[Point, list[Point]], Mapping[Point, list[Point]]]:
        before: defaultdict[Point, list[Point]] = defaultdict(list)
        after: defaultdict[Point, list[Point]] = defaultdict(list)
        for way in self.ways.values():
            for first, second in pairwise(way):
                after[first].append(second)
                before[second].append(first)
        return before, after

    def _order(self) -> None:
        """Sort each layer by where its neighbours stand, forwards and backwards in turn; the clearest result stays."""
        best, rows = self._crossings(), list(self.rows)
        for sweep in range(_SWEEPS):
            self._sweep(is_forward=sweep % 2 == 0)
            crossings = self._crossings()
            if crossings < best:
                best, rows = crossings, list(self.rows)
        self.rows = rows

    def _sweep(self, *, is_forward: bool) -> None:
        near = self.before if is_forward else self.after
        last = len(self.rows) - 1
        for number in range(1, last + 1) if is_forward else range(last - 1, -1, -1):
            facing = self.rows[number - 1 if is_forward else number + 1]
            self.rows[number] = _sorted(self.rows[number], facing, near)

    def _crossings(self) -> int:
        """How many pairs of lines cross between one layer and the next."""
        place = {point: number for row in self.rows for number, point in enumerate(row)}
        found = 0
        for row in self.rows:
            ends = [(place[point], place[other]) for point in row for other in self.after[point]]
            found += sum((a < c and b > d) or (a > c and b < d) for (a, b), (c, d) in combinations(ends, 2))
        return found

    def _settled(self) -> dict[Point, float]:
        """The middle of each point: stacked, then drawn towards its neighbours without changing the order."""
        middles: dict[Point, float] = {}
        for row in self.rows:
            middles.update(_stacked(row, dict.fromkeys(row, 0.0)))
        for sweep in range(_SWEEPS):
            near = self.before if sweep % 2 == 0 else self.after
            for row in self.rows if sweep % 2 == 0 else reversed(self.rows):
                wanted = {p: _mean((middles[n] for n in near[p]), middles[p]) for p in row}
                middles.update(_stacked(row, wanted))
        return middles


def _layers(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Each node one layer right of the last thing it waits for, what waits for nothing just before its first use.

    A circle is opened at its first node.
    """
    waits: dict[str, set[str]] = {node: set() for node in nodes}
    for source, target in edges:
        waits[target].add(source)
    layer: dict[str, int] = {}
    left = list(nodes)
    while left:
        ready = [node for node in left if waits[node] <= layer.keys()] or left[:1]
        placed = {node: max((layer[each] + 1 for each in waits[node] if each in layer), default=0) for node in ready}
        layer.update(placed)
        left = [node for node in left if node not in layer]
    for node in nodes:
        used = [layer[target] for source, target in edges if source == node]
        if not waits[node] and used:
            layer[node] = max(0, min(used) - 1)
    return layer


def _sorted(row: Sequence[Point], facing: Sequence[Point], near: Mapping[Point, list[Point]]) -> list[Point]:
    """A layer by the mean place of its neighbours in the layer it faces; one without any keeps its place."""
    rank = {point: float(place) for place, point in enumerate(facing)}
    own = {point: float(place) for place, point in enumerate(row)}
    return sorted(row, key=lambda point: _mean((rank[each] for each in near[point]), own[point]))


def _stacked(row: Sequence[Point], wanted: Mapping[Point, float]) -> dict[Point, float]:
    """Middles for a layer in its order: as wanted where there is room, else pushed down, then centred on the wish."""
    found: dict[Point, float] = {}
    floor = float("-inf")
    for point in row:
        found[point] = max(wanted[point], floor + _size(point) / 2)
        floor = found[point] + _size(point) / 2 + _GAP_DOWN
    excess = _mean((found[point] - wanted[point] for point in row), 0.0)
    return {point: middle - excess for point, middle in found.items()}


def _size(point: Point) -> int:
    return HEIGHT if point[1] == 0 else _BEND


def _mean(values: Iterable[float], otherwise: float) -> float:
    found = list(values)
    return sum(found) / len(found) if found else otherwise


def _curve(spots: Sequence[tuple[int, int]]) -> str:
    """A smooth line from the right side of the first box, through every bend, to the left side of the last."""
    x, y = spots[0][0] + WIDTH, spots[0][1]
    parts = [f"M{x} {y}"]
    for left, middle in spots[1:]:
        half = (left - x) // 2
        parts.append(f"C{x + half} {y} {left - half} {middle} {left} {middle}")
        is_bend = (left, middle) != spots[-1]
        x, y = (left + WIDTH, middle) if is_bend else (left, middle)
        if is_bend:
            parts.append(f"H{x}")
    return "".join(parts)
