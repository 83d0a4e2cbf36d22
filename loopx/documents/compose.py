"""The thorough way to read a header: the YAML library's events, built into nodes with their spans.

Called by :mod:`loopx.documents.tree` when the quick way gave up, and imported only then: this is the one module that
imports the YAML library. Refuses what would explode, loop or hide something, each at its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingStartEvent,
    ScalarEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from loopx.documents.nodes import Alias, Entry, Mapping, Node, Scalar, Sequence
from loopx.documents.source import Source
from loopx.documents.syntax import explained
from loopx.errors import LoopxError

DEPTH_LIMIT = 32
NODE_LIMIT = 20_000
"""Values a header may have, each mention of an anchored value counted as a copy of it."""

_FRAME = (StreamStartEvent, StreamEndEvent, DocumentStartEvent, DocumentEndEvent)
# YAML 1.2 has these as ordinary characters, the library takes them for line breaks; it is shown private-use stand-ins.
_BREAKS = "\x85\u2028\u2029"
_STAND_INS = "\ue085\ue028\ue029"
_HIDE = str.maketrans(_BREAKS, _STAND_INS)
_SHOW = str.maketrans(_STAND_INS, _BREAKS)
_COLON = re.compile(r"[ \t]*:")
# The library is trusted to raise its own errors; on a few malformed escapes and tags it stumbles instead.
_LIBRARY_ERRORS = (YAMLError, ValueError, ArithmeticError, LookupError, AttributeError, TypeError)


def compose(source: Source) -> Node | None:
    """The root of ``source``'s header; ``None`` when it holds no value at all.

    Raises ``document-syntax``, ``document-duplicate-key``, ``document-merge-key``, ``document-encoding`` or
    ``document-too-complex``.
    """
    return _Composer(source).root()


class _Composer:
    """One pass over the events of one header."""

    def __init__(self, source: Source) -> None:
        assert source.header is not None
        self._source = source
        self._shift, end = source.header
        text = source.text[self._shift : end]
        self._is_hiding = any(each in text for each in _BREAKS) and not any(each in text for each in _STAND_INS)
        self._events = self._parsed(text.translate(_HIDE) if self._is_hiding else text)
        self._anchors: dict[str, Scalar | Sequence | Mapping] = {}
        self._weights: dict[int, int] = {}
        self._count = 0

    def root(self) -> Node | None:
        event = next(self._events, None)
        if event is None:
            return None
        root, _ = self._node(event, 1)
        extra = next(self._events, None)
        if extra is not None:
            raise self._error("document-syntax", "A second YAML document starts here.", self._span(extra)[0])
        return root

    def _parsed(self, text: str) -> Iterator[Any]:
        """The events that make up values; everything the library raises comes out located."""
        reached = 0
        try:
            for event in YAML(typ="safe", pure=True).parse(text):
                reached = event.end_mark.index
                if isinstance(event, DocumentStartEvent) and (event.version or event.tags):
                    raise self._error("document-syntax", "A `%` directive is not supported.", self._shift)
                if not isinstance(event, _FRAME):
                    yield event
        except _LIBRARY_ERRORS as error:
            raise explained(self._source, error, self._shift, reached) from error

    def _node(self, event: Any, depth: int) -> tuple[Node, int]:
        """The node that starts with ``event`` and its weight: how many values it stands for, aliases expanded."""
        start, end = self._span(event)
        self._count += 1
        if depth > DEPTH_LIMIT or self._count > NODE_LIMIT:
            raise self._error("document-too-complex", "The header nests too deep or has too many values.", start)
        if isinstance(event, AliasEvent):
            return self._alias(event.anchor, start, end)
        if isinstance(event, ScalarEvent):
            return self._scalar(event, start, end), 1
        if isinstance(event, MappingStartEvent):
            return self._mapping(event, start, depth)
        return self._sequence(event, start, depth)

    def _alias(self, name: str, start: int, end: int) -> tuple[Node, int]:
        target = self._anchors.get(name)
        if target is None:
            message = f"`*{name}` refers to an anchor that does not exist."
            raise self._error("document-syntax", message, start, f'If it is text, quote it: "*{name}"')
        weight = self._weights.get(id(target))
        if weight is None:
            raise self._error("document-too-complex", f"`*{name}` stands inside what it refers to.", start)
        return Alias(start, end, target), weight

    def _scalar(self, event: Any, start: int, end: int) -> Scalar:
        style = event.style or ""
        if style in ("|", ">"):
            end = start + _content_length(self._source.text[start:end])
        node = Scalar(start, end, self._told(event.value, start), style, _tag(event), event.anchor)
        self._remember(node)
        self._weights[id(node)] = 1
        return node

    def _told(self, value: str, start: int) -> str:
        """The scalar's text with stand-ins undone and escaped surrogate pairs joined."""
        if self._is_hiding:
            value = value.translate(_SHOW)
        if not any("\ud800" <= each <= "\udfff" for each in value):
            return value
        try:
            return value.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError as error:
            message = "An escape names half a character (a lone surrogate)."
            hint = "Write the character itself, or both halves."
            raise self._error("document-encoding", message, start, hint) from error

    def _sequence(self, event: Any, start: int, depth: int) -> tuple[Node, int]:
        node = Sequence(start, start, [], bool(event.flow_style), _tag(event), event.anchor)
        self._remember(node)
        weight = 1
        while not isinstance(inner := next(self._events), CollectionEndEvent):
            item, more = self._node(inner, depth + 1)
            node.items.append(item)
            weight = self._weighed(weight + more, start)
        node.end = self._span(inner)[1] if node.is_flow or not node.items else node.items[-1].end
        self._weights[id(node)] = weight
        return node, weight

    def _mapping(self, event: Any, start: int, depth: int) -> tuple[Node, int]:
        node = Mapping(start, start, [], bool(event.flow_style), _tag(event), event.anchor)
        self._remember(node)
        weight = 1
        names: dict[str, Scalar] = {}
        while not isinstance(inner := next(self._events), CollectionEndEvent):
            key = self._name(inner, names, depth)
            value, more = self._node(next(self._events), depth + 1)
            node.entries.append(Entry(key, self._settled(key, value)))
            weight = self._weighed(weight + 1 + more, start)
        node.end = self._span(inner)[1] if node.is_flow or not node.entries else node.entries[-1].end
        self._weights[id(node)] = weight
        return node, weight

    def _settled(self, key: Scalar, value: Node) -> Node:
        """An absent value where it would be written: behind the colon. The library marks some of them a line below."""
        if isinstance(value, Scalar) and value.is_absent:
            colon = _COLON.match(self._source.text, key.end)
            value.start = value.end = colon.end() if colon else key.end
        return value

    def _name(self, event: Any, names: dict[str, Scalar], depth: int) -> Scalar:
        key, _ = self._node(event, depth + 1)
        if not isinstance(key, Scalar) or key.is_absent:
            raise self._error("document-syntax", "A field's name must be plain text.", key.start)
        if key.value == "<<" and not key.style:
            raise self._error("document-merge-key", "`<<` merges one mapping into another.", key.start)
        if key.value in names:
            first, second = (self._source.place(each.start).line for each in (names[key.value], key))
            message = f"`{key.value}` is written twice: on line {first} and on line {second}."
            raise self._error("document-duplicate-key", message, key.start, facts={"lines": [first, second]})
        names[key.value] = key
        return key

    def _weighed(self, weight: int, at: int) -> int:
        if weight > NODE_LIMIT:
            raise self._error("document-too-complex", "Aliases make the header too large.", at)
        return weight

    def _remember(self, node: Scalar | Sequence | Mapping) -> None:
        if node.anchor is not None:
            self._anchors[node.anchor] = node

    def _span(self, event: Any) -> tuple[int, int]:
        return event.start_mark.index + self._shift, event.end_mark.index + self._shift

    def _error(self, code: str, message: str, at: int, hint: str = "", **more: Any) -> LoopxError:
        return LoopxError(code, message, place=self._source.place(at), hint=hint, **more)


def _tag(event: Any) -> str | None:
    return None if event.tag is None else str(event.tag)


def _content_length(raw: str) -> int:
    """How much of a block scalar is content: all but blank lines at its end, unless its mark keeps them (``|+``)."""
    header = raw.partition("\n")[0].split("#")[0]
    if "+" in header:
        return len(raw.removesuffix("\n").removesuffix("\r"))
    return len(raw.rstrip(" \t\r\n"))
