"""Which Todo comes first for one actor, and why the others wait: own claim, then unclaimed; priority, then age.

The frontier is read in steps, so that a Goal with many Todos costs no more than it takes to find the first runnable
one. Every verdict is worked out once a decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from loopx.kernel.lease_standing import LeaseBook
from loopx.kernel.state import State, frontier_order
from loopx.kernel.uncertainty import EffectBook
from loopx.kernel.verdicts import Reason, ReasonCode, verdict
from loopx.model.todo import Todo, TodoClass, TodoStatus

if TYPE_CHECKING:
    from datetime import datetime

    from loopx.kernel.standing import GateBook
    from loopx.model.actor import Actor
    from loopx.model.goal import Goal

_FIRST, _WIDER = 16, 4
"""How many Todos of the frontier are read at first, and how many times as many the next time."""


class Candidate(NamedTuple):
    """A Todo the actor may work on now. ``needs_resume``: what it waited for has come, and it is still put aside."""

    todo: Todo
    is_own: bool
    needs_resume: bool = False


class Stuck(NamedTuple):
    """A Todo that is not closed and that the actor may not work on, with every reason."""

    todo: Todo
    reasons: tuple[Reason, ...]

    @property
    def codes(self) -> frozenset[ReasonCode]:
        return frozenset(each.code for each in self.reasons)


class Work:
    """The work of one Goal in the eyes of one actor."""

    def __init__(
        self,
        state: State,
        goal: Goal,
        actor: Actor,
        name: str,
        now: datetime,
        in_other_hands: frozenset[str] = frozenset(),
        watches_only: bool = False,
    ) -> None:
        self.state, self.goal, self.actor, self.name, self.now = state, goal, actor, name, now
        self.in_other_hands, self.watches_only = in_other_hands, watches_only
        self._reasons: dict[str, tuple[Reason, ...]] = {}
        self._every_open: list[Todo] | None = None

    @cached_property
    def gates(self) -> GateBook:
        from loopx.kernel.standing import GateBook  # most Todos require no decision

        return GateBook(self.state, self.now)

    @cached_property
    def effects(self) -> EffectBook:
        return EffectBook(self.state)

    @cached_property
    def leases(self) -> LeaseBook:
        return LeaseBook(self.state, self.now)

    @cached_property
    def best(self) -> Candidate | None:
        """The Todo that comes first; ``None`` where there is none, or the actor only watches."""
        if self.watches_only:
            return None
        own = [found for each in self._claimed() if (found := self._candidate(each)) is not None]
        if own:
            return min(own, key=_order)
        every = [each for each in (self._first(), *self._awake()) if each is not None]
        return min(every, key=_order, default=None)

    @cached_property
    def stuck(self) -> tuple[Stuck, ...]:
        """Todos that are not closed and not for the actor now, monitors apart; in order of the frontier."""
        blocked = self.state.todos(self.goal.id, (TodoStatus.BLOCKED,))
        every = sorted((*self._opened(), *self.put_aside, *blocked), key=frontier_order)
        work = (each for each in every if each.todo_class is not TodoClass.MONITOR)
        return tuple(Stuck(each, reasons) for each in work if (reasons := self.reasons(each)))

    @cached_property
    def put_aside(self) -> tuple[Todo, ...]:
        """Deferred Todos of any class."""
        return tuple(self.state.todos(self.goal.id, (TodoStatus.DEFERRED,)))

    def reasons(self, todo: Todo) -> tuple[Reason, ...]:
        """Why the actor may not work on ``todo`` now; empty where it may."""
        if todo.id not in self._reasons:
            gates = self.gates if todo.requires else None
            found = verdict(self.state, todo, self.actor, self.now, gates, self.effects, self.leases)
            self._reasons[todo.id] = found.reasons
        return self._reasons[todo.id]

    def _claimed(self) -> Iterator[Todo]:
        yield from self.state.entangled(self.goal.id, self.name)
        yield from (each for each in self.put_aside if each.claimed_by == self.name)

    def _awake(self) -> Iterator[Candidate | None]:
        """Deferred Todos whose condition has come true."""
        return (self._candidate(each) for each in self.put_aside)

    def _first(self) -> Candidate | None:
        """The first runnable Todo of the frontier."""
        seen, limit = 0, _FIRST
        while True:
            found = self.state.frontier(self.goal.id, limit)
            for each in found[seen:]:
                candidate = self._candidate(each)
                if candidate is not None:
                    return candidate
            if len(found) < limit:
                self._every_open = found
                return None
            seen, limit = len(found), limit * _WIDER

    def _opened(self) -> Iterable[Todo]:
        """Every open Todo: as they were read to find that none is runnable, else from the state."""
        if self._every_open is not None:
            return self._every_open
        return self.state.todos(self.goal.id, (TodoStatus.OPEN,))

    def _candidate(self, todo: Todo) -> Candidate | None:
        is_put_aside = todo.status is TodoStatus.DEFERRED
        if todo.id in self.in_other_hands or (is_put_aside and not self._is_awake(todo)):
            return None
        left = {each.code for each in self.reasons(todo)} - {ReasonCode.TODO_DEFERRED}
        return None if left else Candidate(todo, todo.claimed_by == self.name, needs_resume=is_put_aside)

    def _is_awake(self, todo: Todo) -> bool:
        from loopx.kernel.conditions import Wake, waking  # only deferred work waits for a condition

        return waking(self.state, todo, self.now).wake is Wake.MET


def _order(candidate: Candidate) -> tuple[str, str, str]:
    return frontier_order(candidate.todo)
