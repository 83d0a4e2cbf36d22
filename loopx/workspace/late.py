"""Files that do not follow history yet, because the system would not let them be replaced just then.

Noted by the publisher, tried again first thing in every pass. Nothing a person typed is ever noted here: a file counts
only while it holds the very bytes that could not be replaced.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from stat import S_IMODE

from loopx.store.protocol import Store
from loopx.workspace import journal as journals
from loopx.workspace.journal import Journal, Step
from loopx.workspace.materialise import Ending, Wait, displaced_files, materialise
from loopx.workspace.places import Places


def noted(places: Places) -> Mapping[str, str]:
    """Path to the blob that is still on disk there."""
    try:
        found = json.loads(places.late.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def note(places: Places, steps: Iterable[Step]) -> None:
    """Note that these steps were refused by the system."""
    fresh = {step.path: step.before for step in steps if step.before is not None}
    if fresh:
        _write(places, {**noted(places), **fresh})


def retry(store: Store, places: Places, fresh: Callable[[], str], wait: Wait) -> list[str]:
    """Try every noted file again; what was done, in words."""
    waiting, accepted = noted(places), store.admitted()
    if not waiting or accepted is None:
        return []
    left: dict[str, str] = {}
    for path, blob in waiting.items():
        write = fresh()
        step = Step(path, places.temp(path, write, 0), blob, _blob(store, accepted, path))
        if not _follows(store, places, Journal(write, None, accepted, (step,), 0, {}), wait):
            left[path] = blob
    _write(places, left)
    return [f"{path} was brought up to date" for path in waiting.keys() - left.keys()]


def _blob(store: Store, commit: str, path: str) -> str | None:
    entry = store.find(commit, path)
    return None if entry is None else entry.oid


def _follows(store: Store, places: Places, write: Journal, wait: Wait) -> bool:
    """Whether nothing is left to do for the one file of ``write``, which is journalled like any other."""
    [step] = write.steps
    file = places.file(step.path)
    try:
        if store.hash(file.read_bytes()) != step.before or step.after == step.before:
            return True
    except OSError:
        return True
    if step.after is not None:
        places.file(step.temp).write_bytes(store.read(step.after))
        places.file(step.temp).chmod(S_IMODE(file.stat().st_mode))
    places.displaced.mkdir(exist_ok=True)
    journals.write(places, write)
    is_done = materialise(places, step, store.hash, wait) is not Ending.BLOCKED
    if any(displaced_files(places, write)):
        journals.keep_with_displaced(places, write)
    else:
        journals.drop(places)
    if not is_done:
        places.file(step.temp).unlink(missing_ok=True)
    return is_done


def _write(places: Places, waiting: Mapping[str, str]) -> None:
    if not waiting:
        places.late.unlink(missing_ok=True)
        return
    fresh = places.late.with_suffix(".new")
    fresh.write_text(json.dumps(waiting, ensure_ascii=False), encoding="utf-8")
    fresh.replace(places.late)
