"""A :class:`loopx.kernel.source.Source` over entities held in memory: for tests, past revisions and scratch states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import dropwhile, islice
from typing import TYPE_CHECKING

from loopx.kernel.relations import frontier_order, happened_at, is_entangled, named_by, owner_of
from loopx.model.entities import goal_of, identity, kind_of
from loopx.model.ids import normalised_title
from loopx.model.kind import Kind
from loopx.model.todo import Todo, TodoClass, TodoStatus

if TYPE_CHECKING:
    from datetime import datetime

    from loopx.kernel.outcome import Receipt
    from loopx.model.entities import Entity


class MemorySource:
    """A :class:`Source` over entities held in memory."""

    def __init__(
        self,
        entities: Iterable[Entity] = (),
        receipts: Iterable[Receipt] = (),
        known_ids: Iterable[str] = (),
        *,
        changed_at: Mapping[str, datetime] | None = None,
        unreadable: Iterable[str] = (),
    ) -> None:
        self._changed_at = changed_at or {}
        self._unreadable = sorted(unreadable)
        self._entities: dict[tuple[Kind, str, str], Entity] = {}
        for each in entities:
            self._entities[_key(kind_of(each), identity(each), goal_of(each))] = each
        self._receipts = {each.operation: each for each in receipts}
        self._known = {identity(each) for each in self._entities.values()} | set(known_ids)

    def get(self, kind: Kind, identity: str, goal: str = "") -> Entity | None:
        return self._entities.get(_key(kind, identity, goal))

    def select(self, kind: Kind, goal: str | None = None, statuses: Collection[str] | None = None) -> Iterator[Entity]:
        for key in sorted(self._entities):
            each = self._entities[key]
            if key[0] is not kind or (goal is not None and goal_of(each) != goal):
                continue
            if statuses is None or getattr(each, "status", None) in statuses:
                yield each

    def open_todos_titled(self, goal: str, title_key: str) -> Iterator[Todo]:
        for each in self.select(Kind.TODO, goal):
            if isinstance(each, Todo) and not each.status.is_closed and normalised_title(each.title) == title_key:
                yield each

    def dependants(self, todo: str) -> Iterator[str]:
        for each in self.select(Kind.TODO):
            if isinstance(each, Todo) and todo in named_by(each):
                yield each.id

    def matching(self, kind: Kind, prefix: str) -> list[str]:
        found = (identity(each) for each in self.select(kind) if identity(each).startswith(prefix))
        return list(islice(dict.fromkeys(found), 5))

    def within(self, kind: Kind, prefix: str) -> Iterator[Entity]:
        return (each for each in self.select(kind) if identity(each).startswith(prefix))

    def tally(self) -> Mapping[str, Mapping[TodoStatus, int]]:
        found: dict[str, Counter[TodoStatus]] = {}
        for each in self._todos():
            found.setdefault(each.goal, Counter())[each.status] += 1
        return found

    def plain_open(self) -> Mapping[str, int]:
        return Counter(each.goal for each in self._todos() if each.status is TodoStatus.OPEN and not is_entangled(each))

    def entangled(self, goal: str | None = None, claimed_by: str | None = None) -> Iterator[Todo]:
        found = (each for each in self._todos(goal) if each.status is TodoStatus.OPEN and is_entangled(each))
        return (each for each in found if claimed_by is None or each.claimed_by == claimed_by)

    def frontier(self, goal: str | None = None, limit: int = 20) -> list[Todo]:
        ready = (each for each in self._todos(goal) if each.status is TodoStatus.OPEN)
        return sorted(ready, key=frontier_order)[:limit]

    def _todos(self, goal: str | None = None) -> Iterator[Todo]:
        return (each for each in self.select(Kind.TODO, goal) if isinstance(each, Todo))

    def open_of_class(self, goal: str, classes: Collection[TodoClass]) -> Iterator[Todo]:
        ready = (each for each in self._todos(goal) if each.status is TodoStatus.OPEN)
        return (each for each in ready if each.todo_class in classes)

    def owned(self, kind: Kind, owner: str, goal: str | None = None) -> Iterator[Entity]:
        return (each for each in self.select(kind, goal) if owner_of(each) == owner)

    def latest(
        self,
        kind: Kind,
        goal: str | None = None,
        *,
        owner: str | None = None,
        since: datetime | None = None,
        limit: int | None = None,
    ) -> Iterator[Entity]:
        found = [each for each in self.select(kind, goal) if owner is None or owner_of(each) == owner]
        dated = [(at, identity(each), each) for each in found if (at := happened_at(each)) is not None]
        wanted = [each for each in dated if since is None or each[0] >= since]
        wanted.sort(key=lambda each: each[:2], reverse=True)
        return (each for _, _, each in wanted[:limit])

    def spent(self, goal: str, since: datetime) -> Iterator[tuple[datetime, int]]:
        return spends(self.latest(Kind.TURN, goal, since=since))

    def referring(
        self, kind: Kind, identity: str, statuses: Collection[str] | None = None, limit: int | None = None
    ) -> Iterator[Entity]:
        return islice((each for each in self.select(kind, None, statuses) if identity in named_by(each)), limit)

    def last_change(self, goal: str) -> datetime | None:
        return self._changed_at.get(goal)

    def unreadable(self, goal: str | None = None) -> list[str]:
        return [each for each in self._unreadable if goal is None or each.startswith(f"goals/{goal}/")]

    def is_known_id(self, identity: str) -> bool:
        return identity in self._known

    def receipt(self, operation: str) -> Receipt | None:
        return self._receipts.get(operation)

    def receipts_after(self, operation: str, goal: str) -> Iterator[Receipt]:
        if operation not in self._receipts:
            return iter(())
        later = islice(dropwhile(lambda each: each.operation != operation, self._receipts.values()), 1, None)
        return (each for each in later if each.goal == goal)


def spends(turns: Iterable[Entity]) -> Iterator[tuple[datetime, int]]:
    """When ``turns`` spent slots, and how many, in their order; without what was taken back."""
    for each in turns:
        spend = each.spend  # type: ignore[union-attr]
        if spend is not None and spend.voided_at is None and spend.slots > 0:
            yield spend.at, spend.slots


def _key(kind: Kind, identity: str, goal: str) -> tuple[Kind, str, str]:
    return (kind, "" if kind is Kind.WORKSPACE else identity, goal if kind.is_per_goal else "")
