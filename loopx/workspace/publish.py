"""Publishing a chain: from objects nobody names to history, files and index that agree.

The order is the promise written down in ``docs/explanation/writing-safely.md``; every boundary is a named crash point.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from stat import S_IWUSR

from loopx.errors import LoopxError, Place, Problem
from loopx.model.defining import dataclass
from loopx.store.disk import flush_folders
from loopx.store.protocol import IndexLock, Store, Written
from loopx.workspace import journal as journals
from loopx.workspace import late
from loopx.workspace.crashpoints import reach
from loopx.workspace.journal import Journal, Step
from loopx.workspace.materialise import Digest, Ending, Wait, displaced_files, materialise
from loopx.workspace.places import Places
from loopx.workspace.staged import keep_staged
from loopx.workspace.temps import write_temps
from loopx.workspace.unknown import lost
from loopx.workspace.work import Work

INDEX_WAIT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Published:
    """The commits of a chain, oldest first, and the paths whose files were left to their authors."""

    commits: tuple[Written, ...]
    left: tuple[str, ...]
    notices: tuple[Problem, ...] = ()


def publish(
    work: Work,
    places: Places,
    *,
    durable: bool,
    run_hook: Callable[[], None],
    wait: Wait,
    index_wait: float = INDEX_WAIT_SECONDS,
) -> Published:
    """Publish ``work``'s chain. Raises ``head-moved`` when main is elsewhere; nothing has changed then."""
    run_hook()
    steps, contents = _plan(work, places)
    written = work.store.write(work.base, [link.draft() for link in work.links])
    reach("objects-written")
    index: IndexLock | None = None
    try:
        places.displaced.mkdir(exist_ok=True)
        write_temps(places, steps, contents, durable=durable)
        reach("temps-written")
        entries = _index_entries(written)
        index = work.store.lock_index(entries, index_wait)
        notices = tuple(keep_staged(work, places, index.replaced))
        reach("index-prepared")
        write = Journal(
            _write_id(steps), work.base, written[-1].oid, tuple(steps), index.inode, entries,
            tuple(link.receipt.operation for link in work.links),
        )  # fmt: skip
        journals.write(places, write, durable=durable)
        reach("journal-written")
        work.store.publish(written[-1].oid, work.base)
    except LoopxError as error:
        # Git may have lost its voice after it moved main: where main is decides, not what was heard.
        if index is None or _main(work.store, error) != written[-1].oid:
            _give_up(places, steps, index)
            raise
    reach("published")
    try:
        left = finish(work.store, places, write, index, wait=wait, durable=durable)
    except (LoopxError, OSError) as error:
        raise unfinished(error) from error
    return Published(tuple(written), tuple(left), notices)


def unfinished(error: LoopxError | OSError) -> LoopxError:
    """The error of a write that is part of history, but that ``error`` kept from being carried through."""
    facts = error.problem.facts if isinstance(error, LoopxError) else {}
    cause = {**facts, "cause": getattr(error, "code", "file-failed")}
    return lost(f"The change is part of history, but the write could not be finished: {_sentence(error)}", cause)


def _main(store: Store, error: LoopxError) -> str | None:
    """Where main is after a move that failed with ``error``; raises ``outcome-unknown`` when that cannot be read."""
    try:
        return store.head()
    except (LoopxError, OSError) as second:
        cause = {"cause": error.code}
        raise lost(f"Main could not be moved, nor read afterwards: {_sentence(second)}", cause) from second


def _sentence(error: LoopxError | OSError) -> str:
    return f"{str(error).rstrip('.')}."


def finish(
    store: Store,
    places: Places,
    write: Journal,
    index: IndexLock | None,
    *,
    durable: bool = True,
    wait: Wait,
    carry_out: Callable[[Places, Step, Digest, Wait], Ending] = materialise,
) -> list[str]:
    """Everything after the move of main; recovery calls it with :func:`resume`. The paths left as typed."""
    endings: dict[Step, Ending] = {}
    for step in write.steps:
        endings[step] = carry_out(places, step, store.hash, wait)
        reach("materialised")
    late.note(places, [step for step, ending in endings.items() if ending is Ending.BLOCKED])
    if durable:
        # A folder may be gone by now: somebody removed it, or undid with Git what was written into it.
        folders = {places.file(step.path).parent for step in write.steps}
        flush_folders(sorted(str(each) for each in folders if each.is_dir()))
    if index is not None:
        index.commit()
    reach("index-placed")
    store.admit(write.commit)
    reach("admitted")
    forget(places, write)
    reach("forgotten")
    return [step.path for step, ending in endings.items() if ending is not Ending.PLACED]


def forget(places: Places, write: Journal) -> None:
    """Drop the journal; while displaced files of it wait for their second look it is kept beside them."""
    if any(displaced_files(places, write)):
        journals.keep_with_displaced(places, write)
    else:
        journals.drop(places)


def _plan(work: Work, places: Places) -> tuple[list[Step], list[bytes | None]]:
    """What must happen to which file, with the new contents. Raises ``file-read-only`` before anything is written."""
    steps: list[Step] = []
    contents: list[bytes | None] = []
    write = work.ids.fresh("w")
    typed: list[bytes] = []
    for path, after in work.contents.items():
        if path in work.held:
            continue
        before, after_oid = _before(work, path), None if after is None else work.store.hash(after)
        if before == after_oid:
            continue
        seen = work.on_disk.get(path)
        if seen is not None:
            typed.append(seen)
        _refuse_read_only(places.file(path), path, before)
        steps.append(Step(path, places.temp(path, write, len(steps)), before, after_oid))
        contents.append(after)
    if typed:
        work.store.keep(typed)
    return steps, contents


def _before(work: Work, path: str) -> str | None:
    """The blob of what is on disk at ``path``: what this pass read there, else the version before the chain."""
    if path in work.on_disk:
        seen = work.on_disk[path]
        return None if seen is None else work.store.hash(seen)
    return work.original[path]


def _refuse_read_only(file: Path, path: str, before: str | None) -> None:
    if before is None:
        return
    try:
        mode = os.stat(file).st_mode
    except FileNotFoundError:
        return
    if not mode & S_IWUSR:
        raise LoopxError("file-read-only", f"{path} is write-protected and would have to change", place=Place(path))


def _index_entries(written: list[Written]) -> dict[str, str | None]:
    entries: dict[str, str | None] = {}
    for each in written:
        entries.update(each.blobs)
    return entries


def _give_up(places: Places, steps: list[Step], index: IndexLock | None) -> None:
    journals.drop(places)
    if index is not None:
        index.abandon()
    for step in steps:
        if step.after is not None:
            places.file(step.temp).unlink(missing_ok=True)


def _write_id(steps: list[Step]) -> str:
    """The id temp files carry; a write that changes no file needs none."""
    return steps[0].temp.rpartition("/")[2].split(".")[1] if steps else "w-none"
