"""Findings about Git's index, and bringing its lines back to main without losing what a person staged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.workspace import journal as journals
from loopx.workspace.doctor.anew import Anew
from loopx.workspace.doctor.findings import Difference, Finding, Surface
from loopx.workspace.publish import INDEX_WAIT_SECONDS

if TYPE_CHECKING:
    from loopx.store.protocol import PathChange

_MOST = 20


def index(anew: Anew) -> Iterator[Finding]:
    """Lines of the index that are behind main; what a person staged is theirs and is only mentioned."""
    if anew.head is None:
        return
    stale, staged = _sorted(anew)
    for each in stale[:_MOST]:
        yield _finding(each.path, f"The index holds {_held(each)} of {each.path}, not what main holds.")
    if len(stale) > _MOST:
        yield _finding(".git/index", f"The index is behind main in {len(stale) - _MOST} more files.")
    for each in staged[:_MOST]:
        why = f"{each.path} was staged with Git and is not committed."
        step = "Commit it with Git or unstage it; LoopX leaves it as it is."
        yield _finding(each.path, why, kind=Difference.NOT_COMMITTED, step=step, is_fault=False)


def refresh(anew: Anew) -> list[str]:
    """Bring the lines that are behind back to main. Called with the workspace's lock held; what was done, in words."""
    try:
        stale, _ = _sorted(anew)
        changes = {each.path: each.before for each in stale}
    except LoopxError as error:
        if error.code not in ("repository-broken", "git-failed"):
            raise
        changes = {}  # it cannot be read at all: the store builds it anew from main
    anew.ws.store.lock_index(changes, INDEX_WAIT_SECONDS).commit()
    return [f"Git's index follows main again ({len(changes) or 'all'} lines)"]


def _sorted(anew: Anew) -> tuple[list[PathChange], list[PathChange]]:
    """Lines that are behind, and lines a person staged: contents that no version of that file ever had."""
    write = journals.read(anew.ws.places)
    on_its_way = write.index if write is not None else {}  # whoever finishes that write brings the index along
    stale: list[PathChange] = []
    staged: list[PathChange] = []
    for each in anew.ws.store.index_differences():
        if each.path in on_its_way:
            continue
        is_old = each.after is None or anew.cache.has_version(each.path, each.after)
        (stale if is_old else staged).append(each)
    return stale, staged


def _held(change: PathChange) -> str:
    return "no version" if change.after is None else "an older version"


def _finding(
    place: str,
    why: str,
    *,
    kind: Difference = Difference.PAGE_STALE,
    step: str = "`loopx repair` brings it back to main.",
    is_fault: bool = True,
) -> Finding:
    return Finding(
        surface=Surface.INDEX,
        kind=kind,
        owner="main (refs/heads/main)",
        place=place,
        why=why,
        next_step=step,
        is_fault=is_fault,
    )
