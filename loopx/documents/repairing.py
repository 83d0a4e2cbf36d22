"""Repairs that are sure: the text can only have meant one thing, and saying it properly makes the document readable.

Called by ``loopx check --fix``, which shows each before it is made. A missing fence, a value cut by ``#`` or a tab are
not sure, since several readings are possible; these stay with the person.
"""

from __future__ import annotations

import re

from loopx.documents.notation import double_quoted
from loopx.documents.reading import Reading, read
from loopx.documents.shapes import by_key
from loopx.documents.source import open_source
from loopx.errors import LoopxError, Problem
from loopx.model.defining import dataclass
from loopx.model.entities import CLASSES
from loopx.model.layout import locate

_LINE = re.compile(r"(?P<lead>(?P<key>[\w-]+):[ ]+)(?P<value>[^\s'\"|>{].*)")
_QUOTABLE = frozenset({"document-syntax", "field-type", "field-missing"})
_LIMIT = 20
"""Repairs in one document; a text that needs more is not a document with a slip in it."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair. ``code`` is the problem it removes; ``data`` the document with it and all repairs before it made."""

    code: str
    about: str
    data: bytes


def repairs(path: str, data: bytes) -> list[Repair]:
    """The sure repairs of ``data``, in the order they are made; the last one's ``data`` has them all.

    Problems without a sure repair stay. Empty when nothing is wrong, or when nothing sure makes the text parse.
    """
    found: list[Repair] = []
    sure = 0
    reading = read(path, data)
    while len(found) < _LIMIT:
        step = _next(path, found[-1].data if found else data, reading)
        if step is None:
            break
        repair, reading = step
        found.append(repair)
        # A repair is only known to be right once the whole text can be parsed again.
        sure = len(found) if reading.document is not None else sure
    return found[:sure]


def _next(path: str, data: bytes, reading: Reading) -> tuple[Repair, Reading] | None:
    """The repair of the first problem that has a sure one, and the reading after it."""
    for problem in reading.problems:
        quoted = _quoted(path, data, problem) if problem.code in _QUOTABLE else None
        if quoted is not None:
            key, value, repaired = quoted
            after = read(path, repaired)
            if after.document is None or _is_right(after, key, value):
                return Repair(problem.code, f"Quote the value of `{key}`: {double_quoted(value)}", repaired), after
    return None


def _is_right(after: Reading, key: str, value: str) -> bool:
    return after.values.get(key) == value and not any(each.facts.get("field") == key for each in after.problems)


def _quoted(path: str, data: bytes, problem: Problem) -> tuple[str, str, bytes] | None:
    """The name and value on the problem's line, and the document with that value in quotes; ``None`` if not sure."""
    location = locate(path)
    if location is None or problem.place is None or problem.place.line is None:
        return None
    try:
        source = open_source(path, data, is_markdown=location.kind.is_markdown)
    except LoopxError:
        return None
    start = 0
    for _ in range(problem.place.line - 1):
        start = source.line_end(start)
    line = source.text[start : source.line_end(start)].rstrip(" \t\r\n")
    match = _LINE.fullmatch(line)
    shape = by_key(CLASSES[location.kind]).get(match["key"]) if match else None
    if (
        match is None
        or shape is None
        or shape.base is not str
        or shape.is_list
        or " #" in line
        or match["value"][0] == "#"
    ):
        return None
    at = start + match.start("value")
    splice = (at, at + len(match["value"]), double_quoted(match["value"]))
    return match["key"], match["value"], source.spliced([splice])
