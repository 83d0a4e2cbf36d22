"""Undoing one operation: the documents it wrote go back to what they were just before it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.kernel.commands import Rollback
from loopx.model.actor import Actor
from loopx.model.kind import Kind
from loopx.model.layout import locate
from loopx.store.cache.rows import CommitRow
from loopx.store.protocol import Commit
from loopx.workspace.packet import packet
from loopx.workspace.reports import RollbackPacket, RolledBack
from loopx.workspace.restoration import Key, Restoration, commits_of, criteria_in, key_of, restorations, written_by
from loopx.workspace.results import Based
from loopx.workspace.rollback import NOTHING_IN_PARTICULAR, Choice, Chosen, carry_out
from loopx.workspace.work import Work

if TYPE_CHECKING:
    from loopx.store.cache import Cache
    from loopx.workspace.facade import Workspace

_NEVER = ("init", "git commit")


def plan(ws: Workspace, operation: str | None, also: tuple[str, ...]) -> RollbackPacket:
    """What undoing would do. Raises ``undo-built-upon``, ``undo-nothing`` or ``operation-unknown``."""
    commit = _commit(ws, operation)
    before = _before(commit)
    return packet(ws.cache, before, *_chosen(ws, ws.cache, commit, before, also))


def undo(
    ws: Workspace,
    operation: str | None,
    *,
    actor: Actor,
    reason: str | None,
    and_operations: tuple[str, ...],
    new_op: str | None,
    based: Based = NOTHING_IN_PARTICULAR,
) -> RolledBack:
    """Undo ``operation`` (the newest that is not itself undone) by a new commit."""
    with ws._turn:
        ws.reader.now(take_in=True)
        commit = _commit(ws, operation or _undone_by(ws, new_op))
    before = _before(commit)
    row = ws.cache.commit_at(commit.oid)
    undone = str(row.operation) if row is not None else commit.oid
    command = Rollback(revision=before, reason=reason or f"undo {undone}", undo_of=undone)

    def choose(work: Work) -> Chosen:
        return _chosen(ws, work.cache, commit, before, and_operations, work.contents)

    return carry_out(ws, command, actor=actor, op=new_op, choice=Choice(before, choose, based))


def _undone_by(ws: Workspace, operation: str | None) -> str | None:
    """What ``operation`` undid, when it was carried out before: asked again, it means the same."""
    row = ws.cache.operation(operation) if operation is not None else None
    undone = None if row is None else json.loads(row.result or "{}").get("undid")
    return None if undone is None else str(undone)


def _commit(ws: Workspace, operation: str | None) -> Commit:
    row: CommitRow | None
    if operation is not None:
        row = ws.cache.operation(operation)
        if row is None:
            raise LoopxError("operation-unknown", f"no operation {operation} is recorded")
    else:
        row = next((each for each in ws.cache.commits(limit=200) if _may_be_undone(each)), None)
        if row is None:
            raise LoopxError("undo-nothing", "there is no operation left that could be undone")
    if row.command in _NEVER:
        raise LoopxError("undo-nothing", f"{row.command} cannot be undone; roll back instead")
    return next(ws.store.history(row.oid, changes=True, limit=1))


def _may_be_undone(row: CommitRow) -> bool:
    return bool(row.operation) and not row.superseded_by and row.command not in _NEVER


def _before(commit: Commit) -> str:
    return commit.parents[0]


def _chosen(
    ws: Workspace, cache: Cache, commit: Commit, before: str, also: tuple[str, ...], touched: Iterable[str] = ()
) -> Chosen:
    """What the operation and those named with it wrote, unless somebody built on it after them."""
    left = written_by(ws.store, commit)
    commits = [commit, *(_commit(ws, each) for each in also)]
    keys = {key for each in commits for key in written_by(ws.store, each)}
    chosen = restorations(ws.store, cache, before, only=keys, touched=touched)
    criteria = [found for each in commits for found in criteria_in(each.changes)]
    unnamed = [op for op in _built_upon(cache, commit.oid, [*chosen, *criteria], left) if op not in also]
    if unnamed:
        raise LoopxError(
            "undo-built-upon",
            f"{len(unnamed)} later operation{'' if len(unnamed) == 1 else 's'} built on what it wrote",
            facts={"operations": unnamed[:20]},
        )
    return chosen, criteria


def _built_upon(cache: Cache, oid: str, chosen: list[Restoration], left: Mapping[Key, str | None]) -> list[str]:
    """Operations after commit ``oid`` that changed what it ``left``, or lean on what would be removed."""
    found: dict[str, None] = {}
    at = cache.commit_at(oid)
    changed = [each for each in chosen if each.key not in left or each.now_blob != left[each.key]]
    for each in (*changed, *_leaning(cache, chosen)):
        for row in commits_of(cache, each):
            if at is None or row.seq <= at.seq:
                break
            if not row.superseded_by:
                found[row.operation or row.oid] = None
    return list(found)


def _leaning(cache: Cache, chosen: list[Restoration]) -> Iterator[Restoration]:
    """Documents that would be left without their Goal, or naming a document that is gone."""
    taken = {each.key for each in chosen}
    for each in chosen:
        if each.then is not None:
            continue
        folder = f"goals/{each.id}/" if each.kind is Kind.GOAL else None
        named = cache.dependants(each.id)
        for row in cache.documents():
            location = locate(row.path)
            if location is None or location.kind.is_forward_only or key_of(location, row.id) in taken:
                continue
            if (folder and row.path.startswith(folder)) or (row.kind == Kind.TODO and row.id in named):
                yield Restoration(location.kind, row.id, location.goal, row.path, None, None, row.blob)
