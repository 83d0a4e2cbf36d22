"""Records of runs, held against their traces: what follows is written, and whatever says more is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from loopx.kernel.commands import OpenGate, RecordRun
from loopx.kernel.plans import chain
from loopx.kernel.plans.planning import meaning_of
from loopx.model.plan import RunSettings
from loopx.model.run import Attempt, FailureRecord, RunRecord, StepRecord, TraceEntry, TraceSegment
from loopx.model.step import (
    AttemptOutcome,
    ExecutionState,
    FailureStatus,
    FailureType,
    StepStatus,
    VerificationStatus,
)
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, G1, REX, T1, Desk, facts
from tests.unit.kernel.test_kernel_plans import RUN, begun, desk, plan, recorded, step

Line = tuple[str, str | None, str, str]
OPENED: tuple[Line, ...] = (("run", "initialized", "iteration_complete", "system"),)
STARTED: tuple[Line, ...] = (
    ("step s1", "pending", "ready", "system"),
    ("run", "iteration_complete", "acting", "system"),
    ("step s1", "ready", "in_progress", "actor"),
)
JUDGED: tuple[Line, ...] = (
    ("step s1", "in_progress", "executed", "actor"),
    ("step s1", "executed", "evaluated", "evaluator"),
    ("step s1", "evaluated", "verified_completed", "verifier"),
    ("run", "acting", "iteration_complete", "system"),
)


def entries(lines: tuple[Line, ...], head: str = "", count: int = 0) -> tuple[TraceEntry, ...]:
    found: list[TraceEntry] = []
    for number, (entity, before, after, role) in enumerate(lines, count + 1):
        told: tuple[Any, ...] = (number, START, entity, before, after, role, "", None, {})
        head = chain.chained(head, *told)
        found.append(TraceEntry._make((*told, head)))
    return tuple(found)


def record_of(desk: Desk) -> RunRecord:
    found = desk.state.run(RUN)
    assert found is not None
    return found


def command(desk: Desk, lines: tuple[Line, ...], *steps: StepRecord, **fields: Any) -> RecordRun:
    """The record that follows from ``lines``; ``fields`` are those of the run that say something else."""
    before = record_of(desk)
    made = entries(lines, before.trace_hash, before.trace_count)
    status = next((each.after for each in reversed(made) if each.entity == "run"), before.status.value)
    said: dict[str, Any] = {
        "status": ExecutionState(status),
        "trace_count": before.trace_count + len(made),
        "trace_hash": made[-1].hash if made else before.trace_hash,
    }
    record = replace(before, **{**said, **fields})
    return RecordRun(run=RUN, head=said["trace_hash"], point="ended", steps=steps, entries=made, record=record)


def attempt(number: int = 1, outcome: AttemptOutcome = AttemptOutcome.RUNNING) -> Attempt:
    return Attempt(id=f"{RUN}/s1/{number}", number=number, definition="x", started_at=START, outcome=outcome)


def s1(status: StepStatus, *attempts: Attempt, **fields: Any) -> StepRecord:
    return StepRecord(
        **{
            "step": "s1",
            "run": RUN,
            "todo": T1,
            "goal": "beta",
            "status": status,
            "lineage": "s1",
            "version": 1,
            "attempts": attempts,
            **fields,
        }
    )


DONE = attempt(outcome=AttemptOutcome.SUCCEEDED)


def fresh(settings: RunSettings | None = None) -> Desk:
    made = desk(plan(settings=settings or RunSettings()), begun(ExecutionState.INITIALIZED))
    made.do(command(made, OPENED), BOT)
    return made


def started() -> Desk:
    made = fresh()
    made.do(command(made, STARTED, s1(StepStatus.IN_PROGRESS, attempt())), BOT)
    return made


def judged(**fields: Any) -> StepRecord:
    verdicts = {"evaluation_passed": True, "verification_passed": True}
    return s1(StepStatus.VERIFIED_COMPLETED, DONE, **{**verdicts, **fields})


def test_what_follows_from_the_trace_is_written() -> None:
    made = started()
    found = made.do(command(made, JUDGED, judged()), BOT)
    record = record_of(made)
    assert facts(found)["line"] == record.trace_count == 8
    assert made.state.step(RUN, "s1") == judged()
    segment = made.state.trace_segment(RUN, 1)
    assert segment is not None and len(segment.entries) == 8 and chain.first_break(segment.entries) is None


def test_a_full_segment_is_left_and_another_one_begun() -> None:
    made = fresh()
    lines = tuple(("artifact", None, f"snapshot-{number}", "system") for number in range(200))
    made.do(command(made, lines), BOT)
    segments = list(made.state.trace_of(RUN))
    assert len(segments) > 1 and record_of(made).trace_segment == len(segments)
    assert all(sum(map(chain.size_of, each.entries)) < 2 * chain.SEGMENT_SIZE for each in segments)
    assert chain.first_break(one for each in segments for one in each.entries) is None
    made.do(command(made, (("artifact", None, "one more", "system"),)), BOT)
    assert isinstance(segments[-1], TraceSegment)
    assert len(list(made.state.trace_of(RUN))) in (len(segments), len(segments) + 1)


Tamper = Callable[[RecordRun], RecordRun]


def run_says(**fields: Any) -> Tamper:
    return lambda asked: replace(asked, record=replace(asked.record, **fields))


def step_says(**fields: Any) -> Tamper:
    return lambda asked: replace(asked, steps=tuple(replace(each, **fields) for each in asked.steps))


@pytest.mark.parametrize(
    "tamper",
    [
        run_says(status=ExecutionState.COMPLETED, ended_at=START),
        run_says(started_by="human:Eve"),
        run_says(steps_executed=-1),
        run_says(ended_at=START),
        run_says(gate=G1),
        run_says(plan_version=2),
        step_says(status=StepStatus.EXECUTED),
        step_says(verification_passed=None),
        step_says(evaluation_passed=False),
        step_says(attempts=()),
        step_says(attempts=(DONE, attempt(2))),
        step_says(attempts=(replace(DONE, definition="y"),)),
        step_says(attempts=(replace(DONE, number=2),)),
        step_says(todo="t-zzzz9999"),
        step_says(retry_count=-1),
        lambda asked: replace(asked, steps=()),
        lambda asked: replace(asked, steps=(*asked.steps, replace(asked.steps[0], step="s9"))),
        lambda asked: replace(asked, question=OpenGate(goal="beta", scope="other:goal:x", question="May I?")),
    ],
)
def test_a_record_that_says_more_than_its_trace_is_refused(tamper: Tamper) -> None:
    made = started()
    assert made.no(tamper(command(made, JUDGED, judged())), BOT).code == "run-record-untrue"


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ((("step s1", "in_progress", "evaluated", "evaluator"),), "transition-illegal"),
        ((("step s1", "in_progress", "executed", "verifier"),), "transition-not-permitted"),
        ((("step s1", "ready", "in_progress", "actor"),), "run-record-untrue"),
        ((("step s1", None, "pending", "planner"),), "run-record-untrue"),
        ((("step s1", "in_progress", "wonderful", "actor"),), "run-record-untrue"),
        ((("run", "acting", "completed", "system"),), "run-transition-illegal"),
        ((("run", "planning", "iteration_complete", "system"),), "run-record-untrue"),
        ((("failure f-1", None, "recovered", "system"),), "transition-illegal"),
        ((("failure f-1", "recovered", "unhandled", "system"),), "transition-illegal"),
        (
            (
                ("step s1", "in_progress", "executed", "actor"),
                ("step s1", "executed", "evaluated", "system"),
            ),
            "transition-not-permitted",
        ),
    ],
)
def test_a_line_no_table_allows_is_refused(lines: tuple[Line, ...], code: str) -> None:
    made = started()
    refused = made.no(command(made, lines, s1(StepStatus.IN_PROGRESS, attempt()), status=ExecutionState.ACTING), BOT)
    assert refused.code == code


def test_a_try_that_was_refused_stands_in_the_trace_and_moves_nothing() -> None:
    made = started()
    asked = command(made, (("step s1", "in_progress", "verified_completed", "actor"),))
    told: tuple[Any, ...] = (*asked.entries[0][:7], "transition-not-permitted", {})
    line = TraceEntry._make((*told, chain.chained(record_of(made).trace_hash, *told)))
    record = replace(asked.record, trace_hash=line.hash)
    made.do(replace(asked, entries=(line,), head=line.hash, record=record), BOT)


def test_a_phase_that_is_switched_off_is_passed_by_the_scheduler_alone() -> None:
    made = fresh(RunSettings(enable_verification=False))
    made.do(command(made, STARTED, s1(StepStatus.IN_PROGRESS, attempt())), BOT)
    lines = (*JUDGED[:2], ("step s1", "evaluated", "verified_completed", "system"), JUDGED[3])
    asked = command(made, lines, judged(verification_passed=None))
    claimed = run_says(verification_status=VerificationStatus.VERIFIED)(asked)
    assert made.no(claimed, BOT).code == "run-record-untrue"
    assert made.no(step_says(verification_passed=True)(asked), BOT).code == "run-record-untrue"
    made.do(asked, BOT)


@pytest.mark.parametrize(
    "change",
    [
        lambda asked: replace(asked, record=replace(asked.record, trace_count=asked.record.trace_count + 1)),
        lambda asked: replace(asked, entries=(), head="x"),
        lambda asked: replace(asked, entries=entries(JUDGED, "another head", 4)),
    ],
)
def test_whoever_goes_on_from_what_is_not_on_record_is_told_that_the_run_moved(change: Tamper) -> None:
    made = started()
    assert made.no(change(command(made, JUDGED, judged())), BOT).code == "run-moved"


def test_a_chain_that_breaks_later_on_is_refused() -> None:
    made = started()
    asked = command(made, JUDGED, judged())
    broken = (*asked.entries[:2], asked.entries[2]._replace(cause="made up"), *asked.entries[3:])
    assert made.no(replace(asked, entries=broken), BOT).code == "run-record-untrue"


def test_retries_stop_at_the_limit_unless_a_person_said_otherwise() -> None:
    made = desk(
        plan(settings=RunSettings(max_retry_attempts=0)),
        begun(),
        replace(recorded("s1", StepStatus.EVALUATION_FAILED), evaluation_passed=False),
    )
    lines = (
        ("step s1", "evaluation_failed", "retry_pending", "recovery"),
        ("step s1", "retry_pending", "ready", "recovery"),
    )
    again = replace(recorded("s1", StepStatus.READY), retry_count=1)
    refused = made.no(command(made, lines, again), BOT)
    assert refused.code == "run-record-untrue" and "limit" in refused.message


def test_failures_are_never_forgotten_nor_taken_up_again() -> None:
    failure = FailureRecord(
        failure_id="f-1",
        type=FailureType.EVALUATION_FAILED,
        message="no",
        step="s1",
        lineage="s1",
        status=FailureStatus.RECOVERED,
        raised_at=START,
    )
    made = desk(plan(), begun(), replace(recorded("s1", StepStatus.READY), failures=(failure,)))
    lines: tuple[Line, ...] = (("artifact", None, "x", "system"),)
    for failures in ((), (replace(failure, status=FailureStatus.UNHANDLED),)):
        asked = command(made, lines, replace(recorded("s1", StepStatus.READY), failures=failures))
        assert made.no(asked, BOT).code == "run-record-untrue"


def test_only_whoever_began_a_run_or_executes_its_todo_records_it() -> None:
    made = started()
    assert made.no(command(made, JUDGED, judged()), REX).code == "actor-not-permitted"
    assert made.no(command(made, JUDGED, judged()), ANN).code == "actor-not-permitted"
    assert made.no(replace(command(made, JUDGED, judged()), lease_key="k-1"), REX).code == "lease-missing"


def test_nothing_is_recorded_of_a_run_that_was_not_begun_or_has_ended() -> None:
    made = desk(plan())
    record = begun(ExecutionState.INITIALIZED)
    asked = RecordRun(run=RUN, head="", point="ended", record=record)
    assert made.no(asked, BOT).code == "run-unknown"
    ended = desk(plan(), begun(ExecutionState.FAILED, ended_at=START))
    assert ended.no(command(ended, ()), BOT).code == "run-over"


def test_a_question_is_opened_with_the_record_that_asks_it() -> None:
    made = fresh()
    lines: tuple[Line, ...] = (("run", "iteration_complete", "waiting_for_human", "system"),)
    question = OpenGate(goal="beta", scope=f"other:goal:{RUN}", question="What now?", options=("retry", "abort"))
    asked = replace(command(made, lines, gate=G1), question=question)
    assert facts(made.do(asked, BOT))["gate"] == G1
    assert made.gate().question == "What now?" and record_of(made).gate == G1
    again = replace(command(made, (("artifact", None, "x", "system"),), gate=G1), question=question)
    assert made.no(again, BOT).code == "id-reused"


def test_a_replan_rewrites_what_is_not_done_and_nothing_else() -> None:
    made = started()
    made.do(command(made, JUDGED, judged()), BOT)
    before = made.state.plan(RUN)
    assert before is not None
    lines: tuple[Line, ...] = (("plan", "1", "2", "recovery"),)

    def replan(**fields: Any) -> RecordRun:
        after = replace(before, version=2, **fields)
        return replace(command(made, lines, plan_version=2), plan=after, replaces=meaning_of(before))

    changed = (step("s1", title="Otherwise"),)
    assert made.no(replan(steps=changed), BOT).code == "plan-step-begun"
    assert made.no(replan(settings=RunSettings(parallel=9)), BOT).code == "run-record-untrue"
    assert made.no(replan(steps=(*before.steps, step("s2", "s9"))), BOT).code == "plan-invalid"
    assert made.no(replace(replan(), replaces="another"), BOT).code == "run-moved"
    made.do(replan(steps=(*before.steps, step("s2", "s1"))), BOT)
    after = made.state.plan(RUN)
    assert after is not None and [each.id for each in after.steps] == ["s1", "s2"] and after.version == 2
