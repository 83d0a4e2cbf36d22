"""Segments of a run's trace: one JSON object a line. No YAML, no header, nothing to keep of a hand's formatting.

Called by reading and emission for that one kind. What a line means is the loop's; here it is only well formed.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from loopx.documents.source import SIZE_LIMIT
from loopx.errors import Place, Problem
from loopx.model.entities import Entity
from loopx.model.layout import Location
from loopx.model.run import TraceEntry, TraceSegment
from loopx.model.times import format_instant, parse_instant

_REQUIRED: dict[str, type] = {"number": int, "at": str, "entity": str, "after": str, "role": str, "hash": str}
_OPTIONAL: dict[str, type] = {"before": str, "cause": str, "refused": str, "evidence": dict}
_WANTED = {int: "a whole number", str: "text", dict: "an object"}


def segment_text(segment: Any) -> bytes:
    """The lines of ``segment``, each with its line break."""
    return "".join(f"{line_text(each)}\n" for each in segment.entries).encode("utf-8", "replace")


def line_text(entry: TraceEntry) -> str:
    """One line: the fields in their order, those that say nothing left out."""
    told = {name: value for name, value in entry._asdict().items() if value not in (None, "", {}) or name in _REQUIRED}
    told["at"] = format_instant(entry.at)
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def read_segment(path: str, location: Location, data: bytes) -> tuple[Entity | None, list[Problem]]:
    """The segment in ``data``, or what is wrong with each of its lines."""
    if len(data) > SIZE_LIMIT:
        return None, [Problem("document-too-large", f"The file has {len(data):,} bytes.", Place(path))]
    run, _, part = location.name.partition("/")
    entries: list[TraceEntry] = []
    problems: list[Problem] = []
    for number, line in enumerate(_lines(data), 1):
        found = _entry(line)
        if isinstance(found, TraceEntry):
            entries.append(found)
        else:
            problems.append(Problem(found[0], found[1], Place(path, number, 1), facts={"line": number}))
    if problems:
        return None, problems
    if not entries:
        return None, [Problem("document-empty", "The file holds no lines.", Place(path, 1, 1))]
    return TraceSegment(run=run, number=int(part), entries=tuple(entries), todo=location.todo, goal=location.goal), []


def _lines(data: bytes) -> list[bytes]:
    return data.removesuffix(b"\n").split(b"\n") if data else []


def _entry(line: bytes) -> TraceEntry | tuple[str, str]:
    """The line as an entry, or code and message of what is wrong with it."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return "document-syntax", "The line is no JSON."
    if not isinstance(told, dict):
        return "document-root", "The line is no JSON object."
    for name, wanted in (*_REQUIRED.items(), *_OPTIONAL.items()):
        if name not in told:
            if name in _REQUIRED:
                return "field-missing", f"`{name}` is missing."
        elif type(told[name]) is not wanted:
            return "field-type", f"`{name}` must be {_WANTED[wanted]}."
    if unknown := next((each for each in told if each not in _REQUIRED and each not in _OPTIONAL), None):
        return "field-value", f"`{unknown[:40]}` is no field of a trace line."
    return _bound(told)


def _bound(told: dict[str, Any]) -> TraceEntry | tuple[str, str]:
    try:
        at: datetime = parse_instant(told["at"])
    except ValueError as error:
        return "field-value", f"`at`: {error}."
    return TraceEntry(
        told["number"],
        at,
        told["entity"],
        told.get("before"),
        told["after"],
        told["role"],
        told.get("cause", ""),
        told.get("refused"),
        told.get("evidence", {}),
        told["hash"],
    )
