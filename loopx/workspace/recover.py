"""Finishing or undoing what a killed pass left behind. Runs first in every pass; may itself be killed and run again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from loopx.errors import LoopxError
from loopx.store.protocol import Store
from loopx.workspace import journal as journals
from loopx.workspace.journal import Journal, Step
from loopx.workspace.materialise import Wait, resume
from loopx.workspace.places import Places
from loopx.workspace.publish import INDEX_WAIT_SECONDS, finish, forget


def recover(store: Store, places: Places, clear_locks: Callable[[int | None], list[str]], wait: Wait) -> list[str]:
    """Bring history, files and index back into agreement. What was done, in words, for the person."""
    write = journals.read(places)
    if write is None:
        journals.drop(places)  # one that cannot be read was never in force
        places.journal.with_suffix(".new").unlink(missing_ok=True)
        return []
    clear_locks(write.index_inode)
    head, admitted = store.head(), store.admitted()
    if admitted is not None and _is_in(store, write.commit, admitted):
        forget(places, write)  # all but this was done; what people did with Git since is judged by the pass
        return []
    if head is not None and has_happened(store, write):
        return _redo(store, places, write, head, wait)
    return _undo(store, places, write)


def has_happened(store: Store, write: Journal) -> bool:
    """Whether main holds what ``write`` was about to put there."""
    head = store.head()
    return head is not None and (_is_in(store, write.commit, head) or _is_reworded(store, write, head))


def sweep(places: Places, temps: list[str]) -> None:
    """Remove temp files no journal names: only the lock's holder makes them, and that is us now."""
    for path in temps:
        places.file(path).unlink(missing_ok=True)


def _is_in(store: Store, commit: str, head: str) -> bool:
    if commit == head:
        return True
    try:
        return store.is_ancestor(commit, head)
    except LoopxError:
        return False  # its objects never reached the disk


def _is_reworded(store: Store, write: Journal, head: str) -> bool:
    """Whether somebody amended the write's commit but not its files: it had become part of history all the same."""
    try:
        return bool(write.index) and not store.compare(write.commit, head)
    except LoopxError:
        return False


def _redo(store: Store, places: Places, write: Journal, head: str, wait: Wait) -> list[str]:
    """Main moved: make everything else follow.

    The index stays as it is once somebody has committed on top: Git could not have done so before it was in place.
    """
    places.displaced.mkdir(exist_ok=True)
    index = store.lock_index(write.index, INDEX_WAIT_SECONDS) if head == write.commit else None
    finish(store, places, write, index, wait=wait, carry_out=resume)
    return [f"a write that was interrupted after it had become part of history ({write.commit[:10]}) was finished"]


def _undo(store: Store, places: Places, write: Journal) -> list[str]:
    """Main did not move: nothing happened, so nothing of it may be left to be taken for an edit."""
    for step in write.steps:
        temp, target = places.file(step.temp), places.file(step.path)
        if step.after is not None:
            temp.unlink(missing_ok=True)
        if _holds(store, target, step.after) and step.after != step.before:
            _put_back(store, target, step)
    journals.drop(places)
    return ["a write that was interrupted before it became part of history was undone"]


def _holds(store: Store, target: Path, oid: str | None) -> bool:
    try:
        return oid is not None and store.hash(target.read_bytes()) == oid
    except (FileNotFoundError, IsADirectoryError):
        return False


def _put_back(store: Store, target: Path, step: Step) -> None:
    if step.before is None:
        target.unlink(missing_ok=True)
        return
    aside = target.parent / f".{target.name[:40]}.back.loopx-tmp"
    aside.write_bytes(store.read(step.before))
    os.replace(aside, target)
