"""What a person had staged in a file that LoopX now writes: Git's index forgets it, so a copy is kept.

Only a text that is nowhere else counts: not on disk, not in history. Called by the publisher with the index prepared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loopx.errors import LoopxError, Place, Problem
from loopx.workspace.places import Places
from loopx.workspace.work import Work


def keep_staged(work: Work, places: Places, replaced: Mapping[str, str]) -> Iterator[Problem]:
    """Keep what the prepared index no longer holds (``replaced``: path to blob); a notice for each copy made."""
    for path, blob in replaced.items():
        if _is_elsewhere(work, path, blob):
            continue
        try:
            content = work.store.read(blob)
        except LoopxError:
            continue  # staged by name only, or its object is gone
        if not content:
            continue
        kept = places.discarded / f"staged-{blob[:10]}-{path.replace('/', '%')[-160:]}"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(content)
        where = kept.relative_to(places.root).as_posix()
        message = f"what was staged of {path} is neither on disk nor in history and is kept in {where}"
        yield Problem("staged-replaced", message, Place(path), facts={"kept": where})


def _is_elsewhere(work: Work, path: str, blob: str) -> bool:
    typed = work.on_disk.get(path)
    if blob == work.original.get(path) or (typed is not None and work.store.hash(typed) == blob):
        return True
    base = None if work.base is None else work.store.find(work.base, path)
    return (base is not None and base.oid == blob) or work.cache.has_version(path, blob)
