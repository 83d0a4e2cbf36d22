"""A Todo's plan carried out under the kernel's decision: lease and turn around it, and what becomes of the Todo."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import (
    AcquireLease,
    CompleteTodo,
    DecideGate,
    EditGoal,
    EditPlan,
    EditTodo,
    OpenGate,
    ReleaseLease,
    SetGoalStatus,
)
from loopx.loop.allowance import Allowance
from loopx.loop.result import LeftOff
from loopx.loop.step import StepView
from loopx.loop.work import tenure
from loopx.loop.work.settling import Following
from loopx.model.actor import Actor, Channel
from loopx.model.goal import GoalStatus
from loopx.model.plan import RunSettings
from loopx.model.records import EvidenceKind, EvidenceResult
from loopx.model.step import ExecutionState, StepEffect, StepStatus
from loopx.model.todo import TodoStatus
from loopx.model.turn import TurnStatus
from tests.support.carried import FAILS, Work, human, py
from tests.support.lab import ANN, BOT, Crash, Lab, crash_at

REX = Actor.parse("agent:rex")


@pytest.fixture
def work(lab: Lab) -> Work:
    return Work(lab)


# ends ----------------------------------------------------------------------------------------


def test_completed_work_completes_the_todo_in_one_settled_turn(work: Work) -> None:
    carried = work.carry_out()
    assert carried.result.execution_state is ExecutionState.COMPLETED
    assert (carried.settled.todo, carried.settled.problem) == ("done", None)
    assert work.todo.status is TodoStatus.DONE and work.done == ["one", "two"]
    [turn] = work.turns()
    assert turn.status is TurnStatus.SETTLED and turn.spend is not None
    assert work.record().turn == turn.id and work.record().lease_epoch == turn.lease_epoch
    assert work.lease().status.value == "released"
    evidence = work.lab.look().state.evidence(carried.settled.evidence)
    assert (evidence.kind, evidence.result) == (EvidenceKind.DELIVERY, EvidenceResult.PASSED)
    assert "2 of 2 steps" in evidence.summary and "verified independently" in evidence.summary
    work.lab.assert_sound()


def test_what_nobody_verified_is_not_said_to_be(lab: Lab) -> None:
    work = Work(lab, settings=RunSettings(enable_verification=False))
    carried = work.carry_out()
    evidence = work.lab.look().state.evidence(carried.settled.evidence)
    assert evidence.result is EvidenceResult.NOTED and "nothing was verified" in evidence.summary


def test_a_validation_that_fails_keeps_completed_work_from_completing_the_todo(lab: Lab) -> None:
    work = Work(lab, validation=FAILS)
    carried = work.carry_out()
    assert carried.result.execution_state is ExecutionState.COMPLETED
    assert carried.settled.problem is not None and carried.settled.problem.code == "validation-failed"
    assert work.todo.status is TodoStatus.OPEN
    assert [each.status for each in work.turns()] == [TurnStatus.SETTLED]
    assert work.turns()[0].outcome.value == "outcome_gap"


def test_what_follows_is_said_with_the_order(work: Work) -> None:
    carried = work.carry_out(following=Following(successors=("Announce it",)))
    assert carried.settled.todo == "done"
    titles = [each.title for each in work.lab.look().state.todos() if each.status is TodoStatus.OPEN]
    assert titles == ["Announce it"]


def test_work_that_fails_leaves_the_todo_with_a_blocker(lab: Lab) -> None:
    work = Work(lab, settings=RunSettings(max_retry_attempts=0, enable_recovery=False))
    work.holds = lambda step: step.id != "two"
    carried = work.carry_out()
    assert carried.result.execution_state is ExecutionState.FAILED
    assert carried.settled.todo == "blocked" and work.todo.status is TodoStatus.BLOCKED
    assert work.run in (work.todo.reason or "")
    with pytest.raises(LoopxError) as refused:
        work.carry_out()
    assert refused.value.code == "run-over"


# people ----------------------------------------------------------------------------------------


def test_a_question_makes_the_todo_wait_and_its_answer_lets_the_run_go_on(work: Work) -> None:
    work.holds = lambda step: step.id != "two"
    asked = work.carry_out()
    assert asked.result.left_off is LeftOff.PERSON and [each.id for each in asked.gates] == [work.record().gate]
    assert work.todo.status is TodoStatus.DEFERRED and asked.gates[0].id in (work.todo.resume_when or "")
    with pytest.raises(LoopxError) as waiting:
        work.carry_out()
    assert waiting.value.code == "run-waiting" and waiting.value.problem.facts["gate"] == asked.gates[0].id
    work.answer("retry")
    work.holds = lambda _step: True
    carried = work.carry_out()
    assert carried.result.execution_state is ExecutionState.COMPLETED and work.todo.status is TodoStatus.DONE
    assert len(work.turns()) == 2, "one turn for each time it was carried on"


def test_a_rejected_question_ends_the_run(work: Work) -> None:
    work.holds = lambda step: step.id != "two"
    [gate] = work.carry_out().gates
    work.lab.submit(DecideGate(gate=gate.id, verb="reject", reason="no", channel=Channel.TERMINAL, confirmed=True))
    carried = work.carry_out()
    assert carried.result.execution_state is ExecutionState.FAILED and work.todo.status is TodoStatus.BLOCKED


@pytest.mark.parametrize("way", ["carries it out", "permits it", "decides what it requires"])
def test_a_todo_waits_for_whatever_its_run_asks_of_a_person(lab: Lab, way: str) -> None:
    """Steps people carry out, steps that reach outside, and steps that require a decision: one at a time, by Gates."""
    work = Work(lab, settings=RunSettings(enable_verification=False, enable_evaluation=False))
    asks = {
        "carries it out": human("two", "one"),
        "permits it": replace(py("two", "one"), effects=(StepEffect.SEND,)),
        "decides what it requires": replace(py("two", "one"), requires=("production:goal:deploy",)),
    }
    lab.submit(EditPlan(run=work.run, steps=(py("one"), asks[way])))
    asked = work.carry_out()
    assert asked.result.left_off is LeftOff.PERSON and work.todo.status is TodoStatus.DEFERRED
    [gate] = asked.gates
    with pytest.raises(LoopxError) as waiting:
        work.carry_out()
    assert waiting.value.code == "run-waiting" and waiting.value.problem.facts["gate"] == gate.id
    option = "done" if way == "carries it out" else None
    yes = DecideGate(gate=gate.id, verb="approve", reason="so", option=option, channel=Channel.TERMINAL, confirmed=True)
    lab.submit(yes)
    assert work.carry_out().settled.todo == "done"
    assert len(work.turns()) == 2


# what may begin --------------------------------------------------------------------------------


def test_a_quota_that_is_used_up_lets_nothing_begin(work: Work) -> None:
    work.lab.submit(EditGoal(goal="beta", fields={"quota": {"compute": 0}}))
    _, decision, todo = work.runner().decide("beta")
    assert decision.mode.value == "stopped" and todo is None
    with pytest.raises(LoopxError) as refused:
        work.carry_out()
    assert refused.value.code == "quota-used-up"
    assert work.record() is None and work.done == [] and work.lease().status.value == "released"


def test_a_paused_goal_is_left_alone_whatever_is_named(work: Work) -> None:
    work.lab.submit(SetGoalStatus(goal="beta", verb="pause", to=GoalStatus.PAUSED, reason="holidays"))
    for named in ("beta", work.id, work.run):
        assert work.runner().decide(named)[2] is None


def test_a_goal_chooses_the_todo_and_a_named_todo_stands(work: Work) -> None:
    urgent = work.lab.todo("Urgent", priority="p0")
    assert work.runner().decide("beta")[2].id == urgent
    target, _, todo = work.runner().decide(work.id)
    assert todo.id == work.id and target.plan is None
    assert work.runner().decide(work.run)[0].plan.run == work.run


@pytest.mark.parametrize("agents", [("bot",), ()], ids=["an agent", "a person without agents"])
def test_what_is_owed_comes_first_for_an_agent_and_a_person_may_name_a_todo(lab: Lab, agents: tuple[str, ...]) -> None:
    """A Todo that advanced a criterion was done, and nothing says what follows: a replan is due."""
    work, actor = Work(lab, agents=agents), BOT if agents else ANN
    work.lab.submit(EditGoal(goal="beta", add_acceptance=("It ships",)))
    advancing = work.lab.todo("Advance it", acceptance=("a1",))
    work.lab.submit(CompleteTodo(todo=advancing), actor)
    _, decision, todo = work.runner(actor).decide(work.id)
    assert decision.mode.value == "replan" and (todo is None) is bool(agents)
    assert work.runner(actor).decide("beta")[2] is None


def test_a_todo_that_wants_a_gate_is_not_begun(lab: Lab) -> None:
    work = Work(lab)
    lab.submit(OpenGate(goal="beta", scope="production:goal:deploy", question="May we?"))
    lab.submit(EditTodo(todo=work.id, fields={"requires": ("production:goal:deploy",)}))
    with pytest.raises(LoopxError) as refused:
        work.carry_out()
    assert refused.value.code in ("todo-not-runnable", "gate-missing") and work.done == []


# the lease ---------------------------------------------------------------------------------------


def test_somebody_elses_lease_keeps_the_run_out(work: Work) -> None:
    work.lab.submit(AcquireLease(todo=work.id, key="k-rex00001"), REX)
    with pytest.raises(LoopxError) as refused:
        work.carry_out()
    assert refused.value.code == "lease-held" and work.done == []


def test_a_run_that_is_fenced_stops_and_writes_nothing_more(work: Work) -> None:
    """The lease is handed over by a person while a step runs: what it did is not recorded by the one who lost it."""

    def lose_it() -> None:
        lease = work.lease()
        work.lab.submit(ReleaseLease(todo=work.id, reason="it is stuck"), ANN)
        work.lab.submit(AcquireLease(todo=work.id, key="k-rex00001"), REX)
        assert work.lease().epoch > lease.epoch

    work.does["one"] = lose_it
    with pytest.raises(LoopxError) as fenced:
        work.carry_out()
    assert fenced.value.code.startswith("lease-")
    assert work.done == ["one"] and work.lease().owner == "rex"
    [step] = work.lab.look().state.steps_of(work.run)
    assert step.status is StepStatus.IN_PROGRESS, "nobody says how it ended"


def test_the_lease_is_renewed_while_a_step_runs(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tenure, "_LOOK_SECONDS", 0.01)
    renewed = threading.Event()

    async def wait_for_it(_step: StepView) -> str:
        import asyncio

        before = work.lease().renewed_at
        work.lab.clock.wait(work.lease().ttl_seconds / 2)
        for _ in range(500):
            await asyncio.sleep(0.01)
            if work.lease().renewed_at > before:
                renewed.set()
                break
        return "ok"

    runner = work.runner()
    runner.order.parts.callables["one"] = wait_for_it  # type: ignore[index]
    runner.carry_out(work.todo)
    assert renewed.is_set() and work.todo.status is TodoStatus.DONE


def test_a_lease_of_the_callers_is_used_and_not_given_back(work: Work) -> None:
    work.lab.submit(AcquireLease(todo=work.id, key="k-bot00001"), BOT)
    work.carry_out(lease_key="k-bot00001", allowance=Allowance(steps=1))
    assert work.lease().status.value == "active" and work.record().lease_epoch == work.lease().epoch


def test_two_processes_never_carry_one_todo(work: Work) -> None:
    def beside() -> None:
        with pytest.raises(LoopxError) as held:
            work.runner().carry_out(work.todo)
        assert held.value.code == "run-held"
        assert tenure.is_held(work.lab.ws, work.id)

    work.does["one"] = beside
    assert work.carry_out().settled.todo == "done"
    assert not tenure.is_held(work.lab.ws, work.id)


def test_a_recovery_handler_of_the_callers_is_used(work: Work) -> None:
    from loopx.loop.recovery.handlers.retrying import Retry
    from loopx.loop.recovery.registry import RecoveryRegistry
    from loopx.model.step import RecoveryStrategy

    used: list[str] = []

    class Told(Retry):
        async def execute(self, failure: Any, step: Any, state: Any, context: Any) -> Any:
            used.append(step.id)
            work.holds = lambda _step: True
            return await super().execute(failure, step, state, context)

    registry = RecoveryRegistry.shipped()
    registry.register(RecoveryStrategy.RETRY, Told())
    work.holds = lambda step: step.id != "two"
    runner = work.runner()
    runner.order = replace(runner.order, parts=replace(runner.order.parts, registry=registry))
    assert runner.carry_out(work.todo).settled.todo == "done" and used == ["two"]


# crashes and stops -------------------------------------------------------------------------------


def test_after_a_crash_the_same_lease_and_turn_go_on(work: Work) -> None:
    with crash_at("run-starting-after", 2), pytest.raises(Crash):
        work.carry_out()
    before = work.lease()
    work.lab.restart()
    asked = work.carry_out()
    assert asked.gates, "nobody saw how its second step ended"
    assert work.lease().epoch == before.epoch, "the key was on file"
    assert [each.status for each in work.turns()] == [TurnStatus.SETTLED]
    work.answer("retry")
    assert work.carry_out().settled.todo == "done"


def test_a_lease_that_ran_out_after_a_crash_is_taken_anew_in_a_turn_of_its_own(work: Work) -> None:
    with crash_at("run-starting-after", 2), pytest.raises(Crash):
        work.carry_out()
    work.lab.clock.wait(25 * 3600)
    work.lab.restart()
    asked = work.carry_out()
    assert asked.gates and work.lease().epoch == 2
    assert sorted(each.status.value for each in work.turns()) == ["settled", "voided"]


def test_an_end_that_was_not_settled_is_settled_and_nothing_runs_again(work: Work) -> None:
    with crash_at("run-finished-after"), pytest.raises(Crash):
        work.carry_out()
    assert work.record().status is ExecutionState.COMPLETED and work.todo.status is TodoStatus.OPEN
    work.lab.restart()
    carried = work.carry_out()
    assert carried.settled.todo == "done" and work.done == ["one", "two"]
    assert [each.status for each in work.turns()] == [TurnStatus.SETTLED]


def test_a_stop_lets_what_runs_end_and_leaves_the_run(work: Work) -> None:
    runner = work.runner()
    work.does["one"] = runner.stop
    carried = runner.carry_out(work.todo)
    assert carried.result.left_off is LeftOff.STOPPED and work.done == ["one"]
    assert work.todo.status is TodoStatus.OPEN and work.lease().status.value == "released"
    assert [each.status for each in work.turns()] == [TurnStatus.SETTLED]
    assert work.carry_out().settled.todo == "done"
    assert work.done == ["one", "two"]


def test_an_allowance_leaves_the_run_for_later(work: Work) -> None:
    carried = work.carry_out(allowance=Allowance(steps=1))
    assert carried.result.left_off is LeftOff.ALLOWANCE and work.done == ["one"]
    assert work.carry_out().result.execution_state is ExecutionState.COMPLETED


def test_steps_that_were_verified_bring_a_run_closer_that_is_left(work: Work) -> None:
    work.carry_out(allowance=Allowance(steps=1))
    [turn] = work.turns()
    assert turn.outcome.value == "outcome_progress" and f"step:verified:{work.run}/one" in turn.delta


def test_steps_nobody_verified_do_not(lab: Lab) -> None:
    work = Work(lab, settings=RunSettings(enable_verification=False))
    work.carry_out(allowance=Allowance(steps=1))
    assert work.turns()[0].outcome.value == "surface_only"


def test_a_run_may_be_left_many_times_as_long_as_it_gets_on(lab: Lab) -> None:
    """Each of five processes carries out one step; nothing is owed for having done so little at a time."""
    work = Work(lab)
    names = [f"s{number}" for number in range(5)]
    lab.submit(EditPlan(run=work.run, steps=[py("one"), *(replace(py("two", "one"), id=each) for each in names)]))
    for _ in names:
        assert work.carry_out(allowance=Allowance(steps=1)).result.left_off is LeftOff.ALLOWANCE
    assert work.runner().decide("beta")[2] is not None
    assert work.carry_out().settled.todo == "done"


def test_a_turn_in_which_nothing_was_carried_out_is_void(work: Work) -> None:
    for _ in range(4):
        left = work.carry_out(allowance=Allowance(steps=0))
        assert left.result.left_off is LeftOff.ALLOWANCE and left.settled.outcome is None
    assert {each.status for each in work.turns()} == {TurnStatus.VOIDED}
    assert work.carry_out().settled.todo == "done", "nothing is owed for having looked"


def test_settings_edited_meanwhile_hold_from_the_next_step_on(work: Work) -> None:
    def edit() -> None:
        work.lab.submit(EditPlan(run=work.run, settings=RunSettings(max_retry_attempts=0, enable_recovery=False)))

    work.does["one"] = edit
    work.holds = lambda step: step.id != "two"
    carried = work.carry_out()
    assert carried.result.execution_state is ExecutionState.FAILED and work.done == ["one", "two"]


def test_an_agent_hands_the_work_over_and_the_other_goes_on(work: Work) -> None:
    work.carry_out(allowance=Allowance(steps=1))
    carried = work.carry_out(REX)
    assert carried.settled.todo == "done" and work.turns()[0].agent in ("bot", "rex")
    assert {each.agent for each in work.turns()} == {"bot", "rex"}
