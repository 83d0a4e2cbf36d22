"""What one pass is making: a chain of commits on a base, not yet published, with the state that results from it.

The cache transaction of the pass *is* that state: accepted changes are applied to its rows at once, so that the next
decision of the same pass sees them, and thrown away together when the publish loses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from loopx.kernel.environment import UNKNOWN, Environment
from loopx.kernel.outcome import Receipt
from loopx.kernel.state import State
from loopx.model.clock import IdSource
from loopx.model.defining import dataclass
from loopx.model.entities import Entity, goal_of, identity
from loopx.store.protocol import Draft, Signature, Store
from loopx.workspace import trailers
from loopx.workspace.rows import row_of
from loopx.workspace.source import CacheSource

if TYPE_CHECKING:
    from loopx.store.cache import Cache


@dataclass(slots=True)
class Link:
    """One commit of the chain: what it changes and what it says."""

    receipt: Receipt
    headline: str
    body: str
    author: Signature
    changes: dict[str, bytes | None] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    extra_parents: tuple[str, ...] = ()

    def draft(self) -> Draft:
        text = trailers.message(self.receipt, self.headline, self.body, self.extra)
        return Draft(self.changes, text, self.author, self.author, self.receipt.at, self.extra_parents)


class Work:
    """The chain being made, and the view of the workspace at its tip."""

    def __init__(
        self,
        store: Store,
        cache: Cache,
        base: str | None,
        now: datetime,
        ids: IdSource,
        environment: Environment = UNKNOWN,
    ) -> None:
        self.store = store
        self.cache = cache
        self.base = base
        self.now = now
        self.ids = ids
        self.links: list[Link] = []
        self.contents: dict[str, bytes | None] = {}
        """Path to content at the tip, for every path the chain changes."""
        self.original: dict[str, str | None] = {}
        """Path to blob before the chain, for the same paths."""
        self.on_disk: dict[str, bytes | None] = {}
        """Path to what this pass read from disk, where that was not the last accepted version."""
        self.held: set[str] = set()
        """Paths whose file holds an edit that is not accepted: never replaced."""
        self.afterwards: list[Callable[[], None]] = []
        """What may be cleared away once the chain is published."""
        self.state = State(CacheSource(cache), environment)

    @contextmanager
    def undoable(self) -> Iterator[None]:
        """Whatever is done inside is undone when it raises: one refused request leaves the others alone."""
        before = (len(self.links), dict(self.contents), dict(self.original))
        with self.cache.savepoint():
            try:
                yield
            except BaseException:
                links, self.contents, self.original = before
                del self.links[links:]
                raise

    def fresh(self, prefix: str) -> str:
        """A new id that no document of any revision ever had."""
        while True:
            found = self.ids.fresh(prefix)
            if not self.cache.is_known(found):
                return found

    def content(self, path: str) -> bytes | None:
        """The content of ``path`` at the tip of the chain; ``None`` when there is none."""
        if path in self.contents:
            return self.contents[path]
        row = self.cache.entity_at(path)
        return None if row is None else self.store.read(row.blob)

    def path_of(self, kind: str, identity: str, goal: str = "") -> str | None:
        """Where the document lies now."""
        row = self.cache.entity(kind, identity, goal)
        return None if row is None else row.path

    def put(self, link: Link, path: str, content: bytes, entity: Entity) -> None:
        """``path`` holds ``content`` from ``link`` on."""
        self._touch(path)
        link.changes[path] = content
        self.contents[path] = content
        self.cache.put_entity(*row_of(entity, path, self.store.hash(content)))
        self.cache.add_known(identity(entity))
        self._tell(link, identity(entity), goal_of(entity))

    def drop(self, link: Link, path: str) -> None:
        """``path`` holds nothing from ``link`` on."""
        self._touch(path)
        row = self.cache.entity_at(path)
        if row is not None:
            self._tell(link, row.id, row.goal)
        link.changes[path] = None
        self.contents[path] = None
        self.cache.drop_path(path)

    def _tell(self, link: Link, *ids: str) -> None:
        """The audit trail finds this commit by these ids: of the document, and of its Goal."""
        link.ids.extend(each for each in ids if each and each not in link.ids)

    def _touch(self, path: str) -> None:
        if path not in self.original:
            row = self.cache.entity_at(path)
            self.original[path] = None if row is None else row.blob
