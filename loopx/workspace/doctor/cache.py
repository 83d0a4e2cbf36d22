"""Findings about the cache: every row against history read afresh, every kept count against what it counts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from loopx.workspace.doctor.anew import Anew
from loopx.workspace.doctor.findings import Difference, Finding, Surface

if TYPE_CHECKING:
    from loopx.store.cache.rows import EntityRow

_MOST = 20
"""Findings of one sort that are told one by one."""
_PLACE = "local/cache.sqlite"


def cache(anew: Anew) -> Iterator[Finding]:
    """Where the cache says something else than the history it stands for."""
    kept = anew.ws.cache
    fault = kept.fault()
    if fault is not None:
        yield _finding(f"The file is damaged: {fault}.", kind=Difference.READ_FAILED)
        return
    revision = kept.get_meta("revision")
    if not anew.is_kept:
        said = f"stands for {revision[:10]}" if revision else "is empty"
        why = f"The cache {said}, not for the last accepted revision."
        yield _finding(why, step="The next command brings it up to date.", is_fault=False)
        return
    yield from _bounded(_documents(anew), "documents")
    yield from _bounded(_unreadable(anew), "files that cannot be read")
    yield from _bounded(_operations(anew), "operations")
    yield from _counts(anew)
    yield from _names(anew)


def _documents(anew: Anew) -> Iterator[Finding]:
    kept = {row.path: row for row in anew.ws.cache.documents()}
    truth = {row.path: row for row in anew.cache.documents()}
    for path in sorted(kept.keys() | truth.keys()):
        ours, theirs = kept.get(path), truth.get(path)
        if ours != theirs:
            yield _finding(_said(path, ours, theirs), ids=_ids(ours, theirs))


def _said(path: str, kept: EntityRow | None, truth: EntityRow | None) -> str:
    if kept is None:
        return f"The cache does not know {path}."
    if truth is None:
        return f"The cache holds {path}, which no file of that revision is."
    wrong = [name for name, value in kept._asdict().items() if value != getattr(truth, name)]
    return f"The cache holds {path} with another {', '.join(wrong)} than is committed."


def _ids(*rows: EntityRow | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.id for row in rows if row is not None and row.id))


def _unreadable(anew: Anew) -> Iterator[Finding]:
    kept, truth = set(anew.ws.cache.unreadable()), set(anew.cache.unreadable())
    for path in sorted(kept ^ truth):
        said = "can be read" if path in kept else "cannot be read"
        yield _finding(f"The cache is wrong about {path}, which {said}.")


def _operations(anew: Anew) -> Iterator[Finding]:
    kept, truth = anew.ws.cache.told(), anew.cache.told()
    for oid in sorted(kept.keys() | truth.keys()):
        if kept.get(oid) != truth.get(oid):
            operation = str((truth.get(oid) or kept[oid])[0] or "a commit of plain Git")
            said = "does not know" if oid not in kept else "tells otherwise of" if oid in truth else "invents"
            why = f"The cache {said} {operation}, commit {oid[:10]}."
            yield _finding(why, ids=(operation,) if operation.startswith("op-") else ())
    if kept == truth and list(kept) != list(truth):
        yield _finding("The cache tells of commits in another order than they were accepted in.")


def _counts(anew: Anew) -> Iterator[Finding]:
    kept, truth = anew.ws.cache.tallies(), anew.cache.tallies()
    wrong = sorted({goal for goal, status, entangled in kept.keys() | truth.keys()
                    if kept.get((goal, status, entangled)) != truth.get((goal, status, entangled))})  # fmt: skip
    if wrong:
        yield _finding(f"The kept counts of Todos are wrong in {', '.join(wrong[:5])}.", ids=tuple(wrong))


def _names(anew: Anew) -> Iterator[Finding]:
    wrong = anew.ws.cache.naming() ^ anew.cache.naming()
    if wrong:
        path, _ = min(wrong)
        yield _finding(f"The cache is wrong about which ids {path} names.")
    forgotten = anew.cache.known_ids() - anew.ws.cache.known_ids()
    if forgotten:
        yield _finding(f"The cache forgot that {min(forgotten)} was used.", ids=tuple(sorted(forgotten)[:_MOST]))


def _bounded(found: Iterator[Finding], what: str) -> Iterator[Finding]:
    yield from islice(found, _MOST)
    rest: Collection[Finding] = list(found)
    if rest:
        ids = tuple(each for finding in rest for each in finding.ids)
        yield _finding(f"The cache is wrong about {len(rest)} more {what}.", ids=ids)


def _finding(
    why: str,
    *,
    kind: Difference = Difference.PAGE_STALE,
    step: str = "`loopx repair` makes it anew.",
    is_fault: bool = True,
    ids: tuple[str, ...] = (),
) -> Finding:
    return Finding(
        surface=Surface.CACHE,
        kind=kind,
        owner="the accepted history in .loopx/.git",
        place=_PLACE,
        why=why,
        next_step=step,
        is_fault=is_fault,
        ids=ids,
    )
