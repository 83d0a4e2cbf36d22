"""Quota: a window that slides, spends that count once and only while they stand, and slots nobody can lock away."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loopx.kernel.commands import OpenTurn
from loopx.kernel.quota import Window, is_past_its_slots, window
from loopx.kernel.state import State
from loopx.model.goal import Quota
from loopx.model.turn import Spend, Turn, TurnStatus
from tests.support.clock import START
from tests.support.kernel import BOT, REX, T1, T2, Desk, config, goal, todo
from tests.unit.kernel.turning import AGENTS, CountingSource, desk_of, opens, settles, turn


def spent(name: str, hours_ago: float, slots: int = 1, **fields: Any) -> Turn:
    """A settled turn of bot that spent ``slots`` some time before the start."""
    at = START - timedelta(hours=hours_ago)
    spend = Spend(slots=slots, at=at, operation="op-1", **fields)
    return Turn(
        id=name, agent="bot", status=TurnStatus.SETTLED, todo=T1, opened_at=at, opened_by="op-0", settled_at=at,
        settled_by="op-1", spend=spend, goal="beta",
    )  # fmt: skip


def seen(*turns: Turn, **quota: int) -> Window:
    desk = Desk.of(goal(quota=Quota(**quota)), *turns)
    return window(desk.state, desk.goal(), desk.now)


def test_what_was_spent_within_the_window_counts() -> None:
    found = seen(spent("turn-aaaa1", 1, 3), spent("turn-aaaa2", 23), spent("turn-aaaa3", 25, 7), compute=10)
    assert (found.spent, found.limit, found.left, found.is_used_up, found.frees_at) == (4, 10, 6, False, None)
    assert found.starts_at == START - timedelta(hours=24)


def test_what_was_taken_back_does_not_count() -> None:
    back = spent("turn-aaaa1", 1, 3, voided_at=START, voided_by="op-9", void_reason="twice")
    assert seen(back, spent("turn-aaaa2", 2)).spent == 1


def test_a_goal_without_a_quota_has_the_default_one() -> None:
    desk = Desk.of(goal())
    assert window(desk.state, desk.goal(), desk.now).limit == 100


def test_a_window_that_is_used_up_frees_when_enough_has_left_it() -> None:
    """Three slots, four spent: one leaves after two hours and is not enough, the next one is."""
    found = seen(spent("turn-aaaa1", 1, 2), spent("turn-aaaa2", 20), spent("turn-aaaa3", 22), compute=3)
    assert found.is_used_up and found.left == 0
    assert found.frees_at == START + timedelta(hours=4)


@pytest.mark.parametrize("tick", [-1, 0, 1])
def test_a_slot_is_free_the_very_moment_it_is_said_to_be(tick: int) -> None:
    desk = Desk.of(goal(quota=Quota(compute=1)), spent("turn-aaaa1", 3))
    frees_at = window(desk.state, desk.goal(), desk.now).frees_at
    assert frees_at is not None
    assert window(desk.state, desk.goal(), frees_at + timedelta(seconds=tick)).is_used_up is (tick < 0)


def test_no_slots_at_all_are_never_free() -> None:
    found = seen(spent("turn-aaaa1", 1), compute=0)
    assert (found.is_used_up, found.frees_at, found.left) == (True, None, 0)
    assert seen(compute=-5).limit == 0


@pytest.mark.parametrize("hours", [0, -3, 10**12])
def test_a_window_of_a_length_that_makes_no_sense_is_clamped(hours: int) -> None:
    assert seen(spent("turn-aaaa1", 0.5), window_hours=hours).spent == 1


def test_a_spend_dated_ahead_by_a_clock_that_was_wrong_is_not_held_against_a_goal_for_ever() -> None:
    ahead = spent("turn-aaaa1", -2)
    assert seen(ahead, compute=1).frees_at == START + timedelta(hours=24)
    assert seen(spent("turn-aaaa2", -24 * 365 * 10), compute=1).spent == 0


def test_only_turns_of_the_window_are_looked_at() -> None:
    old = [spent(f"turn-b{number:07}", 100 + number) for number in range(200)]
    source = CountingSource(Desk.of(goal(), *old, spent("turn-aaaa1", 1)).entities)
    assert window(State(source), goal(), START).spent == 1
    assert source.turns_given == 1


SLOTS = [(30, 1, False), (31, 1, True), (59, 2, False), (61, 2, True)]


@pytest.mark.parametrize(("minutes", "slots", "is_past"), SLOTS)
def test_an_open_turn_is_past_its_slots_once_they_are_over(minutes: int, slots: int, is_past: bool) -> None:
    desk = desk_of()
    found = turn(desk, opens(desk, slots=slots))
    assert is_past_its_slots(found, desk.goal(), desk.now + timedelta(minutes=minutes)) is is_past


def test_a_turn_opened_in_the_future_is_past_its_slots_too() -> None:
    desk = desk_of(of=goal(quota=Quota(slot_minutes=-1)))
    found = turn(desk, opens(desk))
    assert not is_past_its_slots(found, desk.goal(), desk.now - timedelta(seconds=30))
    assert is_past_its_slots(found, desk.goal(), desk.now - timedelta(days=3650))


def test_L16_a_turn_whose_holder_died_holds_no_slot() -> None:
    """One slot a day. The agent dies with its turn open; another one works on, and the dead turn can be seen."""
    desk = Desk.of(config(*AGENTS), goal(quota=Quota(compute=1)), todo(), todo(T2, "Print it"))
    dead = opens(desk)
    assert window(desk.state, desk.goal(), desk.now).spent == 0
    desk.wait(days=2)
    assert [each.id for each in desk.state.open_turns("beta")] == [dead]
    assert is_past_its_slots(turn(desk, dead), desk.goal(), desk.now)
    opens(desk, REX, todo=T2)
    settles(desk, REX, became={"done": True}, evidence=("printed",))
    assert window(desk.state, desk.goal(), desk.now).spent == 1
    refusal = desk.no(OpenTurn(goal="beta", todo=T1), REX)
    assert refusal.code == "quota-used-up" and refusal.facts["frees_at"] == "2026-03-05T09:00:00Z"
    desk.wait(days=1)
    opens(desk, REX)
    assert desk.no(OpenTurn(goal="beta", todo=T1), BOT).code == "turn-open-already"
