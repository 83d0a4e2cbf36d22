"""Findings about history itself: which revision counts, whether every accepted commit has a receipt, and time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from loopx.model.times import format_instant, parse_instant
from loopx.workspace import trailers
from loopx.workspace.catchup import accepted_commits
from loopx.workspace.doctor.anew import Anew
from loopx.workspace.doctor.findings import Difference, Finding, Surface

if TYPE_CHECKING:
    from loopx.store.protocol import Commit

SKEW = timedelta(seconds=60)
"""Clocks of two machines may differ by so much without anybody being wrong."""
_HISTORY = "the history of .loopx/.git"


def references(anew: Anew) -> Iterator[Finding]:
    """Where main stands against the last accepted revision."""
    busy = anew.ws.store.busy()
    if busy is not None:
        yield _git(".loopx/.git", f"Git is in the middle of something: {busy}.", "Finish or abort it with Git.")
    head, admitted = anew.head, anew.target
    if head is None or admitted is None or head == admitted:
        return
    if anew.ws.store.is_ancestor(admitted, head):
        why = f"main is at {head[:10]}, beyond the last accepted revision {admitted[:10]}: commits made with plain Git."
        yield _git("refs/heads/main", why, "The next command judges them, each by its author's authority.", False)
    elif anew.ws.store.compare(admitted, head):
        why = f"main is at {head[:10]}, which does not contain the last accepted revision {admitted[:10]}."
        step = "A person compares both with `loopx log` and runs `loopx history keep old` or `loopx history keep new`."
        yield _git("refs/heads/main", why, step)
    else:
        why = f"main is at {head[:10]}, which is {admitted[:10]}, the last accepted revision, with another message."
        yield _git("refs/heads/main", why, "The next command joins the two.", False)


def _git(place: str, why: str, step: str, is_fault: bool = True) -> Finding:
    return Finding(
        surface=Surface.HISTORY,
        kind=Difference.NOT_COMMITTED,
        owner="the last accepted revision (refs/loopx/admitted)",
        place=place,
        why=why,
        next_step=step,
        is_fault=is_fault,
    )


def lineage(anew: Anew) -> Iterator[Finding]:
    """Accepted commits without a receipt that nobody judged, and operations that were committed twice."""
    judged: dict[str, str] = {}
    first: dict[str, str] = {}
    for commit in accepted_commits(anew.ws.store, anew.target, judged=judged) if anew.target is not None else ():
        if commit.oid in judged:
            continue  # whatever its message claims, a later commit judged it
        receipt = trailers.receipt_of(trailers.parse(commit.message))
        if receipt is None:
            yield _gap(commit, "is part of the accepted history, and neither has a receipt nor was it ever judged.")
        elif receipt.operation in first:
            again = first[receipt.operation]
            yield _gap(commit, f"and {again[:10]} both hold the receipt of operation {receipt.operation}.")
        else:
            first[receipt.operation] = commit.oid


def _gap(commit: Commit, why: str) -> Finding:
    return Finding(
        surface=Surface.HISTORY,
        kind=Difference.SOURCE_WRONG,
        owner=_HISTORY,
        place=commit.oid[:10],
        why=f"Commit {commit.oid[:10]} {why}",
        next_step=f"A person looks at `loopx show {commit.oid[:10]}`, and rolls back what should not be.",
    )


def time(anew: Anew) -> Iterator[Finding]:
    """Stamps from the future: a clock was or is wrong, and whatever ends by the clock ends at another time."""
    limit = anew.now + SKEW
    newest = newest_stamp(anew)
    if newest is not None and newest[0] > limit:
        at, place = newest
        why = f"{place} bears the time {format_instant(at)}; this machine's clock says {format_instant(anew.now)}."
        yield Finding(
            surface=Surface.CLOCK,
            kind=Difference.SOURCE_WRONG,
            owner="the clock of the machine that wrote it, or of this one",
            place=place,
            why=why,
            next_step="Set the clock that is wrong. Until then no lease and no wait from the future counts as one.",
        )


def newest_stamp(anew: Anew) -> tuple[datetime, str] | None:
    """The newest time any commit or record bears, and where it stands."""
    found: list[tuple[datetime, str]] = []
    ahead = anew.cache.commits(since=format_instant(anew.now + SKEW), limit=1)
    for row in ahead or anew.cache.commits(limit=1):
        found.append((parse_instant(row.at), f"commit {row.oid[:10]}"))
    for lease in anew.state.leases(anew.goal):
        found.append((lease.renewed_at, f"the lease of {lease.todo}"))
    for turn in anew.state.turns(anew.goal, limit=1):
        found.append((turn.settled_at or turn.opened_at, f"turn {turn.id}"))
    return max(found, default=None)
