"""Where a workspace under test keeps its history: in Git, as always, or in memory, which costs a fraction.

Everything else is the real thing in both: files, journal, lock, cache, passes, recovery.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from loopx.store.memory import MemoryStore
from loopx.store.protocol import Draft, Store
from loopx.workspace import Workspace
from loopx.workspace.discovery import Found
from tests.support.ids import FixedIds
from tests.support.lab import ENVIRONMENT, ShiftedClock
from tests.support.project import Project

if TYPE_CHECKING:
    from loopx.store.git.repository import GitStore

Open = Callable[[], Workspace]
"""Opens the workspace as a process of its own would. Ids can be foretold, so the same steps always lead to the same
place."""


def in_git(project: Project, clock: ShiftedClock) -> Open:
    """A new workspace whose history is Git's."""
    ids = FixedIds()
    Workspace.create(project.root, title="Machine", environ=ENVIRONMENT, clock=clock, ids=ids).close()
    return lambda: Workspace.find(project.root, environ=ENVIRONMENT, clock=clock, ids=ids)


def in_memory(project: Project, clock: ShiftedClock) -> Open:
    """A new workspace whose history outlives every process opened here, and nothing else."""
    ids = FixedIds()
    made = Workspace.create(project.root, title="Machine", environ=ENVIRONMENT, clock=clock, ids=ids)
    store = MemoryStore(clock=clock)
    _copy_first_commit(made.store, store)
    made.close()
    found = Found(Path(made.places.root), "folder", ())
    made.places.cache.unlink()
    return lambda: _Remembered(found, store, clock, ids)


class _Remembered(Workspace):
    """A workspace over a memory store. There are no lock files of Git to clear."""

    def __init__(self, found: Found, store: MemoryStore, clock: ShiftedClock, ids: FixedIds) -> None:
        self._memory = store
        super().__init__(found, environ=ENVIRONMENT, clock=clock, ids=ids)

    def _open_store(self, *, run_hooks: bool) -> GitStore:
        return cast("GitStore", self._memory)

    def clear_locks(self, ours: int | None) -> list[str]:
        return []


def _copy_first_commit(source: Store, target: MemoryStore) -> None:
    head = source.head()
    assert head is not None
    [first] = source.history(head)
    changes = {each.path: source.read(each.oid) for each in source.listing(head)}
    draft = Draft(dict(changes), first.message, first.author, first.author, first.committed_at)
    [written] = target.write(None, [draft])
    target.publish(written.oid, None)
    target.admit(written.oid)
