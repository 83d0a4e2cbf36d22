"""Nobody is ever stuck: from every state that commands lead to, allowed commands lead to a closed Goal.

Two searches over small states: every way of a few moves from many beginnings, and long random walks. From each state
they reach, a person who does what the audit names brings the Goal to an end without giving it up; and so do an agent
and a person who do nothing but what their decisions say.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopx.kernel.commands import CloseGoal, NewGoal
from loopx.kernel.outcome import Refused
from loopx.model.goal import GoalOutcome, GoalStatus
from loopx.model.todo import TodoClass
from tests.properties.driving import drive
from tests.properties.endgame import GOAL, Move, fork, moves, settle, start
from tests.support.kernel import T1, T2, T3, Desk, gate, todo

MONITOR: dict[str, Any] = {"todo_class": TodoClass.MONITOR, "target": "ci", "cadence": "1h"}

BEGINNINGS: dict[str, Callable[[], Desk]] = {
    "nothing": lambda: start(),
    "one todo": lambda: start(todo(acceptance=("a1",))),
    "one of each class": lambda: start(
        todo(acceptance=("a1",)),
        todo(T2, "Sign", todo_class=TodoClass.USER_ACTION),
        todo(T3, "Watch", **MONITOR),
    ),
    "work behind a gate": lambda: start(todo(requires=("production:goal:x",)), gate(scope="production:goal:x")),
    "an obstacle": lambda: start(todo(todo_class=TodoClass.BLOCKER), todo(T2, "Go on", depends_on=(T1,))),
}

BRANCHES = 400
"""States a search from one beginning looks at, at most."""


@pytest.mark.parametrize("name", BEGINNINGS)
def test_from_every_state_a_few_moves_away_the_goal_can_be_closed(name: str) -> None:
    seen: set[str] = set()
    frontier = [BEGINNINGS[name]()]
    while frontier and len(seen) < BRANCHES:
        desk = frontier.pop(0)
        for move in list(moves(desk)):
            after = fork(desk)
            if not move.play(after) or (key := looks(after)) in seen:
                continue
            seen.add(key)
            _assert_can_be_closed(after, move.name)
            frontier.append(after)
    assert len(seen) >= 40


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(BEGINNINGS)), st.lists(st.integers(0, 999), min_size=1, max_size=20))
def test_after_any_walk_the_goal_can_be_closed(beginning: str, choices: list[int]) -> None:
    desk = BEGINNINGS[beginning]()
    walked = list(walk(desk, choices))
    way = " > ".join(each.name for each in walked)
    _assert_can_be_closed(desk, way)
    _assert_can_be_given_up(desk, way)


def test_the_walks_come_by_every_command_there_is_to_try() -> None:
    chance = random.Random(3)
    tried: set[type] = set()
    done: set[type] = set()
    for number in range(150):
        desk = BEGINNINGS[sorted(BEGINNINGS)[number % len(BEGINNINGS)]]()
        tried |= {type(each.command) for each in moves(desk)}
        done |= {type(each.command) for each in walk(desk, [chance.randrange(1000) for _ in range(14)])}
    assert tried - done == set()


def walk(desk: Desk, choices: Iterable[int]) -> Iterator[Move]:
    """Play on: of everything there is to try the one chosen, or the next one that is allowed."""
    for choice in choices:
        there = list(moves(desk))
        first = choice % len(there)
        yield next(each for each in (*there[first:], *there[:first]) if each.play(desk))


def test_an_agent_and_a_person_who_do_what_decisions_say_reach_the_end_from_every_beginning() -> None:
    for name, beginning in BEGINNINGS.items():
        _assert_driven_to_the_end(beginning(), name)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(BEGINNINGS)), st.lists(st.integers(0, 999), min_size=1, max_size=12))
def test_an_agent_and_a_person_who_do_what_decisions_say_reach_the_end_after_any_walk(
    beginning: str, choices: list[int]
) -> None:
    desk = BEGINNINGS[beginning]()
    walked = list(walk(desk, choices))
    _assert_driven_to_the_end(desk, " > ".join(each.name for each in walked))


def _assert_driven_to_the_end(desk: Desk, way: str) -> None:
    played = fork(desk)
    try:
        drive(played)
    except AssertionError as error:
        raise AssertionError(f"stuck after {way}: {error}") from error
    assert played.goal(GOAL).status is GoalStatus.CLOSED


def _assert_can_be_given_up(desk: Desk, way: str) -> None:
    """A person is never held fast: whatever is open, a Goal that is not closed can be given up."""
    played = fork(desk)
    if played.goal(GOAL).status is GoalStatus.CLOSED:
        return
    played.do(NewGoal(goal="later", title="What is left"))
    abandoned = CloseGoal(goal=GOAL, outcome="abandoned", reason="no budget")
    made_good = replace(abandoned, compensations=("Make it good",), compensate_in="later")
    if isinstance(refused := played.ask(abandoned), Refused):
        assert refused.code == "compensation-required", way
        played.do(made_good)
    assert played.goal(GOAL).outcome is GoalOutcome.ABANDONED


def looks(desk: Desk) -> str:
    """What a state looks like, whatever operations led to it."""
    return repr(sorted(map(repr, desk.entities))) + desk.now.isoformat()


def _assert_can_be_closed(desk: Desk, way: str) -> None:
    played = fork(desk)
    try:
        done = settle(played)
    except AssertionError as error:
        raise AssertionError(f"stuck after {way}: {error}") from error
    found = played.state.goal(GOAL)
    assert found is not None and found.status is GoalStatus.CLOSED, done
