"""Marking forward-only records after a rollback: they stay, but no longer cover what was put back."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from loopx.kernel.outcome import Record
from loopx.kernel.rollback import mark_rolled_back
from loopx.model.goal import Goal
from loopx.model.kind import Kind
from loopx.workspace.packet import is_held_at
from loopx.workspace.rows import entity_of
from loopx.workspace.texts import apply_change
from loopx.workspace.work import Link, Work

_EARLIEST = datetime.min.replace(tzinfo=UTC)
_RECORD_OF = {Kind.TODO: Kind.COMPLETION, Kind.GATE: Kind.DECISION}


def mark_records(
    work: Work, link: Link, touched: Iterable[tuple[Kind, str, str]], target: str, operation: str
) -> list[str]:
    """Mark every record entry that ``target`` does not hold, for the documents ``touched`` (kind, id, goal).

    Returns the paths of the records that stay.
    """
    kept: list[str] = []
    is_logged = work.cache.commit_at(target) is not None
    # Where history tells what came later, times (to the second, and of clocks that may be set back) do not count.
    since = _EARLIEST if is_logged else next(work.store.history(target, limit=1)).committed_at
    for kind, identity, goal in touched:
        for record_kind, subject in _records(work, kind, identity):
            path = work.path_of(record_kind, subject, goal if record_kind is Kind.CRITERION else "")
            row = work.cache.entity_at(path) if path else None
            if path is None or row is None:
                continue
            kept.append(path)
            record: Any = entity_of(record_kind, row.data)
            kept_entries = {each.operation for each in record.entries if is_held_at(work.cache, target, each.operation)}
            kept_entries |= set(_held_at(work, target, path))
            marked = mark_rolled_back(record, since=since, at=work.now, operation=operation, kept=kept_entries)
            if marked != record:
                apply_change(work, link, Record(marked))
    return kept


def _held_at(work: Work, target: str, path: str) -> list[str]:
    """Operations of the entries the record held at ``target``."""
    from loopx.documents import read

    found = work.store.find(target, path)
    record = None if found is None else read(path, work.store.read(found.oid)).entity
    return [each.operation for each in getattr(record, "entries", ())]


def _records(work: Work, kind: Kind, identity: str) -> list[tuple[Kind, str]]:
    if kind in (Kind.CRITERION, Kind.CLOSURE):
        return [(kind, identity)]
    if kind in _RECORD_OF:
        return [(_RECORD_OF[kind], identity)]
    if kind is Kind.GOAL:
        found = work.state.goal(identity)
        criteria = [(Kind.CRITERION, each.id) for each in found.acceptance] if isinstance(found, Goal) else []
        return [(Kind.CLOSURE, identity), *criteria]
    return []
