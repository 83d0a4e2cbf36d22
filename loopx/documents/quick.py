"""The quick way to read a plain header, without the YAML library: `name: value` lines, simple lists, nesting.

Called by :mod:`loopx.documents.tree` first. It answers only for texts it understands wholly and then gives exactly the
nodes :mod:`loopx.documents.compose` would (a property test compares them); for anything else it answers ``None``. It
never reports a mistake: that too is left to the YAML library, which knows the exact place.
"""

from __future__ import annotations

import re

from loopx.documents.nodes import Entry, Mapping, Node, Scalar, Sequence
from loopx.model.defining import dataclass

LENGTH_LIMIT = 16 * 1024
"""Characters of a header; longer ones go to the YAML library, which counts nodes as it goes."""
DEPTH_LIMIT = 20

# Tabs, lone carriage returns, control characters and Unicode's own line breaks are left to the YAML library.
_UNUSUAL = re.compile(
    r"[^\r\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|\r(?!\n)"
)

_FIRST = r"[^ \r\n\-?:,\[\]{}#&*!|>'\"%@`]"
_REST = r"(?:[^ \r\n:]|:(?=[^ \r\n]))"
_PLAIN = rf"{_FIRST}{_REST}*(?:[ ]+(?!\#){_REST}+)*"
_FLOW_REST = r"(?:[^ \r\n,\[\]{}:#?]|:(?=[A-Za-z0-9]))"
_FLOW_PLAIN = rf"{_FIRST}{_FLOW_REST}*(?:[ ]+{_FLOW_REST}+)*"
_DOUBLE = r'"[^"\\\r\n]*"'
_SINGLE = r"'(?:[^'\r\n]|'')*'"
_ITEM = rf"(?:{_DOUBLE}|{_SINGLE}|{_FLOW_PLAIN})"
_FLOW = rf"\[[ ]*(?:{_ITEM}(?:[ ]*,[ ]*{_ITEM})*)?[ ]*\]"

_SKIPPED = re.compile(r"[ ]*(?:#[^\r\n]*)?\r?(?:\n|\Z)")
_LINE = re.compile(
    rf"(?P<indent>[ ]*)(?P<dash>-[ ]+)?(?:(?P<key>[A-Za-z_][A-Za-z0-9_.-]{{0,99}}):(?=[ \r\n]|\Z))?"
    rf"(?:[ ]*(?P<value>(?P<double>{_DOUBLE})|(?P<single>{_SINGLE})|(?P<flow>{_FLOW})|{_PLAIN}))?"
    r"[ ]*(?:(?<=[ ])\#[^\r\n]*)?\r?(?:\n|\Z)"
)
_FLOW_ITEM = re.compile(rf"(?P<double>{_DOUBLE})|(?P<single>{_SINGLE})|{_FLOW_PLAIN}")


class _Unplain(Exception):
    """The header is more than this module understands."""


@dataclass(slots=True)
class _Token:
    """A key or a dash at a column, with the value behind it on the same line, if any."""

    column: int
    at: int
    key: Scalar | None
    value: Node | None


def read_plainly(text: str, start: int, end: int) -> Mapping | None:
    """The mapping written in ``text[start:end]``; ``None`` when it is not plain, or holds no fields."""
    if end - start > LENGTH_LIMIT or _UNUSUAL.search(text, start, end):
        return None
    try:
        tokens = _tokens(text, start, end)
        if not tokens or tokens[0].key is None:
            return None
        mapping, after = _mapping(tokens, 0, 0)
    except _Unplain:
        return None
    return mapping if after == len(tokens) else None


def _tokens(text: str, start: int, end: int) -> list[_Token]:
    found: list[_Token] = []
    at = start
    while at < end:
        skipped = _SKIPPED.match(text, at, end)
        if skipped:
            at = skipped.end()
            continue
        line = _LINE.match(text, at, end)
        if line is None:
            raise _Unplain
        _add_tokens(found, line)
        at = line.end()
    return found


def _add_tokens(found: list[_Token], line: re.Match[str]) -> None:
    indent, dash, key, value, double, single, flow = line.groups()
    if key is None and (dash is None or value is None):
        raise _Unplain
    at = line.start() + len(indent)
    node = _value(line, double, single, flow) if value is not None else None
    column = len(indent)
    if dash is not None:
        found.append(_Token(column, at, None, None if key is not None else node))
        at, column = at + len(dash), column + len(dash)
    if key is not None:
        found.append(_Token(column, at, Scalar(at, at + len(key), key), node))


def _value(line: re.Match[str], double: str | None, single: str | None, flow: str | None) -> Node:
    start, end = line.span("value")
    if flow is not None:
        items: list[Node] = [_scalar(item) for item in _FLOW_ITEM.finditer(line.string, start + 1, end - 1)]
        return Sequence(start, end, items, is_flow=True)
    return _quoted(start, end, double, single) or Scalar(start, end, line["value"])


def _scalar(match: re.Match[str]) -> Scalar:
    start, end = match.span()
    return _quoted(start, end, match["double"], match["single"]) or Scalar(start, end, match[0])


def _quoted(start: int, end: int, double: str | None, single: str | None) -> Scalar | None:
    if double is not None:
        return Scalar(start, end, double[1:-1], '"')
    if single is not None:
        return Scalar(start, end, single[1:-1].replace("''", "'"), "'")
    return None


def _mapping(tokens: list[_Token], at: int, depth: int) -> tuple[Mapping, int]:
    if depth > DEPTH_LIMIT:
        raise _Unplain
    column = tokens[at].column
    entries: list[Entry] = []
    while at < len(tokens) and tokens[at].column >= column:
        token = tokens[at]
        if token.column > column or token.key is None:
            raise _Unplain
        value, at = (token.value, at + 1) if token.value is not None else _below(tokens, at, depth)
        entries.append(Entry(token.key, value))
    if len({entry.key.value for entry in entries}) != len(entries):
        raise _Unplain
    return Mapping(entries[0].start, entries[-1].end, entries), at


def _below(tokens: list[_Token], at: int, depth: int) -> tuple[Node, int]:
    """What stands on the lines below a key that has nothing on its own line."""
    token = tokens[at]
    assert token.key is not None
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    is_list = following is not None and following.key is None
    if following is not None and is_list and following.column >= token.column:
        return _sequence(tokens, at + 1, depth + 1)
    if following is not None and following.column > token.column:
        return _mapping(tokens, at + 1, depth + 1)
    colon = token.key.end + 1
    return Scalar(colon, colon, ""), at + 1


def _sequence(tokens: list[_Token], at: int, depth: int) -> tuple[Sequence, int]:
    first = tokens[at]
    items: list[Node] = []
    while at < len(tokens) and tokens[at].column >= first.column:
        token = tokens[at]
        if token.key is not None and token.column == first.column:
            break
        if token.column > first.column or token.key is not None:
            raise _Unplain
        item, at = (token.value, at + 1) if token.value is not None else _mapping(tokens, at + 1, depth + 1)
        items.append(item)
    return Sequence(first.at, items[-1].end, items), at
