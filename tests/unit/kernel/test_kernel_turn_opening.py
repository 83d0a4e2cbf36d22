"""Opening a turn: who, in which Goal, on what, and what the turn remembers of that moment."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import AcquireLease, BlockTodo, ClaimTodo, OpenTurn, SetVision
from loopx.kernel.outcome import Record
from loopx.kernel.premises import baseline_of
from loopx.model.goal import AgentMode, GoalStatus, Participant, Quota, VisionNeed
from loopx.model.policy import Ownership
from loopx.model.turn import Turn, TurnStatus
from tests.support.kernel import ANN, BOT, REX, T1, T2, T3, Desk, config, facts, goal, todo
from tests.unit.kernel.turning import AGENTS, desk_of, opens, settles, turn

NEEDS_A_VISION = goal(agents=(Participant(id="bot", vision=VisionNeed.REQUIRED), Participant(id="rex")))


def test_a_turn_keeps_what_it_was_opened_on() -> None:
    desk = desk_of()
    desk.do(SetVision(goal="beta", agent="bot", summary="Write first"), BOT)
    done = desk.do(OpenTurn(goal="BETA ", todo=T1, basis="abc1234", slots=2), BOT)
    baseline = baseline_of(desk.state, "beta", "bot")
    assert baseline is not None
    [change] = done.changes
    assert change == Record(
        Turn(
            id="turn-a0000001",
            agent="bot",
            status=TurnStatus.OPEN,
            todo=T1,
            opened_at=desk.now,
            opened_by=done.receipt.operation,
            basis="abc1234",
            baseline=baseline.vision,
            slots=2,
            goal="beta",
        )
    )
    assert facts(done) == {"id": "turn-a0000001", "agent": "bot", "todo": T1, "slots": 2}
    assert done.headline == 'turn: open turn-a0000001 "Write the guide"'


def test_where_the_turn_knows_no_vision_and_no_lease_it_says_so() -> None:
    desk = desk_of()
    found = turn(desk, opens(desk))
    assert (found.baseline, found.basis, found.lease_epoch, found.spend) == (None, None, None, None)


def test_the_same_operation_returns_the_same_turn() -> None:
    desk = desk_of()
    asked = OpenTurn(goal="beta", todo=T1, basis="one")
    first = desk.do(asked, BOT, op="mine")
    again = desk.do(OpenTurn(goal="beta", todo=T1, basis="two"), BOT, op="mine")
    assert again.receipt == first.receipt and again.changes == ()
    assert desk.no(OpenTurn(goal="beta", todo=T2), BOT, op="mine").code == "operation-reused"


def test_an_agent_takes_one_turn_after_the_other() -> None:
    desk = desk_of(todo(T2, "Print it"))
    first = opens(desk)
    refusal = desk.no(OpenTurn(goal="beta", todo=T2), BOT)
    assert (refusal.code, refusal.facts["turn"], refusal.facts["todo"]) == ("turn-open-already", first, T1)
    opens(desk, REX, todo=T2)
    settles(desk)
    opens(desk)


def test_an_agent_may_have_a_turn_in_each_of_two_goals() -> None:
    desk = desk_of(goal("gamma"), todo(T2, "Print it", goal="gamma"))
    opens(desk)
    opens(desk, goal="gamma", todo=T2)


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"goal": "gone"}, "goal-unknown"),
        ({"todo": None}, "turn-subject-missing"),
        ({"todo": T1, "obligation": "o-1"}, "turn-subject-missing"),
        ({"todo": "t-zzzz9999"}, "todo-unknown"),
        ({"todo": T3}, "turn-mismatch"),
        ({"slots": 0}, "field-value"),
        ({"slots": 1001}, "field-value"),
        ({"todo": None, "obligation": "o-nobody"}, "obligation-unknown"),
        ({"todo": T2}, "todo-not-runnable"),
    ],
)
def test_what_cannot_be_worked_on_opens_no_turn(asked: dict[str, Any], code: str) -> None:
    elsewhere = (goal("gamma"), todo(T3, "Far away", goal="gamma"))
    desk = desk_of(todo(T2, "Print it", depends_on=(T1,)), *elsewhere)
    assert desk.no(OpenTurn(**{"goal": "beta", "todo": T1, **asked}), BOT).code == code


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (GoalStatus.DRAFT, "goal-not-active"),
        (GoalStatus.PAUSED, "goal-not-active"),
        (GoalStatus.STOPPED, "goal-not-active"),
        (GoalStatus.CLOSED, "goal-closed"),
    ],
)
def test_a_goal_that_is_not_active_starts_no_work(status: GoalStatus, code: str) -> None:
    assert desk_of(of=goal(status=status)).no(OpenTurn(goal="beta", todo=T1), BOT).code == code


def test_agents_are_registered_and_people_need_not_be() -> None:
    desk = Desk.of(config(), goal(), todo())
    assert desk.no(OpenTurn(goal="beta", todo=T1), BOT).code == "agent-unregistered"
    assert turn(desk, opens(desk, ANN)).agent == "human-ann"


def test_a_goal_that_names_its_agents_takes_no_others() -> None:
    desk = desk_of(of=goal(agents=(Participant(id="rex"),)))
    assert desk.no(OpenTurn(goal="beta", todo=T1), BOT).code == "agent-unregistered"


def test_a_person_opens_a_turn_for_an_agent_and_no_agent_for_another() -> None:
    desk = desk_of()
    assert desk.no(OpenTurn(goal="beta", todo=T1, agent="rex"), BOT).code == "actor-not-permitted"
    assert desk.no(OpenTurn(goal="beta", todo=T1, agent="Nobody"), ANN).code == "agent-unregistered"
    assert desk.no(OpenTurn(goal="beta", todo=T1, agent="!"), ANN).code == "agent-invalid"
    found = turn(desk, opens(desk, ANN, agent=" BOT"))
    assert (found.agent, found.opened_at) == ("bot", desk.now)


def test_a_todo_is_judged_for_the_agent_the_turn_is_for() -> None:
    desk = desk_of(todo(excluded_agents=("bot",)))
    refusal = desk.no(OpenTurn(goal="beta", todo=T1, agent="bot"), ANN)
    assert (refusal.code, refusal.facts["reasons"]) == ("todo-not-runnable", ["agent-excluded"])
    opens(desk, ANN, agent="rex")


def test_an_agent_that_only_watches_gets_no_work_but_may_settle_what_it_owes() -> None:
    watcher = Participant(id="bot", mode=AgentMode.MONITOR_ONLY, vision=VisionNeed.REQUIRED)
    desk = desk_of(of=goal(agents=(watcher, Participant(id="rex"))))
    refusal = desk.no(OpenTurn(goal="beta", todo=T1), BOT)
    assert (refusal.code, refusal.facts["reasons"]) == ("todo-not-runnable", ["monitor-only"])
    opens(desk, obligation=obligation(desk, "required_vision_missing"))
    opens(desk, REX)


def test_what_keeps_a_todo_back_is_named_in_full() -> None:
    desk = desk_of(todo(requires=("production:goal:deploy",)))
    desk.do(ClaimTodo(todo=T1), REX)
    desk.do(BlockTodo(todo=T1, reason="no key"), REX)
    refusal = desk.no(OpenTurn(goal="beta", todo=T1), BOT)
    assert refusal.code == "todo-not-runnable" and "no key" in refusal.message
    assert refusal.facts["reasons"] == ["todo-blocked", "gate-required", "claimed-by-other"]
    assert T1 in refusal.hint


def test_a_used_up_quota_holds_back_todos_and_nothing_that_is_owed() -> None:
    desk = desk_of(of=goal(quota=Quota(compute=1), agents=NEEDS_A_VISION.agents))
    settles(desk, todo=T1, evidence=("seen",))
    refusal = desk.no(OpenTurn(goal="beta", todo=T1), BOT)
    assert (refusal.code, refusal.facts["spent"], refusal.facts["limit"]) == ("quota-used-up", 1, 1)
    owed = obligation(desk, "required_vision_missing")
    assert turn(desk, opens(desk, obligation=owed)).obligation == owed


def test_a_quota_without_slots_names_no_time() -> None:
    desk = desk_of(of=goal(quota=Quota(compute=0)))
    refusal = desk.no(OpenTurn(goal="beta", todo=T1), BOT)
    assert refusal.code == "quota-used-up" and "frees_at" not in refusal.facts and "person" in refusal.hint


def obligation(desk: Desk, trigger: str, owner: str | None = None) -> str:
    from loopx.kernel.obligations.deriving import obligations

    found = [each for each in obligations(desk.state, desk.goal(), desk.now, owner) if each.trigger == trigger]
    return found[0].id


def test_a_turn_for_an_obligation_is_for_whoever_owes_it() -> None:
    desk = desk_of(of=NEEDS_A_VISION)
    owed = obligation(desk, "required_vision_missing")
    refusal = desk.no(OpenTurn(goal="beta", obligation=owed), REX)
    assert (refusal.code, refusal.facts["owner"]) == ("obligation-unknown", "bot")
    found = turn(desk, opens(desk, obligation=f" {owed.upper()} "))
    assert (found.todo, found.obligation) == (None, owed)


def test_a_turn_is_bound_to_the_epoch_of_its_lease() -> None:
    desk = desk_of()
    desk.do(AcquireLease(todo=T1, key="k-one"), BOT)
    assert turn(desk, opens(desk, lease_key="k-one")).lease_epoch == 1


def test_another_s_lease_keeps_the_turn_away() -> None:
    desk = desk_of()
    desk.do(AcquireLease(todo=T1, key="k-one"), REX)
    assert desk.no(OpenTurn(goal="beta", todo=T1), BOT).code in ("lease-held", "todo-not-runnable")


def test_where_the_policy_is_lease_a_turn_needs_the_key() -> None:
    desk = desk_of(config(*AGENTS, ownership=Ownership.LEASE))
    assert desk.no(OpenTurn(goal="beta", todo=T1), BOT).code == "lease-required"
    desk.do(AcquireLease(todo=T1, key="k-one"), BOT)
    assert desk.no(OpenTurn(goal="beta", todo=T1), BOT).code == "lease-key-missing"
    assert desk.no(OpenTurn(goal="beta", todo=T1, lease_key="k-two"), BOT).code == "lease-key-wrong"
    opens(desk, lease_key="k-one")
