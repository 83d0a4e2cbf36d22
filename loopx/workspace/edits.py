"""What is known of files that differ from the last accepted version and were not taken in: one cache row each.

A verdict holds for one content and one state of history; while both stay the same it is shown again without judging.
The rows are derived: lost with the cache, they are found again by the next pass.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from loopx.errors import Place, Problem
from loopx.model.times import format_instant, parse_instant
from loopx.store.cache.rows import PendingRow
from loopx.workspace.results import EditState, PendingEdit

if TYPE_CHECKING:
    from loopx.store.cache import Cache

_WAITING = frozenset({"guard-edit-waits", "operator-required"})


def note(
    cache: Cache,
    path: str,
    content: str | None,
    head: str | None,
    state: EditState,
    problems: Sequence[Problem],
    now: datetime,
    actor: str = "",
) -> None:
    """Record why ``path`` is not taken in. ``since`` of an earlier note on the same path is kept.

    ``actor`` names who made the change, where that is not the person whose files these are (a foreign commit).
    """
    before = cache.pending_at(path)
    row = PendingRow(
        path=path,
        content=content or "",
        head=head or "",
        state=state.value,
        problems=json.dumps({"actor": actor, "list": [each.as_json() for each in problems]}, ensure_ascii=False),
        since=before.since if before is not None else format_instant(now),
    )
    if before != row:
        cache.put_pending(row)


def pending(cache: Cache) -> list[PendingEdit]:
    """Every edit that waits, by path."""
    return [_edit_of(row) for row in cache.pending()]


def verdict_stands(cache: Cache, path: str, content: str | None, head: str | None) -> bool:
    """Whether ``path`` was judged with this very content on this very history, and must not be judged again."""
    row = cache.pending_at(path)
    return (
        row is not None
        and row.state in (EditState.REFUSED, EditState.UNREADABLE)
        and row.content == (content or "")
        and row.head == (head or "")
    )


def has_waited(cache: Cache, path: str, content: str) -> bool:
    """Whether this content of ``path`` waits for an operator's word, also where somebody else gave theirs meanwhile."""
    row = cache.pending_at(path)
    if row is None or row.content != content:
        return False
    return any(each["code"] in _WAITING for each in json.loads(row.problems)["list"])


def noted_actor(cache: Cache, path: str, content: str) -> str:
    """Who made the change noted for this content of ``path``; ``""`` when it was the person."""
    row = cache.pending_at(path)
    if row is None or row.content != content:
        return ""
    return str(json.loads(row.problems).get("actor", ""))


def _edit_of(row: PendingRow) -> PendingEdit:
    listed = json.loads(row.problems)["list"]
    return PendingEdit(
        row.path, EditState(row.state), tuple(_problem_of(each) for each in listed), parse_instant(row.since)
    )


def _problem_of(raw: dict[str, Any]) -> Problem:
    place = raw.get("place")
    where = None if place is None else Place(place["path"], place["line"], place["column"])
    return Problem(raw["code"], raw["message"], where, raw["hint"], raw.get("facts", {}))
