"""A run in a real workspace: saved, read again, carried on by another process, and held against its trace."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import AcquireLease, AddAgent, Command, ReleaseLease
from loopx.loop.components.protocols import Acted
from loopx.loop.keeping.retelling import show
from loopx.loop.keeping.store import SavePoint
from loopx.loop.step import StepView
from loopx.model.actor import Actor as Who
from loopx.model.plan import RunSettings
from loopx.model.step import AttemptOutcome, ExecutionState, Role, StepStatus
from loopx.workspace import Workspace
from loopx.workspace.results import Committed
from tests.support.durable import Durable, kept
from tests.support.lab import BOT, ENVIRONMENT, Lab
from tests.support.loop import DONE, Actor, Judge, Planner, step

BROKEN = Acted(AttemptOutcome.FAILED, "broken", 1)
REX = Who.parse("agent:rex")
AT_ONCE = RunSettings(max_retry_attempts=2, backoff_base=0.0)


def test_a_run_is_on_record_from_its_first_step_to_its_last(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), step("s2", "s1"), step("s3", "s2"))
    result = run.carry_on()
    assert result.execution_state is ExecutionState.COMPLETED
    assert run.record().status is ExecutionState.COMPLETED and run.record().ended_at is not None
    assert run.statuses() == dict.fromkeys(("s1", "s2", "s3"), "verified_completed")
    assert run.record().verification_status.value == "VERIFIED"
    lab.assert_sound()


def test_a_step_in_a_row_of_steps_costs_one_commit(lab: Lab) -> None:
    steps = [step("s1"), *(step(f"s{number}", f"s{number - 1}") for number in range(2, 6))]
    run = Durable.make(lab, *steps)
    before = len(lab.subjects())
    run.carry_on()
    assert len(lab.subjects()) - before == len(steps) + 2, "one for the beginning, one for each step, one for the end"


def test_what_is_read_back_is_what_was_held(lab: Lab) -> None:
    run = Durable.make(
        lab,
        step("s1"),
        step("s2", "s1"),
        settings=AT_ONCE,
        actor=Actor({"s2": [BROKEN, Acted(AttemptOutcome.SUCCEEDED, {"found": [1, 2]}, 0)]}),
        evaluator=Judge({"s2": [False, True]}),
    )
    run.carry_on()
    assert run.state is not None
    held = kept(run.state)
    lab.restart()
    run.load()
    assert kept(run.state) == held
    assert run.records()["s2"].retry_count == 1 and len(run.records()["s2"].attempts) == 2


def test_a_cache_made_anew_tells_the_same_of_a_run(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), step("s2", "s1"), evaluator=Judge({"s2": [False, True]}), settings=AT_ONCE)
    run.carry_on()
    assert run.state is not None
    held = kept(run.state)
    lab.close()
    (lab.root / "local" / "cache.sqlite").unlink()
    lab.restart()
    run.load()
    assert kept(run.state) == held
    run.check()
    lab.assert_sound()


def test_a_replan_is_on_record_with_the_step_it_replaced(lab: Lab) -> None:
    from loopx.loop.components.protocols import ComponentType

    settings = RunSettings(max_retry_attempts=0, backoff_base=0.0)
    run = Durable.make(lab, step("s1"), step("s2", "s1"), settings=settings, evaluator=Judge({"s1": False}))
    run.others[ComponentType.PLANNER] = Planner()
    result = run.carry_on()
    assert result.execution_state is ExecutionState.COMPLETED
    assert run.record().archived == ("s1",) and run.record().plan_version == 2
    [new] = [each for each in run.records().values() if each.replaces == "s1"]
    assert new.lineage == "s1" and run.records()["s1"].superseded_by == new.step
    plan = lab.look().state.plan(run.run)
    assert plan is not None and [each.id for each in plan.steps] == [new.step, "s2"]
    assert run.state is not None
    held = kept(run.state)
    run.load()
    assert kept(run.state) == held


def test_a_long_trace_is_cut_into_segments_that_chain(lab: Lab) -> None:
    many = [step(f"s{number}") for number in range(40)]
    run = Durable.make(lab, *many)
    run.carry_on()
    files = sorted((run.folder / "trace").iterdir())
    assert len(files) > 1 and [each.name for each in files] == [f"{n:04d}.jsonl" for n in range(1, len(files) + 1)]
    assert all(each.stat().st_size < 32 * 1024 for each in files)
    lines = [json.loads(line) for each in files for line in each.read_text("utf-8").splitlines()]
    assert [each["number"] for each in lines] == list(range(1, len(lines) + 1))
    told = show(lab.look().state, run.run, step="s7")
    assert [each.after for each in told.entries] == [
        "ready",
        "in_progress",
        "executed",
        "evaluated",
        "verified_completed",
    ]
    assert len(show(lab.look().state, run.run, last=3).entries) == 3


def test_two_who_carry_on_one_run_never_both_write(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), step("s2", "s1"))
    other = Workspace.find(lab.project.root, environ=ENVIRONMENT, clock=lab.clock)
    lab.opened.insert(0, other)
    late = Durable(lab, run.todo, run.run)
    engine = late.engine(other)
    run.carry_on()
    held = run.record()
    engine.context.lifecycle.move(engine.state, engine.state.plan.step("s1"), StepStatus.READY, Role.SYSTEM)
    with pytest.raises(LoopxError) as error:
        engine.store.save(engine.state, SavePoint.STARTING)
    assert error.value.code == "run-over"
    assert run.record() == held


def test_whoever_goes_on_from_what_is_no_longer_so_is_told_that_the_run_moved(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), step("s2", "s1"))
    (mine, my_store), (other, other_store) = run.load(), run.load()
    for state, store in ((mine, my_store), (other, other_store)):
        engine_move = run.engine().context.lifecycle.move
        engine_move(state, state.plan.step("s1"), StepStatus.READY, Role.SYSTEM, store._writer)
    my_store.save(mine, SavePoint.WAITING)
    with pytest.raises(LoopxError) as error:
        other_store.save(other, SavePoint.WAITING)
    assert error.value.code == "run-moved"
    assert run.statuses() == {"s1": "ready"}


def test_two_who_do_the_very_same_are_not_taken_for_one(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"))
    (mine, my_store), (other, other_store) = run.load(), run.load()
    at = lab.clock.now()
    for state in (mine, other):
        first = state.plan.step("s1")
        first._status = StepStatus.READY
        state.changed.add("s1")
        state.trace.add(at, "step s1", StepStatus.PENDING, StepStatus.READY, Role.SYSTEM, "dependencies")
    my_store.save(mine, SavePoint.WAITING)
    with pytest.raises(LoopxError) as error:
        other_store.save(other, SavePoint.WAITING)
    assert error.value.code == "run-moved"


def test_a_save_whose_answer_was_lost_is_done_once(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Durable.make(lab, step("s1"), step("s2", "s1"))
    submit = Workspace.submit
    lost: list[Committed] = []

    def losing(self: Workspace, command: Command, **way: Any) -> Committed:
        answer = submit(self, command, **way)
        if len(lost) % 2 == 0:
            lost.append(answer)
            raise LoopxError("outcome-unknown", "the answer was lost")
        lost.append(answer)
        return answer

    monkeypatch.setattr(Workspace, "submit", losing)
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    monkeypatch.undo()
    commands = [each for each in lab.subjects() if each.startswith("run: ")]
    assert len(commands) == len(set(lab.operations()) & {each.receipt.operation for each in lost}) + 1
    assert run.actor.asked == ["s1", "s2"]


def test_what_a_person_is_asked_is_on_record_with_the_question_and_answered_days_later(lab: Lab) -> None:
    settings = RunSettings(max_retry_attempts=0, max_replans=0)
    run = Durable.make(lab, step("s1"), step("s2", "s1"), settings=settings, evaluator=Judge({"s1": [False, True]}))
    result = run.carry_on()
    assert result.execution_state is ExecutionState.WAITING_FOR_HUMAN
    gate = lab.look().state.gate(run.record().gate or "")
    assert gate is not None and "retry" in gate.options and run.todo in gate.body
    opened = [each for each in lab.subjects() if each.startswith("gate: open")]
    assert opened == [], "the question and the record that it is asked are one commit"
    lab.restart()
    assert run.carry_on().execution_state is ExecutionState.WAITING_FOR_HUMAN
    lab.clock.wait(3 * 86400)
    run.decide("retry")
    lab.restart()
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    assert run.actor.asked == ["s1", "s1", "s2"] and run.records()["s1"].retry_count == 1
    lab.restart()
    assert run.carry_on().execution_state is ExecutionState.COMPLETED, "an answer is applied once"
    assert run.actor.asked == ["s1", "s1", "s2"]


def test_a_rejected_question_ends_the_run(lab: Lab) -> None:
    settings = RunSettings(max_retry_attempts=0, max_replans=0)
    run = Durable.make(lab, step("s1"), settings=settings, evaluator=Judge({"s1": False}))
    run.carry_on()
    run.decide(None, verb="reject")
    assert run.carry_on().execution_state is ExecutionState.FAILED


def test_whoever_lost_the_lease_writes_nothing_more(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), step("s2", "s1"))
    lab.submit(AddAgent(agent="bot"))
    lab.submit(AddAgent(agent="rex"))
    lab.submit(AcquireLease(todo=run.todo, key="k-1"), BOT)

    def taken_over(view: StepView, attempt: str) -> Acted:
        lab.submit(ReleaseLease(todo=run.todo))
        lab.submit(AcquireLease(todo=run.todo, key="k-2"), REX)
        return DONE

    run.actor = Actor({"s1": taken_over})
    run.lease_key = "k-1"
    with pytest.raises(LoopxError) as error:
        run.carry_on()
    assert error.value.code in ("lease-held", "lease-key-retired")
    assert run.statuses() == {"s1": "in_progress"} and run.actor.asked == ["s1"]
    run.who, run.lease_key = REX, "k-2"
    assert run.carry_on().execution_state is ExecutionState.WAITING_FOR_HUMAN, "whoever goes on does not know its end"
    assert run.record().lease_epoch == 2


def test_a_run_that_was_not_begun_cannot_be_read(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"))
    run.run = "run-zzzz9999"
    with pytest.raises(LoopxError) as error:
        run.load()
    assert error.value.code == "run-unknown"
    with pytest.raises(LoopxError) as error:
        show(lab.look().state, run.run)
    assert error.value.code == "run-unknown"


def test_verification_that_was_switched_off_is_said_so(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), settings=RunSettings(enable_verification=False))
    run.carry_on()
    record = run.records()["s1"]
    assert record.verification_passed is None and record.metadata["verification"] == "disabled"
    assert run.record().verification_status.value == "DISABLED"
    assert DONE.output == record.output
