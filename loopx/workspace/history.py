"""Looking back: the audit trail, one commit, the difference between two."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.model.kind import Kind
from loopx.model.times import format_instant, parse_instant
from loopx.store.cache.rows import CommitRow
from loopx.workspace import trailers
from loopx.workspace.base import PREFIXES
from loopx.workspace.reports import CommitReport, LogEntry

if TYPE_CHECKING:
    from loopx.store.cache import Cache
    from loopx.store.git.repository import GitStore


def log(
    cache: Cache,
    *,
    id: str | None = None,
    actor: str | None = None,
    command: str | None = None,
    since: datetime | None = None,
    limit: int | None = None,
) -> list[LogEntry]:
    """The audit trail, newest first, narrowed as asked."""
    rows = cache.commits(
        id=id, actor=actor, command=command, since=None if since is None else format_instant(since), limit=limit
    )
    return [entry(row) for row in rows]


def entry(row: CommitRow) -> LogEntry:
    """One line of the audit trail from its cache row."""
    return LogEntry(
        revision=row.oid,
        at=parse_instant(row.at),
        author=row.author,
        actor=row.actor,
        origin=row.origin,
        command=row.command,
        operation=row.operation,
        subject=row.subject,
        headline=row.headline,
        ids=tuple(json.loads(row.ids or "[]")),
        paths=tuple(json.loads(row.paths or "[]")),
    )


def show(store: GitStore, cache: Cache, name: str, ids: Sequence[str] = ()) -> CommitReport:
    """One commit, its receipt and its patch against the first parent, over some documents or all."""
    oid = store.resolve(name)
    commit = next(store.history(oid, limit=1))
    row = cache.commit_at(oid)
    if row is None:
        raise LoopxError("revision-unknown", f"{name} is a commit that is not part of the accepted history")
    parent = commit.parents[0] if commit.parents else None
    paths = list(paths_of(cache, ids))
    patch = store.patch(parent, oid, paths) if paths or not ids else ""
    return CommitReport(entry(row), commit.message, trailers.parse(commit.message) or None, patch)


def diff(store: GitStore, cache: Cache, old: str, new: str | None, ids: Sequence[str]) -> str:
    """The patch between two revisions; ``new`` is the last accepted one when not given."""
    target = store.resolve(new) if new is not None else (cache.get_meta("revision") or store.resolve("HEAD"))
    paths = list(paths_of(cache, ids)) if ids else ()
    return store.patch(store.resolve(old), target, paths)


def paths_of(cache: Cache, ids: Iterable[str]) -> Iterable[str]:
    """Every path under which the documents of these ids lie or lay. A Goal stands for its whole folder."""
    for identity in ids:
        goal = cache.entity(Kind.GOAL.value, identity, "")
        if goal is not None:
            yield f"goals/{identity}"
            continue
        for kind in PREFIXES:
            row = cache.entity(kind.value, identity, "")
            if row is not None:
                yield row.path
        for commit in cache.commits(id=identity):
            yield from (path for path in json.loads(commit.paths or "[]") if identity in path)
