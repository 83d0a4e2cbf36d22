"""The channels: a person is asked the very question, commands carry their ids, every wait names what ends it."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.agents import unregistered
from loopx.kernel.decision.record import AgentChannel, CliChannel, Decision, Mode, Scheduler, UserChannel
from loopx.kernel.refusal import Refused
from loopx.kernel.state import MemorySource, State
from loopx.model.actor import Actor, ActorKind
from loopx.model.gate import GateStatus
from loopx.model.goal import AgentMode, GoalPolicies, GoalStatus, Participant, Quota
from loopx.model.policy import Ownership
from loopx.model.todo import Priority, TodoClass, TodoStatus
from loopx.model.turn import Spend
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, G1, G2, REX, T1, T2, config, gate, goal
from tests.unit.kernel.deciding import (
    AGENTS,
    DEPLOY,
    M1,
    X1,
    asked,
    beta,
    closed,
    decided,
    effect,
    ended,
    hours,
    looked_at,
    met,
    monitor,
    settled,
    turn,
    work,
)

BROKEN = ["goals/beta/todos/x.md"]
SPENT = settled(1, START, "outcome_progress", spend=Spend(slots=1, at=START, operation="op-s1"))
LACKING = work(capabilities=("gpu",))
HELD = work(claimed_by="rex")

MODES: list[tuple[Mode, str, list[Any], dict[str, Any]]] = [
    (Mode.STOPPED, "quiet", [beta(status=GoalStatus.PAUSED)], {}),
    (Mode.TERMINAL, "quiet", [closed(), ended()], {}),
    (Mode.SELF_REPAIR, "must", [beta()], {"unreadable": BROKEN}),
    (Mode.SELF_REPAIR, "quiet", [beta(policies=GoalPolicies(self_repair=False))], {"unreadable": BROKEN}),
    (Mode.RECONCILE, "must", [beta(), effect()], {}),
    (Mode.REPLAN, "must spend", [beta()], {}),
    (Mode.SETTLE, "must spend", [beta(), work(), turn(lease_epoch=1)], {}),
    (Mode.THROTTLED, "quiet", [beta(quota=Quota(compute=1)), work(), SPENT], {}),
    (Mode.OBSERVE, "must spend", [beta(), HELD, monitor()], {}),
    (Mode.DELIVER, "must spend deliver", [beta(), work()], {}),
    (Mode.ASK_USER, "quiet", [beta(), work(requires=(DEPLOY,)), gate()], {}),
    (Mode.ASK_USER, "must", [beta(), work(requires=(DEPLOY,))], {}),
    (Mode.REPAIR_CAPABILITY, "quiet", [beta(), LACKING], {}),
    (Mode.WAIT_FOR_PEERS, "quiet", [beta(), HELD], {}),
    (Mode.WAIT, "quiet", [beta(), monitor(acceptance=("a1",)), looked_at()], {}),
    (Mode.CLOSE_OUT, "must", [beta(), met()], {}),
]


@pytest.mark.parametrize(("mode", "flags", "entities", "more"), MODES, ids=[f"{m} {f}" for m, f, _, _ in MODES])
def test_each_mode_says_who_may_do_what(mode: Mode, flags: str, entities: list[Any], more: dict[str, Any]) -> None:
    found = decided(*entities, **more)
    expected = {"must": "must" in flags, "quiet": "quiet" in flags, "deliver": "deliver" in flags}
    agent = found.channel
    assert found.mode is mode
    assert {"must": agent.must_attempt, "quiet": agent.quiet_allowed, "deliver": agent.delivery_allowed} == expected
    assert found.cli.spend_allowed is ("spend" in flags)
    if "quiet" in flags:
        assert found.scheduler.ended_by and found.scheduler.owner


# refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("of", "actor", "code"),
    [
        ("gamma", BOT, "goal-unknown"),
        ("beta", Actor(ActorKind.AGENT, "No Such Name"), "agent-invalid"),
        ("beta", Actor(ActorKind.AGENT, "zed"), "agent-unregistered"),
        ("delta", REX, "agent-unregistered"),
    ],
)
def test_nothing_is_decided_for_an_unknown_goal_or_an_agent_that_does_not_take_part(
    of: str, actor: Actor, code: str
) -> None:
    delta = goal("delta", agents=(Participant(id="bot"),))
    found = asked(State(MemorySource([AGENTS, beta(), delta, work()])), START, actor, of)
    assert isinstance(found, Refused)
    assert found.code == code


def test_a_goal_whose_own_document_cannot_be_read_is_not_called_unknown() -> None:
    found = asked(State(MemorySource([AGENTS], unreadable=["goals/beta/goal.md"])), START)
    assert isinstance(found, Refused)
    assert (found.code, found.facts["path"]) == ("goal-unreadable", "goals/beta/goal.md")


def test_a_person_needs_no_registration() -> None:
    assert decided(beta(), work(), actor=ANN).mode is Mode.DELIVER
    bare = State(MemorySource([config(), goal(), work()]))
    assert isinstance(asked(bare, START, ANN), Decision)
    assert unregistered(bare, "bot") is not None


# the user channel ----------------------------------------------------------------------------------------


def test_a_person_is_asked_the_very_question_of_the_gate_with_its_options_and_deadline() -> None:
    pending = gate(question="Which region?", options=("eu", "us"), deadline=hours(5))
    found = decided(beta(), work(requires=(DEPLOY,)), pending)
    assert found.user == UserChannel(
        True, True, f"Which region? ({G1}, {DEPLOY}) Options: eu, us. Wanted by 2026-03-02T14:00:00Z."
    )
    assert found.cli.commands == (f"loopx gate show {G1}",)
    assert found.gates[0].blocks == 1
    late = decided(beta(), work(requires=(DEPLOY,)), pending, now=hours(6))
    assert late.user.question is not None and "which has passed" in late.user.question


def test_the_gate_that_holds_work_up_is_asked_before_others() -> None:
    idle = gate(G2, "other:goal:x", question="Is the name fine?", created_at=hours(-5))
    found = decided(beta(), work(requires=(DEPLOY,)), idle, gate())
    assert found.selected is not None and found.selected.id == G1
    assert {each.id: each.blocks for each in found.gates} == {G1: 1, G2: 0}


def test_a_gate_of_another_goal_that_reaches_this_one_is_asked_too() -> None:
    wide = gate(scope="production:global:deploy", goal="gamma")
    found = decided(beta(), goal("gamma"), work(requires=(DEPLOY,)), wide)
    assert found.user.question is not None and found.user.question.startswith("May it go live?")


def test_an_open_gate_stays_visible_while_work_that_it_does_not_cover_goes_on_and_stops_nobody() -> None:
    found = decided(beta(), work(), gate())
    assert found.mode is Mode.DELIVER
    assert found.user == UserChannel(True, False, f"May it go live? ({G1}, {DEPLOY})")
    assert [each.id for each in found.gates] == [G1]
    without = decided(beta(), work())
    assert (found.channel, found.cli) == (without.channel, without.cli)


def test_a_deferred_answer_is_still_a_question() -> None:
    found = decided(beta(), work(requires=(DEPLOY,)), gate(status=GateStatus.DEFERRED))
    assert (found.mode, found.gates[0].status) == (Mode.ASK_USER, "deferred")


def test_a_persons_own_action_is_asked_by_its_title() -> None:
    found = decided(beta(), work(title="Sign the contract", todo_class=TodoClass.USER_ACTION))
    assert found.user.question is not None
    assert found.user.question.startswith(f"Sign the contract ({T1})")
    own = decided(beta(), work(title="Sign the contract", todo_class=TodoClass.USER_ACTION), actor=ANN)
    assert own.mode is Mode.DELIVER


def test_an_action_that_waits_for_something_else_is_not_asked_for_yet() -> None:
    signing = work(T2, title="Sign", todo_class=TodoClass.USER_ACTION, depends_on=(T1,))
    assert decided(beta(), signing, HELD).mode is Mode.WAIT_FOR_PEERS


def test_a_decision_nobody_was_asked_for_has_to_be_put_to_a_person_by_the_agent() -> None:
    found = decided(beta(), work(requires=(DEPLOY,)))
    assert found.channel.must_attempt and not found.user.action_required
    assert found.cli.commands == (f"loopx gate open --goal beta --scope {DEPLOY} --question … --actor agent:bot",)


def test_a_decision_that_was_no_is_not_asked_again_but_calls_for_another_plan() -> None:
    found = decided(beta(), work(requires=(DEPLOY,)), gate(status=GateStatus.REJECTED))
    assert (found.mode, found.reason) == (Mode.REPLAN, "condition-dead")


def test_what_an_agent_cannot_do_names_what_is_missing_and_who_gives_it() -> None:
    found = decided(beta(), LACKING)
    assert found.user.question == f'May bot get gpu, which {T1} "Write the guide" takes?'
    assert found.cli.commands[0] == "loopx agent edit bot --add-capability gpu"


def test_an_act_nobody_can_read_back_is_asked_about_while_other_work_goes_on() -> None:
    found = decided(beta(), work(), work(T2), effect(readback=None, todo=T2))
    assert found.mode is Mode.DELIVER
    assert found.selected is not None and found.selected.id == T1
    assert found.user.notify and found.user.action_required
    assert found.user.question == f'Did {X1} "Post the release" happen? Nobody here can read it back.'


def test_what_no_agent_is_left_to_settle_is_told_to_the_operators() -> None:
    only_bot = beta(agents=(Participant(id="bot"),))
    gone = effect(agent="rex", todo=T2)
    found = decided(only_bot, work(), gone)
    assert found.user.notify
    assert [each.owner for each in found.obligations] == ["operators"]
    assert decided(only_bot, work(), gone, actor=ANN).mode is Mode.RECONCILE


# the cli channel -----------------------------------------------------------------------------------------


def test_work_begins_with_the_exact_commands() -> None:
    assert decided(beta(), work()).cli.commands == (
        f"loopx turn open --goal beta --todo {T1} --actor agent:bot",
        "loopx refresh-state --goal beta --scale … --outcome … --evidence … --done --actor agent:bot",
    )


def test_work_whose_condition_has_come_is_resumed_first() -> None:
    awake = work(status=TodoStatus.DEFERRED, resume_when="at:2026-03-01T09:00:00Z")
    assert decided(beta(), awake).cli.commands[0] == f"loopx todo resume {T1} --actor agent:bot"


def test_where_the_goal_wants_a_lease_it_is_acquired_first() -> None:
    found = decided(beta(policies=GoalPolicies(ownership=Ownership.LEASE)), work())
    assert found.cli.commands[0] == f"loopx lease acquire {T1} --actor agent:bot"
    assert all("--lease …" in each for each in found.cli.commands[1:])


def test_an_open_turn_is_carried_on_under_its_own_id() -> None:
    found = decided(beta(), work(), turn())
    assert found.selected is not None and found.selected.id == turn().id
    assert all(turn().id in each for each in found.cli.commands)


def test_an_obligation_gets_a_turn_of_its_own_after_any_other_is_ended() -> None:
    found = decided(beta())
    (owed,) = found.obligations
    assert found.cli.commands == (
        f"loopx turn open --goal beta --obligation {owed.id} --actor agent:bot",
        "loopx todo add … --goal beta --accept a1 --actor agent:bot",
        "loopx refresh-state --goal beta --scale … --outcome … --evidence … --actor agent:bot",
    )
    busy = decided(beta(), turn())
    assert busy.cli.commands[:2] == (
        f"loopx refresh-state --goal beta --turn {turn().id} --scale … --outcome … --evidence … --actor agent:bot",
        f"loopx turn open --goal beta --obligation {owed.id} --actor agent:bot",
    )
    begun = decided(beta(), turn(todo=None, obligation=owed.id))
    assert begun.mode is Mode.REPLAN
    assert turn().id in begun.cli.commands[-1] and len(begun.cli.commands) == 2


def test_a_monitor_is_looked_at_with_its_target_quoted_for_the_shell() -> None:
    found = decided(beta(), HELD, monitor(target="it's here; rm"))
    assert found.cli.commands == (f"loopx monitor poll {M1} --target 'it'\"'\"'s here; rm' --seen … --actor agent:bot",)


def test_a_person_gets_commands_in_their_own_name() -> None:
    found = decided(beta(), work(requires=(DEPLOY,)), gate(), actor=ANN)
    assert found.cli.commands == (f"loopx gate show {G1}", f"loopx gate approve {G1} --reason …")
    assert all("--actor" not in each for each in decided(beta(), work(), actor=ANN).cli.commands)


# what cannot be built ------------------------------------------------------------------------------------


def built(mode: Mode, **more: Any) -> Decision:
    """A decision put together by hand: a quiet one unless told otherwise."""
    parts = {
        "user": UserChannel(),
        "channel": AgentChannel(False, False, True, "Wait."),
        "cli": CliChannel(),
        "scheduler": Scheduler(60, "So.", START, "something comes true", "somebody"),
    }
    known = {"goal": "beta", "agent": "bot", "mode": mode, "reason": "r", "message": "So."}
    return Decision(**{**known, **parts, **more})


@pytest.mark.parametrize(
    ("mode", "more"),
    [
        (Mode.TERMINAL, {"counts": {"open": 1}}),
        (Mode.TERMINAL, {"counts": {"deferred": 1}}),
        (Mode.TERMINAL, {"counts": {"unknown_effects": 1}}),
        (Mode.TERMINAL, {"obligations": (object(),)}),
        (Mode.TERMINAL, {"gates": (object(),)}),
        (Mode.WAIT, {"scheduler": Scheduler(60, "So.")}),
        (Mode.WAIT, {"scheduler": Scheduler(60, "So.", ended_by="it comes")}),
        (Mode.WAIT, {"cli": CliChannel((), True)}),
        (Mode.WAIT, {"channel": AgentChannel(True, False, False, "Act.")}),
        (Mode.ASK_USER, {}),
        (Mode.DELIVER, {}),
        (Mode.REPLAN, {"channel": AgentChannel(True, True, False, "Act.")}),
    ],
)
def test_a_decision_whose_channels_contradict_each_other_cannot_be_built(mode: Mode, more: dict[str, Any]) -> None:
    assert built(Mode.WAIT).mode is Mode.WAIT
    with pytest.raises(ValueError, match=f"no decision to {mode}"):
        built(mode, **more)


def test_an_agent_that_must_attempt_something_may_not_stay_quiet() -> None:
    with pytest.raises(ValueError, match="may not stay quiet"):
        AgentChannel(True, False, True, "Act.")


# who only watches, and whose work comes first --------------------------------------------------------------


def test_an_agent_that_only_watches_gets_looks_and_no_delivery() -> None:
    watching = beta(agents=(Participant(id="bot", mode=AgentMode.MONITOR_ONLY), Participant(id="rex")))
    assert decided(watching, work(), monitor()).mode is Mode.OBSERVE
    found = decided(watching, work())
    assert (found.mode, found.scheduler.owner) == (Mode.WAIT_FOR_PEERS, "rex")
    assert decided(watching, work(), actor=REX).mode is Mode.DELIVER


def test_own_claims_come_first_then_priority_then_age() -> None:
    first = work(priority=Priority.P0)
    mine = work(T2, priority=Priority.P3, claimed_by="bot")
    assert chosen(beta(), first, mine) == T2
    assert chosen(beta(), first, work(T2, priority=Priority.P1)) == T1
    assert chosen(beta(), work(created_at=hours(1)), work(T2)) == T2


def test_work_that_may_go_on_again_takes_its_place_by_priority() -> None:
    awake = work(T2, status=TodoStatus.DEFERRED, resume_when="at:2026-03-01T09:00:00Z", priority=Priority.P1)
    assert chosen(beta(), work(), awake) == T2
    assert chosen(beta(), work(priority=Priority.P0), awake) == T1


def test_the_first_runnable_todo_is_found_however_many_come_before_it() -> None:
    held = [work(f"t-h{number:05}x", priority=Priority.P0, claimed_by="rex") for number in range(150)]
    assert chosen(beta(), *held, work(priority=Priority.P4)) == T1


def chosen(*entities: Any) -> str:
    found = decided(*entities)
    assert found.mode is Mode.DELIVER
    assert found.selected is not None
    return found.selected.id
