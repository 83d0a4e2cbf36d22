"""A state with changes on it that nobody committed: what a command made of several sees between one part and the next.

:class:`Overlay` answers like the source below it, but for what the changes touch. :func:`merged` makes one change of
each document out of all those asked for, so that the commit says of each what it ends up as.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, islice
from typing import TYPE_CHECKING

from loopx.kernel.apply import Key, key_of, updated
from loopx.kernel.memory import MemorySource, spends
from loopx.kernel.outcome import Archive, Change, Create, Delete, Record, Update
from loopx.kernel.relations import frontier_order
from loopx.kernel.source import Source
from loopx.kernel.state import State
from loopx.model.entities import Entity, goal_of, identity, kind_of
from loopx.model.kind import Kind
from loopx.model.todo import Todo, TodoClass, TodoStatus

if TYPE_CHECKING:
    from loopx.kernel.outcome import Receipt

_MORE = 5


class Overlay:
    """A :class:`loopx.kernel.state.Source` over another, with changes applied. Neither is ever altered."""

    def __init__(self, below: Source, changes: Sequence[Change]) -> None:
        self._below = below
        self._now: dict[Key, Entity | None] = {}
        for change in changes:
            self._apply(change)
        self._made = MemorySource(each for each in self._now.values() if each is not None)

    def get(self, kind: Kind, identity: str, goal: str = "") -> Entity | None:
        key = key_of(kind, goal, identity)
        return self._now[key] if key in self._now else self._below.get(kind, identity, goal)

    def select(self, kind: Kind, goal: str | None = None, statuses: Collection[str] | None = None) -> Iterator[Entity]:
        return self._by_identity(self._below.select(kind, goal, statuses), self._made.select(kind, goal, statuses))

    def open_todos_titled(self, goal: str, title_key: str) -> Iterator[Todo]:
        return _todos(self._by_identity(*self._both(lambda each: each.open_todos_titled(goal, title_key))))

    def dependants(self, todo: str) -> Iterator[str]:
        kept = (each for each in self._below.dependants(todo) if key_of(Kind.TODO, "", each) not in self._now)
        return iter(sorted({*kept, *self._made.dependants(todo)}))

    def matching(self, kind: Kind, prefix: str) -> list[str]:
        gone = {key[2] for key, each in self._now.items() if key[0] is kind and each is None}
        found = {*self._below.matching(kind, prefix), *self._made.matching(kind, prefix)}
        return sorted(found - gone)[:_MORE]

    def within(self, kind: Kind, prefix: str) -> Iterator[Entity]:
        return self._by_identity(*self._both(lambda each: each.within(kind, prefix)))

    def tally(self) -> Mapping[str, Mapping[TodoStatus, int]]:
        found = {goal: Counter(counts) for goal, counts in self._below.tally().items()}
        for sign, todo in self._todos_changed():
            found.setdefault(todo.goal, Counter())[todo.status] += sign
        real = {goal: {status: count for status, count in each.items() if count} for goal, each in found.items()}
        return {goal: counts for goal, counts in real.items() if counts}

    def plain_open(self) -> Mapping[str, int]:
        found = Counter(self._below.plain_open())
        for sign, todo in self._todos_changed():
            found[todo.goal] += sign * MemorySource([todo]).plain_open().get(todo.goal, 0)
        return {goal: count for goal, count in found.items() if count}

    def entangled(self, goal: str | None = None, claimed_by: str | None = None) -> Iterator[Todo]:
        return _todos(self._by_identity(*self._both(lambda each: each.entangled(goal, claimed_by))))

    def frontier(self, goal: str | None = None, limit: int = 20) -> list[Todo]:
        # As many more are looked at as could be hidden by changes.
        below = _todos(self._kept(self._below.frontier(goal, limit + len(self._now))))
        return sorted((*below, *self._made.frontier(goal, limit)), key=frontier_order)[:limit]

    def open_of_class(self, goal: str, classes: Collection[TodoClass]) -> Iterator[Todo]:
        return _todos(self._by_identity(*self._both(lambda each: each.open_of_class(goal, classes))))

    def owned(self, kind: Kind, owner: str, goal: str | None = None) -> Iterator[Entity]:
        return self._by_identity(*self._both(lambda each: each.owned(kind, owner, goal)))

    def latest(
        self,
        kind: Kind,
        goal: str | None = None,
        *,
        owner: str | None = None,
        since: datetime | None = None,
        limit: int | None = None,
    ) -> Iterator[Entity]:
        more = None if limit is None else limit + len(self._now)
        below = self._kept(self._below.latest(kind, goal, owner=owner, since=since, limit=more))
        made = self._made.latest(kind, goal, owner=owner, since=since)
        return MemorySource(chain(below, made)).latest(kind, limit=limit)

    def spent(self, goal: str, since: datetime) -> Iterator[tuple[datetime, int]]:
        return spends(self.latest(Kind.TURN, goal, since=since))

    def referring(
        self, kind: Kind, identity: str, statuses: Collection[str] | None = None, limit: int | None = None
    ) -> Iterator[Entity]:
        more = None if limit is None else limit + len(self._now)
        found = self._both(lambda each: each.referring(kind, identity, statuses, more))
        return islice(self._by_identity(*found), limit)

    def last_change(self, goal: str) -> datetime | None:
        return self._below.last_change(goal)

    def unreadable(self, goal: str | None = None) -> list[str]:
        return self._below.unreadable(goal)

    def is_known_id(self, identity: str) -> bool:
        return self._made.is_known_id(identity) or self._below.is_known_id(identity)

    def receipt(self, operation: str) -> Receipt | None:
        return self._below.receipt(operation)

    def receipts_after(self, operation: str, goal: str) -> Iterator[Receipt]:
        return self._below.receipts_after(operation, goal)

    def _apply(self, change: Change) -> None:
        match change:
            case Create(entity) | Record(entity):
                self._now[_key(entity)] = entity
            case Update(kind, goal, identity):
                before = self.get(kind, identity, goal)
                if before is None:
                    raise KeyError((kind, goal, identity))
                self._now[key_of(kind, goal, identity)] = updated(before, change)
            case Delete(kind, goal, identity):
                self._now[key_of(kind, goal, identity)] = None
            case Archive():
                pass

    def _both(self, ask: Callable[[Source], Iterator[Entity]]) -> tuple[Iterator[Entity], Iterator[Entity]]:
        return ask(self._below), ask(self._made)

    def _kept(self, below: Iterable[Entity]) -> Iterator[Entity]:
        return (each for each in below if _key(each) not in self._now)

    def _by_identity(self, below: Iterator[Entity], made: Iterator[Entity]) -> Iterator[Entity]:
        return iter(sorted((*self._kept(below), *made), key=lambda each: (identity(each), goal_of(each))))

    def _todos_changed(self) -> Iterator[tuple[int, Todo]]:
        """Every Todo the changes touch: as it was, to be taken away (-1), and as it is, to be added (+1)."""
        for (kind, goal, name), after in self._now.items():
            if kind is Kind.TODO:
                before = self._below.get(kind, name, goal)
                yield from ((-1, before),) if isinstance(before, Todo) else ()
                yield from ((1, after),) if isinstance(after, Todo) else ()


def overlaid(state: State, changes: Sequence[Change]) -> State:
    """``state`` as it would be with ``changes``."""
    return State(Overlay(state.source, changes), state.environment) if changes else state


def merged(changes: Sequence[Change]) -> tuple[Change, ...]:
    """``changes`` with one for each document: updates of one document become one, or part of its making."""
    found: dict[Key | int, Change] = {}
    for number, change in enumerate(changes):
        key = number if isinstance(change, Archive) else _key_of_change(change)
        found[key] = _together(found.get(key), change)
    return tuple(found.values())


def _together(before: Change | None, change: Change) -> Change:
    match before, change:
        case Update(), Update():
            return Update(change.kind, change.goal, change.id, {**before.fields, **change.fields})
        case ((Create() | Record()), Update()):
            return type(before)(updated(before.entity, change))
        case Create(), Record():
            return Create(change.entity)
        case _:
            return change


def _key_of_change(change: Change) -> Key:
    if isinstance(change, (Create, Record)):
        return _key(change.entity)
    return key_of(change.kind, change.goal, change.id)


def _key(entity: Entity) -> Key:
    return key_of(kind_of(entity), goal_of(entity), identity(entity))


def _todos(entities: Iterable[Entity]) -> Iterator[Todo]:
    return (each for each in entities if isinstance(each, Todo))
