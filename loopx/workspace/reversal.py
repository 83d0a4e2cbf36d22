"""Foreign commits that exactly undo accepted ones (``git revert``) are meant as a rollback, and decided as one.

Its documents go back; facts that only move forward stay, marked as rolled back.
"""

from __future__ import annotations

import re

from loopx.errors import LoopxError
from loopx.kernel.commands import Rollback
from loopx.kernel.context import Context
from loopx.kernel.decide import decide
from loopx.kernel.outcome import Receipt, Refused
from loopx.model import ids
from loopx.model.actor import Actor, Origin
from loopx.model.defining import dataclass
from loopx.model.kind import Kind
from loopx.model.layout import Location, locate
from loopx.store.protocol import Commit, PathChange
from loopx.workspace.marking import mark_records
from loopx.workspace.work import Link, Work

_NAMED = re.compile(r"This reverts commit ([0-9a-f]{40,64})")


@dataclass(frozen=True, slots=True)
class Reversal:
    """``by`` undoes exactly what ``of`` did."""

    by: Commit
    of: Commit
    operation: str | None


def find_reversals(work: Work, commits: list[Commit]) -> list[Reversal]:
    """What foreign commits undo, when each of them undoes an accepted one path for path; else nothing."""
    found: list[Reversal] = []
    for by in commits:
        reversal = _reversal(work, by)
        if reversal is None:
            return []
        found.append(reversal)
    return found


def refusal(work: Work, reversals: list[Reversal], actor: Actor) -> Refused | None:
    """Why ``actor`` may not roll back what is undone; ``None`` when they may."""
    command = Rollback(revision=_target(reversals[-1]), reason="undone with git revert")
    context = Context(actor, Origin.FOREIGN, work.fresh(ids.OPERATION), work.now, work.ids)
    outcome = decide(work.state, command, context)
    return outcome if isinstance(outcome, Refused) else None


def reverse(work: Work, link: Link, changes: list[PathChange], reversals: list[Reversal]) -> Receipt:
    """Put the documents of the undone commits back; their records stay and are marked."""
    goals = {location.goal for each in changes if (location := _document(each.path)) is not None}
    touched = {each.path: _touched(work, each.path) for each in changes}
    for change in changes:
        if _document(change.path) is not None:
            _put_back(work, link, change)
    operation = work.fresh(ids.OPERATION)
    for each in reversals:
        own = [touched.get(change.path) for change in each.by.changes]
        mark_records(work, link, [facts for facts in own if facts is not None], _target(each), operation)
    undone = [each.operation for each in reversals if each.operation]
    if undone:
        link.extra["Supersedes"] = undone
        for name in undone:
            work.cache.mark_superseded(name, operation)
    newest = reversals[0]
    return Receipt(
        operation=operation,
        command="rollback",
        actor=link.receipt.actor,
        origin=Origin.FOREIGN,
        subject=f"commit {newest.of.oid[:10]}",
        goal=next(iter(goals)) if len(goals) == 1 else "",
        request="",
        at=work.now,
        result={"undid": newest.operation or newest.of.oid, "commits": len(reversals)},
    )


def _put_back(work: Work, link: Link, change: PathChange) -> None:
    from loopx.documents import read

    if change.after is None:
        work.drop(link, change.path)
        return
    content = work.store.read(change.after)
    entity = read(change.path, content).entity
    if entity is not None:
        work.put(link, change.path, content, entity)


def _touched(work: Work, path: str) -> tuple[Kind, str, str] | None:
    """Kind, id and Goal of the document a path holds before it is put back."""
    location, row = _document(path), work.cache.entity_at(path)
    return None if location is None or row is None else (location.kind, row.id, row.goal)


def _document(path: str) -> Location | None:
    """What a path holds, unless it is a record that only moves forward."""
    location = locate(path)
    return None if location is None or location.kind.is_forward_only else location


def _target(reversal: Reversal) -> str:
    """The commit whose documents come back."""
    return reversal.of.parents[0] if reversal.of.parents else reversal.of.oid


def _reversal(work: Work, by: Commit) -> Reversal | None:
    for oid in _NAMED.findall(by.message):
        of = _commit(work, oid)
        row = None if of is None else work.cache.commit_at(of.oid)
        if of is not None and row is not None and _inverts(by, of) and _was_accepted(work, of):
            return Reversal(by, of, row.operation)
    return None


def _was_accepted(work: Work, of: Commit) -> bool:
    """Whether what comes back had been accepted: a commit may also have put something refused out of history."""
    return all(
        len(work.cache.versions(each.path)) == 1
        if each.before is None
        else work.cache.has_version(each.path, each.before)
        for each in of.changes
        if locate(each.path) is not None
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
