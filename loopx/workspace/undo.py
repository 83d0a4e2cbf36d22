"""Undoing one operation: the documents it wrote go back to what they were just before it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.kernel.commands import Rollback
from loopx.model.actor import Actor
from loopx.store.cache.rows import CommitRow
from loopx.store.protocol import Commit
from loopx.workspace.packet import Restoration, commits_of, packet, restorations
from loopx.workspace.reports import RollbackPacket, RolledBack
from loopx.workspace.rollback import Choice, carry_out
from loopx.workspace.work import Work

if TYPE_CHECKING:
    from loopx.store.cache import Cache
    from loopx.workspace.facade import Workspace

_NEVER = ("init", "git commit")


def plan(ws: Workspace, operation: str | None, also: tuple[str, ...]) -> RollbackPacket:
    """What undoing would do. Raises ``undo-built-upon``, ``undo-nothing`` or ``operation-unknown``."""
    commit = _commit(ws, operation)
    before = _before(commit)
    return packet(ws.cache, before, _chosen(ws, ws.cache, commit, before, also))


def undo(
    ws: Workspace,
    operation: str | None,
    *,
    actor: Actor,
    reason: str | None,
    and_operations: tuple[str, ...],
    new_op: str | None,
) -> RolledBack:
    """Undo ``operation`` (the newest that is not itself undone) by a new commit."""
    with ws._turn:
        ws.reader.now(take_in=True)
        commit = _commit(ws, operation)
    before = _before(commit)
    row = ws.cache.commit_at(commit.oid)
    undone = str(row.operation) if row is not None else commit.oid
    command = Rollback(revision=before, reason=reason or f"undo {undone}", undo_of=undone)

    def choose(work: Work) -> list[Restoration]:
        return _chosen(ws, work.cache, commit, before, and_operations, work.contents)

    return carry_out(ws, command, actor=actor, op=new_op, choice=Choice(before, choose))


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
) -> list[Restoration]:
    """The documents the operation wrote, unless somebody wrote them after it."""
    row = cache.commit_at(commit.oid)
    written = set(json.loads(row.paths)) if row is not None else set()
    chosen = [each for each in restorations(ws.store, cache, before, touched=touched) if each.paths & written]
    later = _built_upon(cache, commit.oid, chosen)
    unnamed = [op for op in later if op not in also]
    if unnamed:
        raise LoopxError(
            "undo-built-upon",
            f"{len(unnamed)} later operations changed the same documents",
            facts={"operations": unnamed[:20]},
        )
    return chosen


def _built_upon(cache: Cache, oid: str, chosen: list[Restoration]) -> list[str]:
    """Operations after commit ``oid`` that wrote one of the same documents and still stand."""
    found: list[str] = []
    for each in chosen:
        for row in commits_of(cache, each):
            if row.oid == oid:
                break
            name = row.operation or row.oid
            if name not in found and not row.superseded_by:
                found.append(name)
    return found
