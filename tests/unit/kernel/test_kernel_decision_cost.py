"""What a decision asks of the state: a few documents, however many there are, and none of other Goals' work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from loopx.kernel.decision.deciding import next_action
from loopx.kernel.decision.record import Decision, Mode
from loopx.kernel.state import MemorySource, State
from loopx.model.entities import goal_of, kind_of
from loopx.model.goal import GoalPolicies
from loopx.model.kind import Kind
from loopx.model.todo import Priority, TodoStatus
from tests.support.kernel import BOT, criterion, gate, goal, todo
from tests.unit.kernel.deciding import AGENTS, BOTH, beta, hours, settled, work


class Counting(MemorySource):
    """Counts what it hands out, by kind and Goal."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.given: Counter[tuple[Kind, str]] = Counter()

    def of(self, kind: Kind, goal: str = "beta") -> int:
        return self.given[(kind, goal)]

    def get(self, *asked: Any, **how: Any) -> Any:
        return self._one(super().get(*asked, **how))

    def select(self, *asked: Any, **how: Any) -> Iterator[Any]:
        # What the other questions of this source are answered from is not handed out.
        return super().select(*asked, **how)

    def frontier(self, *asked: Any, **how: Any) -> Any:
        return list(self._all(super().frontier(*asked, **how)))

    def latest(self, *asked: Any, **how: Any) -> Iterator[Any]:
        return self._all(super().latest(*asked, **how))

    def entangled(self, *asked: Any, **how: Any) -> Iterator[Any]:
        return self._all(super().entangled(*asked, **how))

    def referring(self, *asked: Any, **how: Any) -> Iterator[Any]:
        return self._all(super().referring(*asked, **how))

    def _all(self, found: Any) -> Iterator[Any]:
        return (self._one(each) for each in found)

    def _one(self, entity: Any) -> Any:
        if entity is not None:
            self.given[(kind_of(entity), goal_of(entity))] += 1
        return entity


def asked(*entities: Any) -> tuple[Decision, Counting]:
    source = Counting([AGENTS, *entities])
    found = next_action(State(source), "beta", BOT, hours(1))
    assert isinstance(found, Decision)
    return found, source


UNLIMITED = GoalPolicies(replan_above_open_todos=0)
PLAIN = [work(f"t-w{number:05}x") for number in range(500)]


def test_of_500_todos_a_few_are_looked_at() -> None:
    found, source = asked(beta(policies=UNLIMITED), *PLAIN, *(gate(f"g-g{number:05}x") for number in range(20)))
    assert found.mode is Mode.DELIVER
    assert source.of(Kind.TODO) <= 60
    assert source.of(Kind.GOAL) == 1


def test_the_frontier_is_read_no_further_than_to_the_first_runnable_todo() -> None:
    held = [work(f"t-h{number:05}x", priority=Priority.P0, claimed_by="rex") for number in range(40)]
    found, source = asked(beta(policies=UNLIMITED), *PLAIN, *held)
    assert found.mode is Mode.DELIVER
    assert source.of(Kind.TODO) <= 200


def test_the_work_of_other_goals_is_never_looked_at() -> None:
    others = [goal(f"goal-{number}", agents=BOTH, acceptance=(criterion(),)) for number in range(20)]
    elsewhere = [todo(f"t-e{number:05}x", goal=f"goal-{number % 20}", acceptance=("a1",)) for number in range(200)]
    _, source = asked(beta(), work(), *others, *elsewhere)
    assert {of for (_, of), count in source.given.items() if count} <= {"", "beta"}


@pytest.mark.parametrize("outcome", ["outcome_progress", "outcome_gap", "surface_only"])
def test_a_long_history_is_not_read(outcome: str) -> None:
    counts = []
    for length in (100, 2000):
        past = [settled(number, hours(-number), outcome) for number in range(30, length)]
        _, source = asked(beta(), work(), *past)
        counts.append(source.of(Kind.TURN))
    assert counts[0] == counts[1] <= 250


def test_finished_work_is_not_looked_at() -> None:
    done = [work(f"t-d{number:05}x", status=TodoStatus.DONE, claimed_by="bot") for number in range(500)]
    _, source = asked(beta(), work(), *done)
    assert source.of(Kind.TODO) <= 10
