"""The chain of a run's trace: what a line's hash covers, where a chain breaks, and what the lines alone tell.

A line's hash covers the line and the hash before it, so that nothing in the middle can be changed unseen. Refused
transitions stand in it too, and move nothing. The loop makes chains with this, the kernel judges them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from loopx.model.run import TraceEntry
from loopx.model.times import format_instant

GENESIS = ""
"""What the first line is chained to."""
SEGMENT_SIZE = 16 * 1024
"""About how many bytes a segment takes before the next one is begun."""
_LINE_SIZE = 220
"""Bytes of a line without its texts."""


def chained(
    head: str,
    number: int,
    at: datetime,
    entity: str,
    before: str | None,
    after: str,
    role: str,
    cause: str,
    refused: str | None,
    evidence: Mapping[str, Any],
) -> str:
    """SHA-256 (hex) of a line on top of the hash before it."""
    line = (number, format_instant(at), entity, before, after, role, cause, refused, evidence)
    text = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return sha256(f"{head}\n{text}".encode("ascii")).hexdigest()


def first_break(entries: Iterable[TraceEntry], head: str = GENESIS, count: int = 0) -> int | None:
    """The number of the first line that does not follow from those before it; ``None`` when all do."""
    for each in entries:
        count += 1
        if each.number != count or each.hash != chained(head, count, *each[1:-1]):
            return count
        head = each.hash
    return None


def statuses(entries: Iterable[TraceEntry]) -> dict[str, str]:
    """Where each entity stands after ``entries``, told from the trace alone. A step no line speaks of is pending, as
    it was laid out."""
    found: dict[str, str] = {}
    for each in entries:
        if each.refused is None:
            found[each.entity] = each.after
    return found


def as_json(evidence: Mapping[str, Any] | None) -> dict[str, Any]:
    """``evidence`` as it reads once it was written and read back, so that its hash stays what it was."""
    if not evidence:
        return {}
    found: dict[str, Any] = json.loads(json.dumps(evidence, default=str), parse_constant=str)
    return found


def size_of(entry: TraceEntry) -> int:
    """About how many bytes the line takes."""
    evidence = len(json.dumps(entry.evidence)) if entry.evidence else 0
    return _LINE_SIZE + len(entry.entity) + len(entry.cause) + evidence
