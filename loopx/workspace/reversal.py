"""A foreign commit that exactly undoes an accepted one (``git revert``) is meant as a rollback, and decided as one.

Its documents go back; facts that only move forward stay, marked as rolled back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from loopx.errors import LoopxError
from loopx.kernel.outcome import Receipt
from loopx.model import ids
from loopx.model.actor import Origin
from loopx.model.kind import Kind
from loopx.model.layout import locate
from loopx.store.protocol import Commit
from loopx.workspace.marking import mark_records
from loopx.workspace.work import Link, Work

_NAMED = re.compile(r"This reverts commit ([0-9a-f]{40,64})")


@dataclass(frozen=True, slots=True)
class Reversal:
    """``by`` undoes exactly what ``of`` did."""

    by: Commit
    of: Commit
    operation: str | None


def find_reversal(work: Work, commits: list[Commit]) -> Reversal | None:
    """The accepted commit that a single foreign one undoes path for path; ``None`` when there is none."""
    if len(commits) != 1:
        return None
    by = commits[0]
    for oid in _NAMED.findall(by.message):
        of = _commit(work, oid)
        if of is not None and _inverts(by, of):
            row = work.cache.commit_at(of.oid)
            return Reversal(by, of, row.operation if row is not None else None)
    return None


def reverse(work: Work, link: Link, reversal: Reversal) -> Receipt | None:
    """Put the documents of the undone commit back; its records stay and are marked."""
    from loopx.documents import read
    from loopx.workspace.foreign import author_as_actor

    goals: set[str] = set()
    touched: list[tuple[Kind, str, str]] = []
    for change in reversal.by.changes:
        location = locate(change.path)
        if location is None or location.kind.is_forward_only:
            continue
        goals.add(location.goal)
        row = work.cache.entity_at(change.path)
        if row is not None:
            touched.append((location.kind, row.id, row.goal))
        if change.after is None:
            work.drop(link, change.path)
            continue
        content = work.store.read(change.after)
        entity = read(change.path, content).entity
        if entity is not None:
            work.put(link, change.path, content, entity)
    operation = work.fresh(ids.OPERATION)
    mark_records(work, link, touched, reversal.of.parents[0] if reversal.of.parents else reversal.of.oid, operation)
    if reversal.operation:
        link.extra["Supersedes"] = [reversal.operation]
        work.cache.mark_superseded(reversal.operation, operation)
    return Receipt(
        operation=operation,
        command="rollback",
        actor=author_as_actor(reversal.by.author),
        origin=Origin.FOREIGN,
        subject=f"commit {reversal.of.oid[:10]}",
        goal=next(iter(goals)) if len(goals) == 1 else "",
        request="",
        at=work.now,
        result={"undid": reversal.operation or reversal.of.oid},
    )


def _commit(work: Work, oid: str) -> Commit | None:
    try:
        return next(work.store.history(oid, changes=True, limit=1), None)
    except LoopxError:
        return None


def _inverts(by: Commit, of: Commit) -> bool:
    there = {each.path: (each.before, each.after) for each in of.changes}
    back = {each.path: (each.after, each.before) for each in by.changes}
    return bool(there) and there == back
