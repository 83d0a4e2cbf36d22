"""What the new tip of a rewritten history lacks of the old one: facts that only move forward, and what they cover.

Called when a person keeps the new tip. Reads both tips and the cache, which stands for the old one; changes neither.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from loopx.documents import read
from loopx.kernel.outcome import Receipt
from loopx.model.defining import dataclass
from loopx.model.entities import goal_of, identity, kind_of
from loopx.model.kind import Kind
from loopx.model.layout import locate
from loopx.store.protocol import Commit, PathChange
from loopx.workspace.marking import mark_records
from loopx.workspace.rows import entity_of
from loopx.workspace.work import Link, Work

if TYPE_CHECKING:
    from loopx.workspace.facade import Workspace


@dataclass
class Merger:
    """The two tips of a rewritten history."""

    ws: Workspace
    new: str
    old: str

    def changes(self, receipt: Receipt) -> dict[str, bytes | None]:
        """What the commit that keeps the new tip changes in it: path to content, ``None`` for no file."""
        store = self.ws.store
        kept = {each.path: store.read(each.after) for each in self._records if each.after is not None}
        unreadable = {
            each.path: None if each.after is None else store.read(each.after)
            for each in self._documents
            if each.path in self.unreadable
        }
        return {**kept, **unreadable, **self._marked(receipt)}

    def superseded(self) -> list[str]:
        """Operations whose documents the new tip takes back."""
        paths = {each.path for each in self._taken_back}
        rows = ((commit, self.ws.cache.commit_at(commit.oid)) for commit in self._dropped)
        return [
            row.operation
            for commit, row in rows
            if row is not None and row.operation and any(each.path in paths for each in commit.changes)
        ]

    @cached_property
    def unreadable(self) -> frozenset[str]:
        """Documents of the new tip that cannot be read: the old version of each goes on, its file stays as typed."""
        return frozenset(each.path for each in self._documents if self._is_bad(each))

    @cached_property
    def _differing(self) -> list[PathChange]:
        """``before`` is what the new tip holds, ``after`` what the old one does."""
        return [each for each in self.ws.store.compare(self.new, self.old) if locate(each.path) is not None]

    @property
    def _records(self) -> list[PathChange]:
        return [each for each in self._differing if _is_record(each.path)]

    @property
    def _documents(self) -> list[PathChange]:
        return [each for each in self._differing if not _is_record(each.path)]

    def _is_bad(self, change: PathChange) -> bool:
        if change.before is None:
            return False
        return read(change.path, self.ws.store.read(change.before)).entity is None

    @cached_property
    def _taken_back(self) -> list[PathChange]:
        """Documents that are gone, are an older version again, or have another status."""
        return [each for each in self._documents if each.path not in self.unreadable and self._goes_back(each)]

    def _goes_back(self, change: PathChange) -> bool:
        if change.before is None or self.ws.cache.has_version(change.path, change.before):
            return True
        row = self.ws.cache.entity_at(change.path)
        now = read(change.path, self.ws.store.read(change.before)).entity
        return row is not None and row.status != getattr(now, "status", None)

    @cached_property
    def _dropped(self) -> list[Commit]:
        """Commits of the old tip that the new one does not contain, newest first."""
        store = self.ws.store
        found: list[Commit] = []
        for commit in store.history(self.old, changes=True):
            if store.is_ancestor(commit.oid, self.new):
                break
            found.append(commit)
        return found

    def _marked(self, receipt: Receipt) -> dict[str, bytes | None]:
        """The records of what was taken back, marked: entries the new tip does not know cover nothing any more."""
        if not self._dropped:
            return {}
        oldest = self._dropped[-1]
        target = oldest.parents[0] if oldest.parents else oldest.oid
        ws, cache = self.ws, self.ws.cache
        work = Work(ws.store, cache, self.old, receipt.at, ws.ids, ws.environment())
        link = Link(receipt, "", "", ws.people.author_of(receipt.actor))
        touched: list[tuple[Kind, str, str]] = []
        for each in self._taken_back:
            row = cache.entity_at(each.path)
            if row is not None:
                entity = entity_of(Kind(row.kind), row.data)
                touched.append((kind_of(entity), identity(entity), goal_of(entity)))
        cache.begin()
        try:
            mark_records(work, link, touched, target, receipt.operation)
        finally:
            cache.rollback()
        return dict(link.changes)


def _is_record(path: str) -> bool:
    location = locate(path)
    return location is not None and location.kind.is_forward_only
