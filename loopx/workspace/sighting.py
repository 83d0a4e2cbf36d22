"""Looking at the working files of one workspace: the scan, with what the cache remembers and what a watcher saw."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from loopx.model.clock import Clock
from loopx.model.defining import dataclass
from loopx.store.protocol import Store
from loopx.workspace.places import Places
from loopx.workspace.scan import Accepted, Scan, scan, without

if TYPE_CHECKING:
    from loopx.store.cache import Cache


class Watch(Protocol):
    """Somebody who is told by the system which folders change; long-lived processes have one."""

    def changed_folders(self) -> Collection[str] | None:
        """Folders with events since the last call; ``None`` when events were lost and everything must be looked at."""
        ...


@dataclass(slots=True)
class Desk:
    """The working files of one workspace."""

    places: Places
    store: Store
    cache: Cache
    clock: Clock
    watch: Watch | None = None
    _is_first: bool = True
    _partial: tuple[str | None, dict[str, bytes]] = (None, {})
    """What the last scan says of the clean files in folders that were not clean, and of which revision."""
    _open: set[str] = field(default_factory=set)
    """Folders a watch named that were not seen clean since: told of once, they are looked at until they are."""

    def scan(self, *, thorough: bool = False) -> Scan:
        """What differs from the revision the cache stands for. With a watch only folders it named are read."""
        only: Collection[str] | None = None
        if self.watch is not None and not thorough:
            changed = self.watch.changed_folders()
            if changed is not None:
                self._open.update(changed)
            self._is_first = self._is_first or changed is None
            only = None if self._is_first else self._with_unsettled()
        known = self.cache.folders() if only is None else self._rows(only)
        revision = self.cache.get_meta("revision")
        if only is not None and self._partial[0] == revision:
            known |= {each: row for each, row in self._partial[1].items() if not known.get(each) and each in only}
        found = scan(
            self.places.root,
            known,
            Accepted(self.cache.blobs_in, self.store.hash),
            int(self.clock.now().timestamp() * 1e9),
            thorough=thorough,
            only=only,
        )
        self._is_first = False
        self._partial = revision, found.partial
        self._open.clear()
        self._open.update(folder for folder, row in found.rows.items() if not row)
        return found

    def _rows(self, folders: Collection[str]) -> dict[str, bytes]:
        """The rows of these folders, as far as there are any."""
        found = ((each, self.cache.folder(each)) for each in folders)
        return {each: row for each, row in found if row is not None}

    def _with_unsettled(self) -> set[str]:
        """Also look at folders that were not clean when they were seen last."""
        return {*self._open, *self.cache.unclean_folders()}


def stale_rows(cache: Cache, found: Scan, touched: set[str]) -> dict[str, bytes]:
    """The folder rows to record after a pass: as scanned, but every file the pass touched is looked at again."""
    rows = dict(found.rows)
    names: dict[str, set[str]] = {}
    for path in touched:
        folder, _, name = path.rpartition("/")
        names.setdefault(folder, set()).add(name)
    for folder, untrusted in names.items():
        row = rows[folder] if folder in rows else cache.folder(folder)
        rows[folder] = without(row or b"", untrusted)
    return rows
