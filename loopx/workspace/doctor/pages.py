"""Findings about pages: every byte against a fresh render, and the copies of the schemas."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from loopx.projections import links
from loopx.workspace.doctor.anew import Anew
from loopx.workspace.doctor.findings import Difference, Finding, Surface
from loopx.workspace.pages import is_rendering, made
from loopx.workspace.rendered import Rendered, digest, last

_OWNER = "the accepted history in .loopx/.git"


def pages(anew: Anew) -> Iterator[Finding]:
    """Pages that are not what a render would write now."""
    places = anew.ws.places
    if places.pages_dirty.exists() or (places.render_lock.exists() and is_rendering(places.render_lock)):
        why = "The pages are marked as behind; a process in the background renders them."
        yield _finding(links.FOLDER, why, "Look again in a moment, or run `loopx status --render`.", is_fault=False)
        return
    before = last(places)
    if before is None and not places.status.exists():
        yield _finding(links.FOLDER, "No page was rendered yet.", "`loopx status --render` does.", is_fault=False)
        return
    fresh = made(anew.cache, anew.view, places)
    for path, text in fresh.items():
        found = _bytes(places.status / path)
        if found != text.encode():
            yield _differing(anew, path, found, before)
    for path in sorted(_pages_of_goals(places.status) - fresh.keys()):
        yield _finding(f"{links.FOLDER}/{path}", f"{path} is the page of no Goal there is.")


def schemas(anew: Anew) -> Iterator[Finding]:
    """The copies of the schemas that editors read, where another version of LoopX made them."""
    if not anew.ws.pages.are_schemas_fresh():
        yield Finding(
            surface=Surface.SCHEMAS,
            kind=Difference.MIGRATION_DIFFERENCE,
            owner="the LoopX that is installed",
            place="local/schemas",
            why="The copies of the file schemas are not those of the LoopX that is installed.",
            next_step="`loopx repair` writes them anew; editors then check files by the right ones.",
        )


def _differing(anew: Anew, path: str, found: bytes | None, before: Rendered | None) -> Finding:
    place = f"{links.FOLDER}/{path}"
    written = before.pages.get(path) if before is not None else None
    if found is None:
        return _finding(place, f"{path} is not there.")
    if before is None or written is None:
        return _finding(place, f"{path} is not what the last accepted revision says.")
    if digest(found) != written:
        return _finding(place, f"{path} was changed after it was rendered; what is typed into a page is not kept.")
    if before.revision == anew.target:
        why = f"{path} is as it was rendered; what depends on the time or on the project's files reads otherwise now."
        return _finding(place, why, "`loopx status --render` shows it.", is_fault=False)
    made_of = (before.revision or "nothing")[:10]
    return _finding(place, f"{path} was made from {made_of} and nothing marked it as behind.")


def _pages_of_goals(folder: Path) -> set[str]:
    return {each.relative_to(folder).as_posix() for each in folder.glob("goals/*.md")}


def _bytes(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def _finding(place: str, why: str, step: str = "`loopx repair` renders it anew.", *, is_fault: bool = True) -> Finding:
    return Finding(
        surface=Surface.PAGES,
        kind=Difference.PAGE_STALE,
        owner=_OWNER,
        place=place,
        why=why,
        next_step=step,
        is_fault=is_fault,
    )
