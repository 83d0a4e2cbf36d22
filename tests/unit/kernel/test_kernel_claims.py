"""Claims: how holders are written, when a claim lapses, and what a Goal's own policy says of both."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.claims import holder
from loopx.kernel.commands import ClaimTodo, CompleteTodo, ReopenTodo, UnclaimTodo
from loopx.kernel.policies import claim_ttl, goal_policies, lease_ttl, ownership
from loopx.model.goal import GoalPolicies
from loopx.model.policy import Ownership
from loopx.model.todo import Todo
from loopx.model.turn import DeliveryOutcome, Scale, Turn, TurnStatus
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, REX, T1, T2, Desk, config, edited, facts, goal, todo
from tests.support.leases import crew, lease, released


def claimed(**fields: Any) -> Todo:
    return todo(**{"claimed_by": "bot", "claimed_at": START, **fields})


def turn(**fields: Any) -> Turn:
    opened = {"id": "turn-aaaa1111", "agent": "bot", "todo": T1, "goal": "beta"}
    return Turn(**{**opened, "opened_at": START, "opened_by": "op-1", **fields})


def who(desk: Desk, name: str = T1) -> str | None:
    return holder(desk.state, desk.todo(name), desk.now)


# setting and clearing -------------------------------------------------------------------------


def test_a_claim_says_since_when() -> None:
    desk = crew()
    desk.do(ClaimTodo(todo=T1), BOT)
    assert (desk.todo().claimed_by, desk.todo().claimed_at) == ("bot", START)
    desk.wait(hours=1)
    again = desk.do(ClaimTodo(todo=T1), BOT)
    assert again.changes == () and desk.todo().claimed_at == START


def test_unclaiming_clears_both() -> None:
    desk = crew(claimed())
    desk.do(UnclaimTodo(todo=T1), BOT)
    assert (desk.todo().claimed_by, desk.todo().claimed_at) == (None, None)


def test_whoever_finishes_what_nobody_claimed_claims_it_thereby() -> None:
    desk = crew()
    desk.do(CompleteTodo(todo=T1), BOT)
    assert (desk.todo().claimed_by, desk.todo().claimed_at) == ("bot", START)


def test_a_claim_that_was_made_stays_as_old_as_it_is_when_the_work_is_done() -> None:
    desk = crew(claimed())
    desk.wait(hours=2)
    desk.do(CompleteTodo(todo=T1), BOT)
    assert desk.todo().claimed_at == START


def test_what_is_reopened_is_nobodys() -> None:
    desk = crew()
    desk.do(CompleteTodo(todo=T1), BOT)
    desk.do(ReopenTodo(todo=T1, reason="half of it is missing"), ANN)
    assert (desk.todo().claimed_by, desk.todo().claimed_at) == (None, None)
    desk.do(ClaimTodo(todo=T1), REX)


# lapsing --------------------------------------------------------------------------------------


def test_a_claim_nobody_acts_on_holds_for_a_day_and_no_second_longer() -> None:
    desk = crew(claimed())
    desk.wait(hours=24)
    assert who(desk) == "bot" and desk.no(ClaimTodo(todo=T1), REX).code == "todo-claimed"
    desk.wait(seconds=1)
    assert who(desk) is None
    desk.do(ClaimTodo(todo=T1), REX)
    assert (desk.todo().claimed_by, desk.todo().claimed_at) == ("rex", desk.now)


def test_a_lapsed_claim_keeps_nobody_from_anything() -> None:
    desk = crew(claimed())
    desk.wait(days=2)
    assert desk.reasons(actor=REX) == []
    desk.do(CompleteTodo(todo=T1), REX)
    assert desk.todo().claimed_by == "rex"


def test_whoever_let_a_claim_lapse_may_make_it_anew() -> None:
    desk = crew(claimed())
    desk.wait(days=2)
    desk.do(ClaimTodo(todo=T1), BOT)
    assert who(desk) == "bot" and desk.todo().claimed_at == desk.now


def test_a_claim_without_a_time_never_lapses_by_itself() -> None:
    desk = crew(claimed(claimed_at=None))
    desk.wait(days=400)
    assert who(desk) == "bot"


def test_an_open_turn_of_the_holder_keeps_a_claim() -> None:
    desk = crew(claimed(), turn())
    desk.wait(days=2)
    assert who(desk) == "bot"


@pytest.mark.parametrize("fields", [{"agent": "rex"}, {"todo": T2}])
def test_a_turn_of_somebody_else_or_on_something_else_keeps_none(fields: dict[str, Any]) -> None:
    desk = crew(claimed(), turn(**fields))
    desk.wait(days=2)
    assert who(desk) is None


def test_a_turn_settled_lately_keeps_a_claim_for_as_long_as_one_lasts() -> None:
    settled = {"status": TurnStatus.SETTLED, "scale": Scale.TEST_ONLY, "outcome": DeliveryOutcome.SURFACE_ONLY}
    desk = crew(claimed(), turn())
    desk.wait(hours=40)
    desk.entities[-1] = turn(settled_at=desk.now, settled_by="op-2", **settled)
    desk.wait(hours=24)
    assert who(desk) == "bot"
    desk.wait(seconds=1)
    assert who(desk) is None


def test_a_live_lease_keeps_a_claim_however_old_it_is() -> None:
    desk = crew(claimed())
    desk.wait(days=30)
    desk.entities.append(lease(acquired_at=desk.now, renewed_at=desk.now))
    assert who(desk) == "bot"


def test_L04_a_claim_that_went_with_a_lease_ends_with_it() -> None:
    desk = crew(claimed(), lease())
    desk.wait(minutes=45)
    assert who(desk) == "bot"
    desk.wait(seconds=1)
    assert who(desk) is None, "nobody waits a day for an agent whose lease ran out"


def test_a_claim_made_after_a_lease_ended_is_one_like_any_other() -> None:
    desk = crew(claimed(), released())
    assert who(desk) is None
    desk.wait(minutes=1)
    desk.do(ClaimTodo(todo=T1), BOT)
    assert who(desk) == "bot"


# policies -------------------------------------------------------------------------------------


def test_a_goals_own_policy_wins_over_the_workspaces() -> None:
    own = goal(policies=GoalPolicies(ownership=Ownership.NONE, claim_ttl_hours=1))
    desk = Desk.of(config(ownership=Ownership.CLAIM, claim_ttl_hours=48), own, goal("gamma"))
    assert [ownership(desk.state, each) for each in ("beta", "gamma")] == [Ownership.NONE, Ownership.CLAIM]
    assert [claim_ttl(desk.state, each).total_seconds() / 3600 for each in ("beta", "gamma")] == [1, 48]


def test_where_nothing_is_said_nobody_trips_over_a_policy() -> None:
    desk = Desk.of(goal())
    assert ownership(desk.state, "beta") is Ownership.NONE
    assert claim_ttl(desk.state, "beta").total_seconds() == 24 * 3600
    assert lease_ttl(desk.state).total_seconds() == 45 * 60
    assert goal_policies(desk.goal()) == goal_policies(None) == GoalPolicies()


@pytest.mark.parametrize(("minutes", "seconds"), [(30, 1800), (10**15, 86400), (-5, 0)])
def test_L08_a_length_of_a_policy_is_clamped(minutes: int, seconds: int) -> None:
    assert lease_ttl(Desk.of(config(lease_ttl_minutes=minutes)).state).total_seconds() == seconds
    assert claim_ttl(Desk.of(config(claim_ttl_hours=10**15)).state, "beta").days == 3660


def test_completing_asks_the_goals_own_policy() -> None:
    strict = edited(goal(), policies=GoalPolicies(ownership=Ownership.CLAIM))
    desk = Desk.of(config(), strict, todo())
    assert desk.no(CompleteTodo(todo=T1), BOT).code == "claim-required"
    loose = edited(goal(), policies=GoalPolicies(ownership=Ownership.NONE))
    assert facts(Desk.of(config(ownership=Ownership.CLAIM), loose, todo()).do(CompleteTodo(todo=T1), BOT))["id"] == T1
