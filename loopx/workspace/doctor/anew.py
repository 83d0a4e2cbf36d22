"""The accepted history, read from Git alone: what every derived surface is compared with.

It is kept in memory and made by the very code that fills the cache, so a difference is never one of method.
"""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from loopx.kernel.state import State
from loopx.model.defining import dataclass
from loopx.store.cache import Cache
from loopx.workspace.admitted import admitted_or_known
from loopx.workspace.catchup import catch_up
from loopx.workspace.results import View
from loopx.workspace.scan import Accepted, Scan, scan
from loopx.workspace.source import CacheSource

if TYPE_CHECKING:
    from loopx.workspace.opened import OpenWorkspace


@dataclass
class Anew:
    """One workspace with its accepted history read afresh. Close it after use."""

    ws: OpenWorkspace
    now: datetime
    head: str | None
    target: str | None
    """The revision read: the last accepted one, or the one asked for."""
    is_past: bool = False
    goal: str | None = None
    """The Goal looked at alone."""

    @classmethod
    def of(cls, ws: OpenWorkspace, goal: str | None, at: str | None) -> Anew:
        """What is to be read; nothing is read yet. Raises ``revision-unknown``."""
        target = admitted_or_known(ws.store) if at is None else ws.store.resolve(at)
        return cls(ws, ws.clock.now(), ws.store.head(), target, at is not None, goal)

    @cached_property
    def cache(self) -> Cache:
        """The revision as rows, with the edits that wait as the workspace knows them."""
        fresh = Cache(None)
        fresh.begin()
        if self.target is not None:
            catch_up(fresh, self.ws.store, self.target)
        if not self.is_past:
            for row in self.ws.cache.pending():
                fresh.put_pending(row)
        fresh.commit()
        return fresh

    @cached_property
    def state(self) -> State:
        return State(CacheSource(self.cache), self.ws.reader.environment())

    @cached_property
    def on_disk(self) -> Scan:
        """The files on disk against the revision, every one read: no note of the cache is trusted."""
        listed: dict[str, dict[str, str]] = {}
        for entry in self.ws.store.listing(self.target) if self.target is not None else ():
            folder, _, name = entry.path.rpartition("/")
            listed.setdefault(folder, {})[name] = entry.oid
        accepted = Accepted(lambda folder: listed.get(folder, {}), self.ws.store.hash)
        moment = int(self.now.timestamp() * 1e9)
        return scan(self.ws.places.root, dict.fromkeys(listed, b""), accepted, moment, thorough=True)

    @property
    def view(self) -> View:
        return View(self.state, self.target, self.now, is_past=self.is_past)

    @property
    def is_kept(self) -> bool:
        """Whether the workspace's own cache stands for the revision that was read."""
        return self.target is not None and self.ws.cache.get_meta("revision") == self.target

    def concerns(self, path: str) -> bool:
        """Whether a path is of the Goal looked at."""
        return self.goal is None or path.startswith(f"goals/{self.goal}/")

    def close(self) -> None:
        if "cache" in self.__dict__:
            self.cache.close()
