"""The handlers one by one: when each may be used, what it does, and what makes its work be thrown away."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from docs.generate.strategies import failure_after, goes_to
from loopx.loop.failing import raised
from loopx.loop.failure import RecoveryAction
from loopx.loop.recovering import recover
from loopx.loop.recovery.handlers import HANDLERS
from loopx.loop.recovery.result import RecoveryResult
from loopx.loop.state import LoopState
from loopx.model.plan import RunSettings
from loopx.model.step import (
    AttemptOutcome,
    ExecutionState,
    FailureStatus,
    FailureType,
    RecoveryStrategy,
    Role,
    StepStatus,
)
from tests.support.loop import NO, Files, Human, Planner, Scene, at, step

E, S, R = ExecutionState, StepStatus, RecoveryStrategy
DRIFT = replace(NO, failure=FailureType.SEMANTIC_DRIFT)
RETRIES = (R.RETRY, R.RETRY_WITH_BACKOFF, R.CHANGE_TOOL, R.CHANGE_MODEL)
NEXT = {
    R.RETRY: E.ITERATION_COMPLETE,
    R.RETRY_WITH_BACKOFF: E.ITERATION_COMPLETE,
    R.REPLAN_STEP: E.REPLANNING,
    R.REPLAN_REMAINING_TASK: E.REPLANNING,
    R.ROLLBACK: E.REPLANNING,
    R.CHANGE_TOOL: E.ITERATION_COMPLETE,
    R.CHANGE_MODEL: E.ITERATION_COMPLETE,
    R.REDUCE_SCOPE: E.REPLANNING,
    R.REQUEST_HUMAN: E.WAITING_FOR_HUMAN,
    R.ABSTAIN: E.ABSTAINED,
    R.TERMINATE: E.FAILED,
}


def ready_for_all(**parts: Any) -> Scene:
    """A run in which every strategy can be used on step ``a``, which failed."""
    parts = {
        "planner": Planner(),
        "human": Human(),
        "files": Files(),
        "tools": ["one", "two"],
        "models": ["m1", "m2"],
        "settings": RunSettings(allow_partial=True, allow_abstain=True),
        **parts,
    }
    scene = Scene(step("a", tool="one", model="m1"), step("b", "a", optional=True), **parts)
    if scene.files is not None:
        scene.state.baseline = scene.files.take("baseline")
    at(scene, "a", S.RECOVERY_PENDING)
    scene.state.execution_state = E.RECOVERING
    raised(scene.state, scene.context, FailureType.EVALUATION_FAILED, "no", scene.step("a"))
    return scene


def carry_out(scene: Scene, strategy: RecoveryStrategy) -> tuple[RecoveryResult, LoopState]:
    """What a handler makes of a working copy."""
    assert scene.context.registry is not None
    draft = scene.state.draft()
    found = draft.plan.step("a")
    result = asyncio.run(scene.context.registry.execute(strategy, scene.failure(), found, draft, scene.context))
    return result, draft


@pytest.mark.parametrize("strategy", R)
def test_each_strategy_takes_and_leads_where_it_should(strategy: RecoveryStrategy) -> None:
    result, draft = carry_out(ready_for_all(), strategy)
    assert (result.success, result.new_state, draft.execution_state) == (True, NEXT[strategy], NEXT[strategy])
    assert result.message


@pytest.mark.parametrize("strategy", R)
def test_a_success_leaves_run_and_failure_as_the_reference_says(strategy: RecoveryStrategy) -> None:
    scene = ready_for_all()
    action = RecoveryAction("a-1", scene.failure().failure_id, strategy)
    assert scene.context.registry is not None
    asyncio.run(recover(scene.state, scene.failure(), action, scene.context, scene.context.registry, scene.store))
    assert scene.run_states()[0] in goes_to(strategy)
    assert scene.failure().status is failure_after(strategy)


@pytest.mark.parametrize("strategy", R)
def test_no_postcondition_holds_of_a_state_nothing_was_done_to(strategy: RecoveryStrategy) -> None:
    scene = ready_for_all()
    draft = scene.state.draft()
    handler = HANDLERS[strategy]()
    assert handler.validate_postconditions(draft.plan.step("a"), draft) is False
    assert handler.violations(draft.plan.step("a"), draft) != ()
    draft.execution_state = NEXT[strategy]
    assert handler.validate_postconditions(draft.plan.step("a"), draft) is False


@pytest.mark.parametrize("strategy", R)
def test_without_a_step_a_handler_says_so_or_does_without(strategy: RecoveryStrategy) -> None:
    scene = ready_for_all()
    draft = scene.state.draft()
    result = asyncio.run(HANDLERS[strategy]().execute(scene.failure(), None, draft, scene.context))
    assert result.success is (strategy not in (*RETRIES, R.REPLAN_STEP))
    assert result.message


def unfit(strategy: RecoveryStrategy) -> Scene:
    """A run in which one strategy, and no other, cannot be used."""
    match strategy:
        case R.CHANGE_TOOL:
            return ready_for_all(tools=["one"])
        case R.CHANGE_MODEL:
            return ready_for_all(models=["m1"])
        case R.REPLAN_STEP | R.REPLAN_REMAINING_TASK:
            return ready_for_all(planner=None)
        case R.ROLLBACK:
            return ready_for_all(files=None)
        case R.REDUCE_SCOPE | R.ABSTAIN:
            return ready_for_all(settings=RunSettings())
        case R.REQUEST_HUMAN:
            return ready_for_all(human=None)
        case _:
            return ready_for_all(settings=RunSettings(max_retry_attempts=0))


@pytest.mark.parametrize("strategy", [each for each in R if each is not R.TERMINATE])
def test_a_precondition_that_does_not_hold_is_said_and_nothing_is_done(strategy: RecoveryStrategy) -> None:
    scene = unfit(strategy)
    handler = HANDLERS[strategy]()
    why = handler.precondition(scene.failure(), scene.step("a"), scene.state, scene.context)
    assert why is not None and why.endswith(".")
    result, draft = carry_out(scene, strategy)
    assert (result.success, result.message) == (False, why)
    assert (draft.plan.status("a"), draft.execution_state) == (S.RECOVERY_PENDING, E.RECOVERING)


@pytest.mark.parametrize("strategy", RETRIES)
@pytest.mark.parametrize("status", S)
def test_only_what_failed_is_tried_again(strategy: RecoveryStrategy, status: StepStatus) -> None:
    scene = Scene(step("a", tool="one", model="m1"), tools=["one", "two"], models=["m1", "m2"])
    at(scene, "a", status)
    failure = raised(scene.state, scene.context, FailureType.EXECUTION_ERROR, "no", scene.step("a"))
    why = HANDLERS[strategy]().precondition(failure, scene.step("a"), scene.state, scene.context)
    is_failed = status in (S.EVALUATION_FAILED, S.VERIFICATION_FAILED, S.RECOVERY_PENDING)
    assert (why is None) is is_failed


# retries


def test_a_retry_counts_resets_and_makes_ready_and_keeps_the_attempts() -> None:
    scene = ready_for_all()
    scene.step("a").snapshot = "snapshot-9"
    _, draft = carry_out(scene, R.RETRY)
    found = draft.plan.step("a")
    assert (found.status, found.retry_count, found.output, found.start_time, found.end_time) == (
        S.READY,
        1,
        None,
        None,
        None,
    )
    assert (found.evaluation_passed, found.verification_passed, found.snapshot) == (None, None, None)
    assert len(found.attempts) == 1
    assert (scene.step("a").retry_count, scene.step("a").output) == (0, "done")


SPOILS = {
    "not counted": lambda step, state: setattr(step, "retry_count", 0),
    "counted twice": lambda step, state: setattr(step, "retry_count", 2),
    "output kept": lambda step, state: setattr(step, "output", "done"),
    "start kept": lambda step, state: setattr(step, "start_time", state.started_at),
    "end kept": lambda step, state: setattr(step, "end_time", state.started_at),
    "verdict kept": lambda step, state: setattr(step, "evaluation_passed", False),
    "verification kept": lambda step, state: setattr(step, "verification_passed", False),
    "attempts forgotten": lambda step, state: step.attempts.clear(),
    "left where it was": lambda step, state: setattr(step, "_status", S.RECOVERY_PENDING),
}


@pytest.mark.parametrize("strategy", RETRIES)
@pytest.mark.parametrize("spoil", SPOILS)
def test_a_retry_that_is_not_quite_one_is_thrown_away(strategy: RecoveryStrategy, spoil: str) -> None:
    _, draft = carry_out(ready_for_all(), strategy)
    found, handler = draft.plan.step("a"), HANDLERS[strategy]()
    assert handler.validate_postconditions(found, draft)
    SPOILS[spoil](found, draft)
    assert not handler.validate_postconditions(found, draft)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda step, state: step.metadata.clear(),
        lambda step, state: setattr(step, "not_before", None),
        lambda step, state: state.waiting.clear(),
        lambda step, state: setattr(step, "_status", S.READY),
    ],
    ids=["no delay", "no moment", "not waiting", "ready before its moment"],
)
def test_a_back_off_that_says_no_moment_is_thrown_away(spoil: Any) -> None:
    _, draft = carry_out(ready_for_all(), R.RETRY_WITH_BACKOFF)
    found = draft.plan.step("a")
    spoil(found, draft)
    assert not HANDLERS[R.RETRY_WITH_BACKOFF]().validate_postconditions(found, draft)


@pytest.mark.parametrize(("strategy", "field"), [(R.CHANGE_TOOL, "tool"), (R.CHANGE_MODEL, "model")])
def test_a_change_that_changes_or_records_nothing_is_thrown_away(strategy: RecoveryStrategy, field: str) -> None:
    for spoil in (
        lambda step: step.metadata.clear(),
        lambda step: step.metadata.update({f"{field}_change": {"from": "x", "to": "y"}}),
        lambda step: setattr(step, field, "one" if field == "tool" else "m1"),
    ):
        _, draft = carry_out(ready_for_all(), strategy)
        found = draft.plan.step("a")
        spoil(found)
        assert not HANDLERS[strategy]().validate_postconditions(found, draft)


def test_a_back_off_never_waits_and_says_when() -> None:
    scene = ready_for_all()
    scene.step("a").retry_count = 2
    result, draft = carry_out(scene, R.RETRY_WITH_BACKOFF)
    found = draft.plan.step("a")
    assert (found.status, found.retry_count) == (S.RETRY_PENDING, 3)
    assert found.not_before == draft.waiting["a"] == scene.clock.now() + timedelta(seconds=4)
    assert result.evidence["backoff_delay"] == found.metadata["backoff_delay"] == 4.0
    assert scene.clock.waits == []


def test_a_back_off_of_nothing_is_ready_at_once() -> None:
    scene = ready_for_all(settings=RunSettings(backoff_base=0.0))
    _, draft = carry_out(scene, R.RETRY_WITH_BACKOFF)
    assert (draft.plan.status("a"), draft.waiting) == (S.READY, {})


def test_a_retry_that_is_put_off_runs_at_its_moment_and_not_before() -> None:
    settings = RunSettings(ladder=(R.RETRY_WITH_BACKOFF,), backoff_base=60.0)
    scene = Scene(step("a"), evaluator={"a": [False, True]}, settings=settings)
    scene.run()
    first, second = scene.step("a").attempts
    assert second.started_at - first.started_at == timedelta(seconds=60)
    assert ("retry_pending", "ready", "recovery") in scene.moves("step a")
    assert scene.state.waiting == {}


@pytest.mark.parametrize(
    ("strategy", "field", "new"), [(R.CHANGE_TOOL, "tool", "two"), (R.CHANGE_MODEL, "model", "m2")]
)
def test_a_change_takes_what_was_not_tried_and_records_old_and_new(
    strategy: RecoveryStrategy, field: str, new: str
) -> None:
    scene = ready_for_all()
    old = getattr(scene.step("a"), field)
    result, draft = carry_out(scene, strategy)
    found = draft.plan.step("a")
    assert (getattr(found, field), found.status, found.retry_count) == (new, S.READY, 1)
    assert found.metadata[f"{field}_change"] == result.evidence == {"from": old, "to": new}
    assert found.tried == (f"{field}:{old}", f"{field}:{new}")
    assert getattr(scene.step("a"), field) == old
    causes = [line[5] for line in draft.trace.lines if line[3] == S.RETRY_PENDING]
    assert causes == [f"{scene.failure().failure_id}: a changes its {field} from {old} to {new}"]


def test_each_alternative_is_tried_once() -> None:
    scene = Scene(
        step("a", tool="t0"),
        evaluator={"a": False},
        tools=["t0", "t1", "t2"],
        settings=RunSettings(ladder=(R.CHANGE_TOOL,), max_retry_attempts=9),
    )
    scene.run()
    assert [each.tool for each in scene.step("a").attempts] == ["t0", "t1", "t2"]


def test_a_step_that_names_no_tool_has_none_to_change() -> None:
    scene = Scene(step("a"), evaluator={"a": False}, tools=["t1"], settings=RunSettings(ladder=(R.CHANGE_TOOL,)))
    scene.run()
    assert scene.chosen() == ["terminate"]


# ending


def test_nobody_abstains_while_something_critical_is_open() -> None:
    settings = RunSettings(ladder=(R.ABSTAIN,), allow_abstain=True)
    scene = Scene(step("a"), step("b", critical=True), evaluator={"a": False}, settings=settings)
    assert scene.run().execution_state is E.FAILED
    done = Scene(step("b", critical=True), step("a"), evaluator={"a": False}, settings=settings)
    result = done.run()
    assert (result.execution_state, result.abstention, result.partial_results) == (
        E.ABSTAINED,
        "not good enough",
        {"b": "done"},
    )
    assert done.failure().status is FailureStatus.TERMINAL
    assert done.statuses() == {"b": "verified_completed", "a": "failed"}


def test_an_end_keeps_evidence_error_and_what_there_is() -> None:
    scene = Scene(step("a"), step("b", "a"), evaluator={"b": False}, settings=RunSettings(ladder=(R.TERMINATE,)))
    result = scene.run()
    failure = scene.failure()
    assert (result.execution_state, result.error) == (E.FAILED, "not good enough")
    assert result.evidence == {failure.failure_id: "not good enough"}
    assert result.partial_results == {"a": "done"}
    assert (failure.status, scene.step("b").status) == (FailureStatus.TERMINAL, S.FAILED)
    line = next(each for each in scene.state.trace.entries if each.after == "terminal")
    assert line.evidence == {"failure": failure.failure_id, "recoveries": ["terminate"]}


def test_a_hijacked_goal_terminates_by_policy() -> None:
    scene = ready_for_all()
    scene.failure().type = FailureType.GOAL_HIJACKING
    result, draft = carry_out(scene, R.TERMINATE)
    assert (result.new_state, draft.execution_state) == (E.POLICY_TERMINATED, E.POLICY_TERMINATED)


# asking


def test_a_question_is_complete() -> None:
    scene = ready_for_all()
    scene.failure().actions.append(RecoveryAction("a-1", "f", R.RETRY, executed=True))
    _, draft = carry_out(scene, R.REQUEST_HUMAN)
    assert draft.question is not None
    for name in ("failure", "question", "options", "step", "executions", "retries", "recoveries", "message", "type"):
        assert name in draft.question
    assert draft.question["recoveries"] == ["retry"]
    assert scene.state.question is None


@pytest.mark.parametrize("missing", ["failure", "question", "options", "step", "recoveries", "message"])
def test_a_question_that_lacks_something_is_not_asked(missing: str) -> None:
    scene = ready_for_all()
    _, draft = carry_out(scene, R.REQUEST_HUMAN)
    assert draft.question is not None
    del draft.question[missing]
    assert not HANDLERS[R.REQUEST_HUMAN]().validate_postconditions(draft.plan.step("a"), draft)


def test_a_second_question_is_not_asked_over_the_first() -> None:
    scene = ready_for_all()
    scene.state.question = {"failure": "f-0"}
    result, draft = carry_out(scene, R.REQUEST_HUMAN)
    assert (result.success, draft.question) == (False, {"failure": "f-0"})


def test_attempts_say_how_each_ended() -> None:
    scene = Scene(step("a"), actor={"a": [RuntimeError("x")]}, human=Human())
    scene.run()
    recorded = scene.step("a").attempts[0].recorded()
    assert (recorded.outcome, recorded.number, recorded.failure) == (
        AttemptOutcome.UNKNOWN,
        1,
        scene.failure().failure_id,
    )
    assert recorded.definition == scene.step("a").attempts[0].definition
    assert Role.ACTOR in {each[2] for each in scene.moves("step a")}
