"""``loopx check``: read every document, whatever the cache says, and tell everything that is wrong with its place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from loopx.documents import read, repairs
from loopx.errors import LoopxError, Place, Problem
from loopx.kernel.verdicts import HOPELESS, verdict
from loopx.kernel.watching import incomplete
from loopx.model.ids import ALPHABET
from loopx.model.kind import Kind
from loopx.model.layout import locate
from loopx.model.todo import TodoStatus
from loopx.workspace import edits, exclusion, naming, swap
from loopx.workspace.base import PREFIXES
from loopx.workspace.passes import Wish
from loopx.workspace.reports import CheckReport, Fix
from loopx.workspace.results import EditState
from loopx.workspace.strays import strays

if TYPE_CHECKING:
    from loopx.workspace.facade import Workspace

_KEEPS_FROM_WRITING = ("repository-busy", "history-rewritten", "workspace-version")
_KEEPS_FROM_LOOKING = ("lock-held", "disk-refused", "disk-full")
_QUIET = (EditState.SETTLING,)
_ID_IN_NAME = re.compile(rf"[tgp]-[{ALPHABET}]{{8}}(?=[-.])")


def check(ws: Workspace, *, fix: bool, confirm: Callable[[list[Fix]], bool] | None) -> CheckReport:
    """Everything wrong in the workspace. With ``fix``, sure repairs are made first, if ``confirm`` agrees to them."""
    unseen = _look(ws)
    fixes = _fixes(ws)
    fixed: list[str] = []
    if fix and fixes and (confirm is None or confirm(fixes)):
        fixed = [each.path for each in fixes if _repair(ws, each)]
        unseen = _look(ws)
        fixes = _fixes(ws)
    problems: list[Problem] = []
    warnings: list[Problem] = []
    for each in (*unseen, *_findings(ws)):
        (warnings if each.exit == 0 else problems).append(each)
    return CheckReport(ws.cache.count_documents(), tuple(problems), tuple(warnings), tuple(fixes), tuple(fixed))


def _look(ws: Workspace) -> list[Problem]:
    """A thorough pass; where none can be had, what is known so far is told, and why it is no more than that."""
    ws.reader.now(take_in=False)
    try:
        ws.run_pass(Wish(thorough=True), purpose="check")
    except LoopxError as error:
        if error.code in _KEEPS_FROM_WRITING:
            return [error.problem]
        if error.code in _KEEPS_FROM_LOOKING:
            return [Problem("edits-pending", f"edited files were not looked at: {error}", hint=error.problem.hint)]
        raise
    return []


def _findings(ws: Workspace) -> Iterator[Problem]:
    for edit in edits.pending(ws.cache):
        if edit.state not in _QUIET:
            yield from edit.problems
    yield from _duplicates(ws)
    yield from _names(ws)
    yield from naming.clashes(row.path for row in ws.cache.documents())
    yield from naming.shared(ws.places.root, (row.path for row in ws.cache.documents()))
    yield from _warnings_of_texts(ws)
    yield from _dead_ends(ws)
    yield from strays(ws.places.root)
    yield from _surroundings(ws)


def _duplicates(ws: Workspace) -> Iterator[Problem]:
    for kind, _, identity in ws.cache.duplicates():
        paths = [row.path for row in ws.cache.documents() if (row.kind, row.id) == (kind, identity)]
        for path in paths[1:]:
            yield Problem("id-duplicate", f"{path} and {paths[0]} have the same id {identity}", Place(path))


def _names(ws: Workspace) -> Iterator[Problem]:
    """File names that begin with the id of something else."""
    for row in ws.cache.documents():
        named = _ID_IN_NAME.match(row.path.rpartition("/")[2])
        if row.kind in PREFIXES and named and named[0] != row.id:
            yield Problem("document-name", f"{row.path} holds {row.id}, not {named[0]}", Place(row.path))


def _warnings_of_texts(ws: Workspace) -> Iterator[Problem]:
    """Misspelt keys, values cut short: what reading a committed document has to remark."""
    for row in ws.cache.documents():
        location = locate(row.path)
        if location is None or location.kind.is_forward_only:
            continue
        yield from read(row.path, ws.store.read(row.blob)).warnings


def _dead_ends(ws: Workspace) -> Iterator[Problem]:
    """Work that waits for something that can no longer come true, and monitors nobody can look at."""
    view = ws.reader.now(take_in=False)
    for todo in view.state.todos(statuses=[TodoStatus.OPEN, TodoStatus.BLOCKED, TodoStatus.DEFERRED]):
        row = ws.cache.entity(Kind.TODO.value, todo.id)
        path = row.path if row is not None else todo.id
        yield from (replace(each, place=Place(path)) for each in incomplete(todo))
        for reason in verdict(view.state, todo, None, view.at).reasons:
            if reason.code in HOPELESS:
                yield Problem("condition-dead", reason.message, Place(path), facts=reason.facts)


def _surroundings(ws: Workspace) -> Iterator[Problem]:
    """What in Git or in the project around could hide changes or let the workspace leak."""
    yield from exclusion.tracked(ws.places.project)
    for path in ws.store.hidden_paths():
        yield Problem("file-hidden", f"Git was told not to show changes of {path}", Place(path))
    try:
        ws.people.signature()
    except LoopxError as error:
        yield error.problem


def _fixes(ws: Workspace) -> list[Fix]:
    found: list[Fix] = []
    for edit in edits.pending(ws.cache):
        if edit.state is not EditState.UNREADABLE:
            continue
        before = _bytes(ws.places.file(edit.path))
        chain = repairs(edit.path, before)  # each builds on the one before
        if chain:
            about = "; ".join(each.about for each in chain)
            found.append(Fix(edit.path, chain[-1].code, about, _patch(edit.path, before, chain[-1].data)))
    return found


def _repair(ws: Workspace, fix: Fix) -> bool:
    """Make one repair: on what is there now, keeping a copy of it, by the same exchange as any edit in an editor."""
    file = ws.places.file(fix.path)
    before = _bytes(file)
    chain = repairs(fix.path, before)
    if not chain or read(fix.path, chain[-1].data).problems:
        return False
    ws.places.discarded.mkdir(parents=True, exist_ok=True)
    copy = ws.places.discarded / f"{ws.clock.now():%Y%m%dT%H%M%S}-{fix.path.replace('/', '%')[-180:]}"
    copy.write_bytes(before)
    fresh = file.with_name(f".{ws.ids.fresh('w')}.0.loopx-tmp")
    fresh.write_bytes(chain[-1].data)
    return swap.replace_if(fresh, file, before)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _patch(path: str, before: bytes, after: bytes) -> str:
    old = before.decode("utf-8", "replace").splitlines(keepends=True)
    new = after.decode("utf-8", "replace").splitlines(keepends=True)
    return "".join(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}"))
