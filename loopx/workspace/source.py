"""The kernel's look-ups, answered from the cache."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from loopx.model.entities import Entity
from loopx.model.kind import Kind
from loopx.model.times import format_instant, parse_instant
from loopx.model.todo import Todo, TodoClass, TodoStatus
from loopx.workspace.rows import entity_of, receipt_of_row

if TYPE_CHECKING:
    from datetime import datetime

    from loopx.kernel.outcome import Receipt
    from loopx.store.cache import Cache


UPKEEP = (
    *("evidence add", "evidence record", "lease renew", "todo archive"),
    *("proposal add", "proposal edit", "proposal delete", "proposal reject"),
)
"""Commands that change nothing about what a Goal calls for."""


class CacheSource:
    """A :class:`loopx.kernel.state.Source` over the cache, at the revision the cache stands for."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def get(self, kind: Kind, identity: str, goal: str = "") -> Entity | None:
        if kind is Kind.WORKSPACE:
            row = next(iter(self._cache.select(kind.value)), None)
        elif kind.is_per_goal and not goal:
            return None
        else:
            row = self._cache.entity(kind.value, identity, goal if kind.is_per_goal else "")
        return None if row is None else entity_of(kind, row.data)

    def select(self, kind: Kind, goal: str | None = None, statuses: Collection[str] | None = None) -> Iterator[Entity]:
        wanted = None if statuses is None else [str(each) for each in statuses]
        for row in self._cache.select(kind.value, goal, wanted):
            yield entity_of(kind, row.data)

    def open_todos_titled(self, goal: str, title_key: str) -> Iterator[Todo]:
        yield from _todos(self._cache.titled(goal, title_key))

    def dependants(self, todo: str) -> Iterator[str]:
        yield from self._cache.dependants(todo)

    def matching(self, kind: Kind, prefix: str) -> list[str]:
        return self._cache.matching(kind.value, prefix, 5)

    def within(self, kind: Kind, prefix: str) -> Iterator[Entity]:
        for row in self._cache.within(kind.value, prefix):
            yield entity_of(kind, row.data)

    def tally(self) -> Mapping[str, Mapping[TodoStatus, int]]:
        found: dict[str, dict[TodoStatus, int]] = {}
        for goal, counts in self._cache.tally().items():
            found[goal] = {TodoStatus(status): count for status, count in counts.items()}
        return found

    def plain_open(self) -> Mapping[str, int]:
        return self._cache.plain_open()

    def entangled(self, goal: str | None = None, claimed_by: str | None = None) -> Iterator[Todo]:
        yield from _todos(self._cache.entangled(goal, claimed_by))

    def frontier(self, goal: str | None = None, limit: int = 20) -> list[Todo]:
        return list(_todos(self._cache.frontier(goal, limit)))

    def open_of_class(self, goal: str, classes: Collection[TodoClass]) -> Iterator[Todo]:
        yield from _todos(self._cache.open_of_class(goal, [str(each) for each in classes]))

    def owned(self, kind: Kind, owner: str, goal: str | None = None) -> Iterator[Entity]:
        for row in self._cache.owned(kind.value, owner, goal):
            yield entity_of(kind, row.data)

    def latest(
        self,
        kind: Kind,
        goal: str | None = None,
        *,
        owner: str | None = None,
        since: datetime | None = None,
        limit: int | None = None,
    ) -> Iterator[Entity]:
        moment = None if since is None else format_instant(_whole_second(since))
        for row in self._cache.latest(kind.value, goal, owner=owner, since=moment, limit=limit):
            yield entity_of(kind, row.data)

    def spent(self, goal: str, since: datetime) -> Iterator[tuple[datetime, int]]:
        moment = format_instant(_whole_second(since))
        return ((parse_instant(at), slots) for at, slots in self._cache.spent(goal, moment))

    def referring(
        self, kind: Kind, identity: str, statuses: Collection[str] | None = None, limit: int | None = None
    ) -> Iterator[Entity]:
        wanted = None if statuses is None else [str(each) for each in statuses]
        for row in self._cache.referring(kind.value, identity, wanted, limit):
            yield entity_of(kind, row.data)

    def last_change(self, goal: str) -> datetime | None:
        at = self._cache.last_change(goal, UPKEEP)
        return None if at is None else parse_instant(at)

    def unreadable(self, goal: str | None = None) -> list[str]:
        return self._cache.unreadable(goal)

    def is_known_id(self, identity: str) -> bool:
        return self._cache.is_known(identity)

    def receipt(self, operation: str) -> Receipt | None:
        row = self._cache.operation(operation)
        return None if row is None else receipt_of_row(row)

    def receipts_after(self, operation: str, goal: str) -> Iterator[Receipt]:
        return map(receipt_of_row, self._cache.commits_following(operation, goal))


def _whole_second(at: datetime) -> datetime:
    """The first whole second that is not before ``at``: rows have their times to the second."""
    return at if at.microsecond == 0 else at + timedelta(microseconds=1_000_000 - at.microsecond)


def _todos(rows: Any) -> Iterator[Todo]:
    for row in rows:
        entity = entity_of(Kind.TODO, row.data)
        assert isinstance(entity, Todo)
        yield entity
