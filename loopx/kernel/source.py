"""The little a state must be able to look up: the workspace answers it from its cache, tests from memory.

Nothing here changes while it is used. What the words mean (who owns an entity, when it happened, what it names) stands
in :mod:`loopx.kernel.relations`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from loopx.kernel.outcome import Receipt
    from loopx.model.entities import Entity
    from loopx.model.kind import Kind
    from loopx.model.todo import Todo, TodoClass, TodoStatus


class Source(Protocol):
    """Look-ups at one revision."""

    def get(self, kind: Kind, identity: str, goal: str = "") -> Entity | None:
        """The entity of that identity; ``goal`` is needed for Visions and criteria only."""
        ...

    def select(self, kind: Kind, goal: str | None = None, statuses: Collection[str] | None = None) -> Iterator[Entity]:
        """Entities of a kind, narrowed by Goal and by status value, in order of identity."""
        ...

    def open_todos_titled(self, goal: str, title_key: str) -> Iterator[Todo]:
        """Todos of ``goal`` that are not closed and whose normalised title is ``title_key``."""
        ...

    def dependants(self, todo: str) -> Iterator[str]:
        """Ids of Todos that depend on, wait for, supersede or are superseded by ``todo``."""
        ...

    def matching(self, kind: Kind, prefix: str) -> list[str]:
        """Identities of ``kind`` that start with ``prefix``, at most a handful: to resolve what a person typed."""
        ...

    def within(self, kind: Kind, prefix: str) -> Iterator[Entity]:
        """Entities of ``kind`` whose identity starts with ``prefix``, in order of identity: what is one run's."""
        ...

    def tally(self) -> Mapping[str, Mapping[TodoStatus, int]]:
        """How many Todos each Goal has by status. Costs nothing that grows with the number of Todos in Python."""
        ...

    def plain_open(self) -> Mapping[str, int]:
        """Open Todos by Goal of which :func:`is_entangled` is false: runnable if their Goal is active."""
        ...

    def entangled(self, goal: str | None = None, claimed_by: str | None = None) -> Iterator[Todo]:
        """Open Todos of which :func:`is_entangled` is true: each needs a verdict of its own. ``claimed_by`` narrows
        them to those one holder claims on paper."""
        ...

    def frontier(self, goal: str | None = None, limit: int = 20) -> list[Todo]:
        """The first open Todos by priority, then age (created_at, id), entangled or not."""
        ...

    def open_of_class(self, goal: str, classes: Collection[TodoClass]) -> Iterator[Todo]:
        """Open Todos of these classes, in order of id. Costs as much as it gives."""
        ...

    def owned(self, kind: Kind, owner: str, goal: str | None = None) -> Iterator[Entity]:
        """Entities of a kind that belong to ``owner`` (:func:`owner_of`), in order of identity."""
        ...

    def latest(
        self,
        kind: Kind,
        goal: str | None = None,
        *,
        owner: str | None = None,
        since: datetime | None = None,
        limit: int | None = None,
    ) -> Iterator[Entity]:
        """Entities of a kind, newest first (:func:`happened_at`); costs as much as it gives, however many there are."""
        ...

    def spent(self, goal: str, since: datetime) -> Iterator[tuple[datetime, int]]:
        """When Turns of ``goal`` that ended at or after ``since`` spent slots, and how many, newest first; without what
        was taken back."""
        ...

    def referring(
        self, kind: Kind, identity: str, statuses: Collection[str] | None = None, limit: int | None = None
    ) -> Iterator[Entity]:
        """Entities of ``kind`` that name ``identity`` (:func:`named_by`), narrowed by status, in order of identity."""
        ...

    def last_change(self, goal: str) -> datetime | None:
        """When the newest commit that could change what ``goal`` calls for was made."""
        ...

    def unreadable(self, goal: str | None = None) -> list[str]:
        """Paths of committed documents that cannot be read, of one Goal or all."""
        ...

    def is_known_id(self, identity: str) -> bool:
        """Whether any document of any revision ever had this id."""
        ...

    def receipt(self, operation: str) -> Receipt | None:
        """The receipt of a committed operation."""
        ...

    def receipts_after(self, operation: str, goal: str) -> Iterator[Receipt]:
        """Receipts of commands about ``goal`` committed after ``operation``, oldest first; none if that is unknown."""
        ...


class Remembering:
    """A :class:`Source` that keeps what it looked up by identity. It lives as long as one decision takes."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._known: dict[tuple[Kind, str, str], Entity | None] = {}

    def get(self, kind: Kind, identity: str, goal: str = "") -> Entity | None:
        key = (kind, identity, goal)
        if key not in self._known:
            self._known[key] = self.source.get(kind, identity, goal)
        return self._known[key]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)
