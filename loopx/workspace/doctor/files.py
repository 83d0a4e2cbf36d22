"""Findings about files on disk, and about what an interrupted write left lying around."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from loopx.documents import read
from loopx.errors import LoopxError
from loopx.model.defining import dataclass
from loopx.workspace import edits, late
from loopx.workspace import journal as journals
from loopx.workspace.doctor.anew import Anew
from loopx.workspace.doctor.findings import Difference, Finding, Surface
from loopx.workspace.results import EditState
from loopx.workspace.scan import Scan, Sighting

if TYPE_CHECKING:
    from loopx.workspace.journal import Journal
    from loopx.workspace.results import PendingEdit

_OWNER = "the last accepted version, in history"
_ANY_COMMAND = "The next command looks at it; `loopx edit list` then says what stands in the way, if anything does."


@dataclass(frozen=True, slots=True)
class _Scene:
    """What lies on disk, and what is known of it from elsewhere."""

    found: Scan
    waiting: dict[str, PendingEdit]
    journal: Journal | None
    late: dict[str, str]


def documents(anew: Anew) -> Iterator[Finding]:
    """Files that are not what was last accepted: edits that wait, refused, unreadable or gone."""
    scene = _scene(anew)
    for sighting in scene.found.changed:
        if anew.concerns(sighting.path) and not _is_explained(anew, scene, sighting):
            yield _changed(sighting, scene.waiting.get(sighting.path))
    for path in scene.found.absent:
        if anew.concerns(path) and not _is_explained(anew, scene, Sighting(path, None)):
            yield _absent(path, scene.waiting.get(path))
    for edit in scene.waiting.values():
        if edit.state is EditState.DISPLACED and anew.concerns(edit.path):
            yield _held(edit)


def leftovers(anew: Anew) -> Iterator[Finding]:
    """The journal of a write that did not end, its temp files, and files the system would not let be replaced."""
    places, scene = anew.ws.places, _scene(anew)
    if scene.journal is not None:
        yield _interrupted(anew, scene.journal)
    elif places.journal.exists():
        yield _left("local/journal.json", "A journal lies here that was never in force: it cannot be read.")
    for path in scene.found.temps if scene.journal is None else ():
        yield _left(path, f"{path} was left by a write that did not end; no journal names it.")
    for path in scene.late:
        yield Finding(
            surface=Surface.JOURNAL,
            kind=Difference.PAGE_STALE,
            owner=_OWNER,
            place=path,
            why=f"{path} is behind history: the system would not let it be replaced.",
            next_step="`loopx repair` tries again; look at the file's permissions if that does not help.",
        )


def _scene(anew: Anew) -> _Scene:
    waiting = {each.path: each for each in edits.pending(anew.ws.cache)}
    return _Scene(anew.on_disk, waiting, journals.read(anew.ws.places), dict(late.noted(anew.ws.places)))


def _is_explained(anew: Anew, scene: _Scene, sighting: Sighting) -> bool:
    """Whether something else that is told accounts for the file: a write in between, or a commit not judged yet."""
    blob = None if sighting.content is None else anew.ws.store.hash(sighting.content)
    steps = scene.journal.steps if scene.journal is not None else ()
    if any(step.path == sighting.path and blob in (step.before, step.after) for step in steps):
        return True
    if scene.late.get(sighting.path) == blob and blob is not None:
        return True
    if anew.head in (None, anew.target) or sighting.error or sighting.is_link:
        return False
    entry = anew.ws.store.find(str(anew.head), sighting.path)
    return blob == (None if entry is None else entry.oid)


def _changed(sighting: Sighting, edit: PendingEdit | None) -> Finding:
    if edit is not None and edit.problems:
        return _held(edit)
    if sighting.error:
        return _file(sighting.path, f"{sighting.path} cannot be read: {sighting.error}.", kind=Difference.READ_FAILED)
    if sighting.is_link or sighting.content is None:
        return _file(
            sighting.path, f"{sighting.path} is a symbolic link, not a file.", "Replace it with what it names."
        )
    problems = read(sighting.path, sighting.content).problems
    if problems:
        return _file(str(problems[0].place or sighting.path), problems[0].message, problems[0].hint)
    return _file(sighting.path, f"{sighting.path} was edited and not looked at yet.", is_fault=False)


def _absent(path: str, edit: PendingEdit | None) -> Finding:
    if edit is not None and edit.problems:
        return _held(edit)
    return _file(path, f"{path} is gone; it counts as deleted when it stays gone.", is_fault=False)


def _held(edit: PendingEdit) -> Finding:
    first = edit.problems[0]
    return _file(
        str(first.place or edit.path),
        first.message,
        first.hint,
        is_fault=any(each.exit != 0 for each in edit.problems),
    )


def _file(
    place: str,
    why: str,
    step: str = _ANY_COMMAND,
    *,
    kind: Difference = Difference.NOT_COMMITTED,
    is_fault: bool = True,
) -> Finding:
    return Finding(
        surface=Surface.FILES, kind=kind, owner=_OWNER, place=place, why=why, next_step=step, is_fault=is_fault
    )


def _interrupted(anew: Anew, write: Journal) -> Finding:
    operations = ", ".join(write.operations) or "housekeeping"
    if not _is_left_alone(anew):
        why = f"A write is going on just now ({operations})."
        step = "Look again when it has ended."
        return _left("local/journal.json", why, step=step, is_fault=False, ids=write.operations)
    if _is_in_history(anew, write):
        why = f"A write was interrupted after it had become part of history ({operations}): files are behind."
        return _left("local/journal.json", why, ids=write.operations)
    why = f"A write was interrupted before it became part of history ({operations}): it did not happen."
    return _left("local/journal.json", why, kind=Difference.NOT_COMMITTED, ids=write.operations)


def _is_left_alone(anew: Anew) -> bool:
    """Whether nobody is writing: whoever wrote the journal would hold the lock."""
    try:
        with anew.ws.store.lock(0.0, "doctor"):
            return True
    except LoopxError as error:
        return error.code != "lock-held"


def _is_in_history(anew: Anew, write: Journal) -> bool:
    try:
        return anew.head is not None and (
            write.commit == anew.head or anew.ws.store.is_ancestor(write.commit, anew.head)
        )
    except LoopxError:
        return False  # its objects never reached the disk


def _left(
    place: str,
    why: str,
    *,
    kind: Difference = Difference.PAGE_STALE,
    step: str = "`loopx repair`, or any command that writes, finishes or undoes it.",
    is_fault: bool = True,
    ids: tuple[str, ...] = (),
) -> Finding:
    return Finding(
        surface=Surface.JOURNAL,
        kind=kind,
        owner="history: a write is part of it or did not happen",
        place=place,
        why=why,
        next_step=step,
        is_fault=is_fault,
        ids=ids,
    )
