"""The parts of a header: scalars, lists and mappings with the characters they span.

Built by :mod:`loopx.documents.quick` and :mod:`loopx.documents.compose`, which agree on every span, and read by
everything that binds or edits. A node never changes once built. A span ends after the last character of the last value:
neither the line break nor a comment behind it belongs to it.
"""

from __future__ import annotations

from typing import Any

from loopx.documents.scalars import resolve
from loopx.model.defining import dataclass

STR_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})
CORE_TAGS = STR_TAGS | {f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float", "seq", "map")}


@dataclass(slots=True)
class Scalar:
    """A single value. ``value`` is its text with quotes and escapes undone; ``style`` is ``""``, ``'``, ``"``, ``|`` or
    ``>``. An absent value (``title:``) spans nothing, right behind its colon.
    """

    start: int
    end: int
    value: str
    style: str = ""
    tag: str | None = None
    anchor: str | None = None

    @property
    def is_absent(self) -> bool:
        return self.start == self.end


@dataclass(slots=True)
class Sequence:
    """A list; ``is_flow`` when written in brackets."""

    start: int
    end: int
    items: list[Node]
    is_flow: bool = False
    tag: str | None = None
    anchor: str | None = None


@dataclass(slots=True)
class Entry:
    """A name and its value."""

    key: Scalar
    value: Node

    @property
    def start(self) -> int:
        return self.key.start

    @property
    def end(self) -> int:
        return max(self.key.end, self.value.end)


@dataclass(slots=True)
class Mapping:
    """Names and values; ``is_flow`` when written in braces. Names are unique."""

    start: int
    end: int
    entries: list[Entry]
    is_flow: bool = False
    tag: str | None = None
    anchor: str | None = None

    def find(self, name: str) -> Entry | None:
        for entry in self.entries:
            if entry.key.value == name:
                return entry
        return None


@dataclass(slots=True)
class Alias:
    """A mention (``*name``) of a node anchored before."""

    start: int
    end: int
    target: Scalar | Sequence | Mapping


Node = Scalar | Sequence | Mapping | Alias


def value_of(node: Node) -> Any:
    """``node`` as a JSON value: None, bool, int, float, str, list or dict. Tags LoopX does not know change nothing."""
    if node.__class__ is Scalar:
        if node.style or node.tag in STR_TAGS:
            return node.value
        return resolve(node.value)
    if isinstance(node, Alias):
        return value_of(node.target)
    if isinstance(node, Sequence):
        return [value_of(item) for item in node.items]
    assert isinstance(node, Mapping)
    return {entry.key.value: value_of(entry.value) for entry in node.entries}


def tie_in(node: Node) -> Node | None:
    """The first part of ``node`` with an anchor, an alias or a tag, tied to something else; ``None`` without one."""
    if isinstance(node, Alias) or node.anchor is not None or node.tag is not None:
        return node
    inner: list[Node] = []
    if isinstance(node, Sequence):
        inner = node.items
    elif isinstance(node, Mapping):
        inner = [part for entry in node.entries for part in (entry.key, entry.value)]
    return next((found for each in inner if (found := tie_in(each)) is not None), None)


def node_at(root: Node | None, where: tuple[str | int, ...]) -> tuple[Node | None, int]:
    """The node that ``where`` (names and list positions) leads to, or the last one on the way, and the steps taken."""
    node, taken = root, 0
    for step in where:
        inner = node.target if isinstance(node, Alias) else node
        following: Node | None = None
        if isinstance(inner, Mapping) and isinstance(step, str):
            entry = inner.find(step)
            following = entry.value if entry else None
        elif isinstance(inner, Sequence) and isinstance(step, int) and step < len(inner.items):
            following = inner.items[step]
        if following is None:
            break
        node, taken = following, taken + 1
    return node, taken
