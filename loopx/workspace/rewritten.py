"""After somebody rewrote the history of ``.loopx/``: keep the old tip, or the new one. A person's choice."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from loopx.errors import LoopxError, Place
from loopx.kernel.outcome import Receipt
from loopx.model.actor import Actor, Origin
from loopx.store.protocol import Draft, PathChange
from loopx.workspace import journal as journals
from loopx.workspace import trailers
from loopx.workspace.admitted import admitted_or_known
from loopx.workspace.journal import Journal, Step
from loopx.workspace.merger import Merger
from loopx.workspace.publish import finish
from loopx.workspace.recover import recover
from loopx.workspace.results import Committed

if TYPE_CHECKING:
    from loopx.workspace.facade import Workspace


def choose(ws: Workspace, keep: str, *, actor: Actor, reason: str) -> Committed:
    """Make ``old`` or ``new`` the history that counts; the other stays reachable.

    Old: main goes back to the last accepted commit. New: a commit with both as parents, holding the new documents and
    the old forward-only facts, so that receipts stay reachable and nothing that only moves forward falls back.
    """
    if keep not in ("old", "new"):
        raise LoopxError("usage", f"{keep!r} is neither old nor new", place=Place("keep"))
    if not actor.is_human:
        raise LoopxError("actor-not-permitted", f"{actor} may not choose between two histories")
    with ws.store.lock(ws.policies().lock_timeout_seconds, f"history keep {keep}"):
        recover(ws.store, ws.places, ws.clear_locks, ws.clock.wait)
        head, admitted = ws.store.head(), admitted_or_known(ws.store)
        if head is None or admitted is None or head == admitted or ws.store.is_ancestor(admitted, head):
            raise LoopxError("usage", "history was not rewritten; there is nothing to choose", place=Place("keep"))
        ws.store.anchor(f"kept/{ws.clock.now():%Y%m%d-%H%M%S}", head if keep == "old" else admitted)
        ws.reader.now(take_in=False)
        merger = Merger(ws, head, admitted)
        commit, receipt = _join(ws, keep, merger, actor, reason)
        _move(ws, commit, head, merger.unreadable)
    ws.reader.now(take_in=False)
    ws.pages.mark()
    return Committed(receipt, commit)


def _join(ws: Workspace, keep: str, merger: Merger, actor: Actor, reason: str) -> tuple[str, Receipt]:
    old, new = merger.old, merger.new
    first, second = (old, new) if keep == "old" else (new, old)
    receipt = Receipt(
        operation=ws.fresh_operation(),
        command=f"history keep {keep}",
        actor=actor,
        origin=Origin.COMMAND,
        subject=f"revision {first[:10]}",
        goal="",
        request="",
        at=ws.clock.now(),
        result={"kept": first, "joined": second},
    )
    extra: dict[str, Any] = {"Admits": [commit.oid for commit in ws.store.history(new, old)]}
    changes: dict[str, bytes | None] = {}
    if keep == "new":
        changes = merger.changes(receipt)
        extra["Supersedes"] = merger.superseded()
    text = trailers.message(receipt, f"history: keep the {keep} tip {first[:10]}", reason, extra)
    author = ws.people.author_of(actor)
    [written] = ws.store.write(first, [Draft(changes, text, author, author, receipt.at, (second,))])
    return written.oid, receipt


def _move(ws: Workspace, commit: str, head: str, left: Collection[str]) -> None:
    """Publish ``commit`` over ``head`` and let files and index follow; files hold what ``head`` or a person wrote."""
    changes = ws.store.compare(head, commit)
    name = ws.ids.fresh("w")
    steps = tuple(_steps(ws, name, [each for each in changes if each.path not in left]))
    index = ws.store.lock_index({each.path: each.after for each in changes}, 5.0)
    write = Journal(name, head, commit, steps, index.inode, {each.path: each.after for each in changes})
    journals.write(ws.places, write)
    ws.store.publish(commit, head)
    finish(ws.store, ws.places, write, index, wait=ws.clock.wait)


def _steps(ws: Workspace, write: str, changes: list[PathChange]) -> list[Step]:
    steps: list[Step] = []
    ws.places.displaced.mkdir(parents=True, exist_ok=True)
    for number, each in enumerate(changes):
        target = ws.places.file(each.path)
        seen = target.read_bytes() if target.exists() else None
        if (None if seen is None else ws.store.hash(seen)) != each.before:
            continue  # a person's own edit is on top: it stays, and is judged by the next pass
        temp = ws.places.temp(each.path, write, number)
        if each.after is not None:
            ws.places.file(temp).parent.mkdir(parents=True, exist_ok=True)
            ws.places.file(temp).write_bytes(ws.store.read(each.after))
        steps.append(Step(each.path, temp, each.before, each.after))
    return steps
