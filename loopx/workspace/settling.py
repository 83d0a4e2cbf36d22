"""Settling edits that wait for a person: ``loopx edit accept`` and ``loopx edit discard``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from loopx.errors import LoopxError, Place
from loopx.model.actor import Actor
from loopx.workspace import edits, swap
from loopx.workspace.history import log
from loopx.workspace.passes import Wish
from loopx.workspace.results import Committed, EditState, PendingEdit
from loopx.workspace.rows import receipt_of_row

if TYPE_CHECKING:
    from loopx.workspace.facade import Workspace


def accept(ws: Workspace, path: str, *, actor: Actor) -> Committed:
    """Judge the edit of ``path`` now, with the person's word for what would otherwise wait.

    Raises ``actor-not-permitted`` for an agent, ``edit-unknown``, or the problem that still stands in the way.
    """
    _require_human(actor)
    edit = _edit(ws, path)
    wish = Wish(confirmed=frozenset({edit.path}), accepted_by=actor, is_hurried=True)
    report = ws.run_pass(wish, purpose=f"edit accept {path}")
    left = {each.path: each for each in edits.pending(ws.cache)}.get(edit.path)
    if left is not None and left.problems:
        raise LoopxError.of(left.problems[0])
    newest = log(ws.cache, limit=1)[0]
    row = ws.cache.commit_at(report.revision or newest.revision)
    assert row is not None
    return Committed(receipt_of_row(row), row.oid, warnings=tuple(report.notices))


def discard(ws: Workspace, path: str, *, actor: Actor) -> str:
    """Put the accepted version back in place of the edit; what was typed is kept. Returns where."""
    _require_human(actor)
    edit = _edit(ws, path)
    with ws.store.lock(ws.policies().lock_timeout_seconds, f"edit discard {path}"):
        ws.places.discarded.mkdir(parents=True, exist_ok=True)
        kept = _free_name(ws, edit.path)
        if edit.state is EditState.DISPLACED:
            os.rename(ws.places.file(edit.path), kept)
        else:
            _put_accepted(ws, edit.path, kept)
        ws.cache.begin()
        ws.cache.drop_pending(edit.path)
        ws.cache.drop_absence(edit.path)
        ws.cache.touch_folder(edit.path)
        ws.cache.commit()
    return str(kept.relative_to(ws.places.root)) if kept.exists() else ""


def _require_human(actor: Actor) -> None:
    if not actor.is_human:
        raise LoopxError("actor-not-permitted", f"{actor} may not settle a person's edit", facts={"actor": str(actor)})


def _edit(ws: Workspace, path: str) -> PendingEdit:
    ws.reader.now(take_in=True)
    wanted = _relative(ws, path)
    for each in edits.pending(ws.cache):
        if each.path == wanted:
            return each
    raise LoopxError("edit-unknown", f"{path} holds no edit that waits", place=Place(path))


def _relative(ws: Workspace, path: str) -> str:
    """``path`` below the workspace, however it was spelled."""
    if (ws.places.root / path).exists() or (not os.path.isabs(path) and not Path(path).exists()):
        return path.removeprefix(".loopx/")
    full = Path(path).resolve()
    return full.relative_to(ws.places.root).as_posix() if full.is_relative_to(ws.places.root) else path


def _free_name(ws: Workspace, path: str) -> Path:
    """Where what was typed is kept, under ``local/discarded/``."""
    stamp = f"{ws.clock.now():%Y%m%dT%H%M%S}"
    name = path.replace("/", "%")[-180:]
    found, number = ws.places.discarded / f"{stamp}-{name}", 0
    while found.exists():
        number += 1
        found = ws.places.discarded / f"{stamp}-{number}-{name}"
    return found


def _put_accepted(ws: Workspace, path: str, kept: Path) -> None:
    """The accepted version takes the place of what was typed, which moves to ``kept``: nothing is overwritten."""
    row = ws.cache.entity_at(path)
    target = ws.places.file(path)
    if row is None:
        os.rename(target, kept)
        return
    temp = ws.places.file(ws.places.temp(path, ws.ids.fresh("w"), 0))
    temp.parent.mkdir(parents=True, exist_ok=True)
    temp.write_bytes(ws.store.read(row.blob))
    if not target.exists():
        swap.move_new(temp, target)
    elif swap.exchange(temp, target):
        os.rename(temp, kept)
    else:
        swap.replace_keeping(temp, target, kept)
