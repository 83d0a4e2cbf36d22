"""Steps a person carries out, over several processes: one Gate an attempt, no failure, and nothing counted."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import DecideGate
from loopx.loop.keeping.asked import awaited_gates
from loopx.loop.result import LeftOff
from loopx.model.actor import Channel
from loopx.model.gate import GateStatus
from loopx.model.plan import Budgets, RunSettings
from loopx.model.step import AttemptOutcome, ExecutionState, FailureType
from tests.support.durable import Durable
from tests.support.lab import ANN, Crash, Lab, crash_at
from tests.support.loop import DONE, step
from tests.support.people import Hands, asked

E = ExecutionState
UNANSWERED = {GateStatus.OPEN, GateStatus.DEFERRED}


def open_gates(lab: Lab) -> list[str]:
    return sorted(each.id for each in lab.look().state.gates("beta", UNANSWERED))


def decided(lab: Lab, gate: str, option: str | None, verb: str = "approve") -> None:
    answer = DecideGate(gate=gate, verb=verb, reason="I did", option=option, channel=Channel.TERMINAL, confirmed=True)
    lab.submit(answer, ANN)


def made(lab: Lab, *steps: Any, **parts: Any) -> Durable:
    return Durable.make(lab, *steps, actor=Hands(parts.pop("lines", None)), **parts)


def test_a_person_is_asked_once_and_answers_days_later(lab: Lab) -> None:
    run = made(lab, asked("s1"), step("s2", "s1"), step("s3"))
    result = run.carry_on()
    [gate] = open_gates(lab)
    assert (result.left_off, result.gates) == (LeftOff.PERSON, (gate,))
    assert [each.id for each in awaited_gates(lab.look().state, run.run, lab.clock.now())] == [gate]
    assert run.statuses() == {"s1": "in_progress", "s3": "verified_completed"}
    count, subjects = run.record().trace_count, len(lab.subjects())
    for _ in range(2):
        lab.restart()
        lab.clock.wait(86400)
        assert run.carry_on().left_off is LeftOff.PERSON
    assert (run.record().trace_count, len(lab.subjects()), open_gates(lab)) == (count, subjects, [gate])
    with pytest.raises(LoopxError) as error:
        decided(lab, gate, "perhaps")
    assert error.value.code == "option-unknown"
    decided(lab, gate, "done")
    decided(lab, gate, "done")
    assert awaited_gates(lab.look().state, run.run, lab.clock.now()) == ()
    lab.restart()
    assert run.carry_on().execution_state is E.COMPLETED
    record = run.records()["s1"]
    assert (record.retry_count, len(record.attempts), record.failures, record.output) == (0, 1, (), "I did")
    assert run.actor.asked == ["s1", "s3", "s2"]
    decided(lab, gate, None, "reject")
    lab.restart()
    assert run.carry_on().execution_state is E.COMPLETED, "what is said afterwards changes nothing"
    lab.assert_sound()


def test_two_steps_that_ask_the_same_have_a_gate_each_beside_steps_that_run(lab: Lab) -> None:
    def answering(*_: Any) -> Any:
        decided(lab, open_gates(lab)[0], "done")
        return DONE

    steps = (asked("s1"), asked("s2"), step("s3", effects=()), step("s4", "s1"), step("s5", "s2"))
    run = made(lab, *steps, settings=RunSettings(parallel=2), lines={"s3": answering})
    result = run.carry_on()
    assert len(result.gates) == 1 and len(open_gates(lab)) == 1
    assert sum(each == "verified_completed" for each in run.statuses().values()) == 3
    decided(lab, open_gates(lab)[0], "done")
    lab.restart()
    assert run.carry_on().execution_state is E.COMPLETED
    assert {each.retry_count for each in run.records().values()} == {0}


@pytest.mark.parametrize("point", ["run-starting-after", "published"])
def test_a_process_that_crashes_while_it_asks_leaves_one_question(lab: Lab, point: str) -> None:
    run = made(lab, asked("s1"), step("s2", "s1"))
    number = 1 if point == "run-starting-after" else 3
    with crash_at(point, number), pytest.raises(Crash):
        run.carry_on()
    lab.restart()
    assert run.carry_on().left_off is LeftOff.PERSON
    [gate] = open_gates(lab)
    decided(lab, gate, "done")
    assert run.carry_on().execution_state is E.COMPLETED
    record = run.records()["s1"]
    assert (record.retry_count, len(record.attempts), record.failures) == (0, 1, ())


@pytest.mark.parametrize("is_late", [True, False])
def test_an_answer_counts_when_it_was_given_in_time_whenever_it_is_found(lab: Lab, is_late: bool) -> None:
    run = made(lab, asked("s1"), settings=RunSettings(human_deadline_hours=2))
    run.carry_on()
    [gate] = open_gates(lab)
    lab.clock.wait(3600)
    if not is_late:
        decided(lab, gate, "done")
    lab.clock.wait(7200)
    if is_late:
        decided(lab, gate, "done")
    result = run.carry_on()
    assert result.execution_state is (E.WAITING_FOR_HUMAN if is_late else E.COMPLETED)
    [attempt] = run.records()["s1"].attempts
    assert attempt.outcome is (AttemptOutcome.UNKNOWN if is_late else AttemptOutcome.SUCCEEDED)
    if is_late:
        [failure] = run.records()["s1"].failures
        assert (failure.type, failure.outcome_unknown) == (FailureType.TIMEOUT, True)


def test_an_answer_to_recovery_that_was_given_in_time_counts_whenever_it_is_found(lab: Lab) -> None:
    settings = RunSettings(human_deadline_hours=2, max_retry_attempts=0, max_replans=0)
    for number, (before, end) in enumerate(((3600, E.COMPLETED), (3 * 3600, E.FAILED))):
        run = made(lab, step(f"s{number}"), settings=settings)
        run.evaluator.lines = {f"s{number}": [False, True]}
        assert run.carry_on().left_off is LeftOff.PERSON
        lab.clock.wait(before)
        run.decide("retry")
        lab.clock.wait(5 * 3600)
        assert run.carry_on().execution_state is end


def test_a_run_that_ends_otherwise_takes_its_questions_back(lab: Lab) -> None:
    def slow(*_: Any) -> Any:
        lab.clock.wait(60)
        return DONE

    run = made(lab, asked("s1"), step("s2"), settings=RunSettings(budgets=Budgets(seconds=30.0)), lines={"s2": slow})
    assert run.carry_on().execution_state is E.BUDGET_EXHAUSTED
    assert run.statuses()["s1"] == "cancelled" and open_gates(lab) == []
    lab.assert_sound()
