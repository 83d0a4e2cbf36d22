"""Files that do not follow history yet, because the system would not let them be replaced just then.

Noted by the publisher, tried again first thing in every pass. Nothing a person typed is ever noted here: a file counts
only while it holds the very bytes that could not be replaced.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from loopx.store.protocol import Store
from loopx.workspace.journal import Step
from loopx.workspace.materialise import Ending, Wait, materialise
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
    waiting, head = noted(places), store.head()
    if not waiting or head is None:
        return []
    left = {path: blob for path, blob in waiting.items() if not _follows(store, places, head, path, blob, fresh(), wait)}
    _write(places, left)
    return [f"{path} was brought up to date" for path in waiting.keys() - left.keys()]


def _follows(store: Store, places: Places, head: str, path: str, blob: str, write: str, wait: Wait) -> bool:
    """Whether nothing is left to do for ``path``."""
    file, entry = places.file(path), store.find(head, path)
    try:
        if store.hash(file.read_bytes()) != blob or (entry is not None and entry.oid == blob):
            return True
    except OSError:
        return True
    step = Step(path, places.temp(path, write, 0), blob, None if entry is None else entry.oid)
    if entry is not None:
        places.file(step.temp).write_bytes(store.read(entry.oid))
        places.file(step.temp).chmod(file.stat().st_mode & 0o7777)
    places.displaced.mkdir(parents=True, exist_ok=True)
    is_done = materialise(places, step, store.hash, wait) is not Ending.BLOCKED
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
