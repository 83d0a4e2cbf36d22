"""The ladder: which strategy comes for which failure, and where every limit ends it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from loopx.loop.components.protocols import Acted
from loopx.loop.failing import raised
from loopx.loop.failure import RecoveryAction
from loopx.loop.recovery.limits import (
    attempts_left,
    backoff_seconds,
    replans_by_lineage,
    replans_left,
    retries_left,
)
from loopx.loop.recovery.policy import Ladder
from loopx.loop.step import Step
from loopx.model.plan import RunSettings
from loopx.model.step import (
    AttemptOutcome,
    ExecutionState,
    FailureStatus,
    FailureType,
    RecoveryStrategy,
    Resumption,
    StepStatus,
)
from tests.support.loop import NO, Files, Human, Planner, Scene, at, step

E, F, R = ExecutionState, FailureType, RecoveryStrategy
ABOVE = [R.REPLAN_STEP, R.REPLAN_REMAINING_TASK, R.REQUEST_HUMAN, R.TERMINATE]
FIRST_RUNGS = {
    F.TIMEOUT: [R.RETRY_WITH_BACKOFF, *ABOVE],
    F.BUDGET_EXCEEDED: [R.REDUCE_SCOPE, R.ABSTAIN, R.TERMINATE],
    F.INVALID_OUTPUT: [R.RETRY, *ABOVE],
    F.EVALUATION_FAILED: [R.RETRY, *ABOVE],
    F.VERIFICATION_FAILED: [R.RETRY, *ABOVE],
    F.SEMANTIC_DRIFT: [R.ROLLBACK, *ABOVE],
    F.EXECUTION_ERROR: [R.RETRY, *ABOVE],
    F.PLANNING_FAILURE: [R.REPLAN_REMAINING_TASK, R.REQUEST_HUMAN, R.TERMINATE],
    F.GOAL_HIJACKING: [R.TERMINATE],
    F.INTERRUPTED: [R.RETRY, *ABOVE],
    F.RECOVERY_EXHAUSTED: [R.TERMINATE],
}


@pytest.mark.parametrize("kind", F)
def test_the_ladder_of_a_first_failure_by_its_type(kind: FailureType) -> None:
    """Rung by rung, each one failing: every precondition holds, so that nothing is passed over."""
    scene = with_everything(kind)
    failure = scene.failure()
    climbed = []
    while (action := Ladder().choose(failure, scene.state, scene.context)) is not None:
        climbed.append(action.strategy)
        failure.plan(action)
        failure.mark_in_progress()
        failure.record_recovery_attempt(action.action_id)
        failure.mark_recovery_failed()
    assert climbed == FIRST_RUNGS[kind]


def with_everything(kind: FailureType, **fields: Any) -> Scene:
    scene = Scene(
        step("a", tool="one", model="m1", **fields),
        step("b", "a", optional=True),
        planner=Planner(),
        human=Human(),
        files=Files(),
        tools=["one", "two"],
        models=["m1", "m2"],
        settings=RunSettings(allow_partial=True, allow_abstain=True),
    )
    scene.state.baseline = "snapshot-0"
    at(scene, "a", StepStatus.RECOVERY_PENDING)
    raised(scene.state, scene.context, kind, "no", None if kind is F.PLANNING_FAILURE else scene.step("a"))
    return scene


@pytest.mark.parametrize(
    ("limit", "retry_count", "kind", "chosen"),
    [
        (3, 0, F.EVALUATION_FAILED, R.RETRY),
        (3, 1, F.EVALUATION_FAILED, R.RETRY_WITH_BACKOFF),
        (3, 2, F.EVALUATION_FAILED, R.CHANGE_TOOL),
        (3, 3, F.EVALUATION_FAILED, R.REPLAN_STEP),
        (3, 0, F.TIMEOUT, R.RETRY_WITH_BACKOFF),
        (3, 2, F.TIMEOUT, R.CHANGE_TOOL),
        (1, 0, F.EVALUATION_FAILED, R.CHANGE_TOOL),
        (0, 0, F.EVALUATION_FAILED, R.REPLAN_STEP),
        (0, 0, F.TIMEOUT, R.REPLAN_STEP),
    ],
)
def test_the_last_retry_goes_to_something_else(
    limit: int, retry_count: int, kind: FailureType, chosen: RecoveryStrategy
) -> None:
    scene = with_everything(kind)
    scene.context.settings = scene.settings = replace(scene.settings, max_retry_attempts=limit)
    scene.step("a").retry_count = retry_count
    action = Ladder().choose(scene.failure(), scene.state, scene.context)
    assert action is not None and action.strategy is chosen


def test_a_model_is_changed_where_no_tool_is_left_and_a_back_off_comes_where_neither_is() -> None:
    scene = with_everything(F.EVALUATION_FAILED)
    scene.step("a").retry_count = 2
    scene.step("a").tried = ("tool:one", "tool:two")
    assert _next(scene) is R.CHANGE_MODEL
    scene.step("a").tried += ("model:m2",)
    assert _next(scene) is R.RETRY_WITH_BACKOFF


def _next(scene: Scene) -> RecoveryStrategy:
    action = Ladder().choose(scene.failure(), scene.state, scene.context)
    assert action is not None
    return action.strategy


def test_an_always_failing_step_climbs_the_whole_ladder_one_rung_a_failure() -> None:
    scene = Scene(
        step("a", tool="one", model="m1"),
        evaluator=dict.fromkeys(("a", "a-v2", "z"), False),
        planner=Planner(rest=lambda views, failure: [replace(step("z"), title="otherwise")]),
        human=Human(),
        tools=["one", "two"],
    )
    scene.run()
    assert scene.chosen()[:5] == ["retry", "retry_with_backoff", "change_tool", "replan_step", "replan_remaining_task"]
    assert scene.actor.asked[:5] == ["a", "a", "a", "a", "a-v2"]


def test_replans_are_tried_once_a_lineage_and_people_as_often_as_need_be() -> None:
    scene = with_everything(F.EVALUATION_FAILED)
    scene.step("a").retry_count = 3
    for strategy in (R.REPLAN_STEP, R.REPLAN_REMAINING_TASK, R.REQUEST_HUMAN):
        old = raised(scene.state, scene.context, F.EVALUATION_FAILED, "no", scene.step("a"))
        old.plan(RecoveryAction("x", old.failure_id, strategy, success=True))
        old.mark_recovered()
    assert _next(scene) is R.REQUEST_HUMAN


def test_a_plans_own_ladder_is_climbed_instead() -> None:
    ladder = (R.ABSTAIN, R.RETRY, R.TERMINATE)
    scene = Scene(step("a"), evaluator={"a": False}, settings=RunSettings(ladder=ladder, max_retry_attempts=2))
    assert scene.run().execution_state is E.FAILED
    assert (scene.chosen(), scene.actor.times("a")) == (["retry", "retry", "terminate"], 3)


def test_a_ladder_that_has_no_rung_left_ends_the_run() -> None:
    scene = Scene(step("a"), evaluator={"a": False}, settings=RunSettings(ladder=(R.RETRY,), max_retry_attempts=1))
    assert scene.run().execution_state is E.FAILED
    assert scene.chosen() == ["retry", "terminate"]


def test_choosing_changes_nothing() -> None:
    scene = with_everything(F.EVALUATION_FAILED)
    before = (scene.statuses(), scene.state.trace.count, scene.failure().status, scene.state.counters.recoveries)
    for _ in range(3):
        _next(scene)
    assert (
        scene.statuses(),
        scene.state.trace.count,
        scene.failure().status,
        scene.state.counters.recoveries,
    ) == before


# limits


@pytest.mark.parametrize(("limit", "executions"), [(3, 4), (0, 1), (1, 2), (7, 8)])
@pytest.mark.parametrize("judge", ["evaluator", "verifier"])
def test_a_retry_never_passes_its_limit(limit: int, executions: int, judge: str) -> None:
    settings = RunSettings(max_retry_attempts=limit)
    scene = Scene(step("a"), settings=settings, **{judge: {"a": False}})  # type: ignore[arg-type]
    assert scene.run().execution_state is E.FAILED
    assert (scene.actor.times("a"), len(scene.step("a").attempts), scene.step("a").retry_count) == (
        executions,
        executions,
        limit,
    )


def test_tools_and_models_share_the_counter_of_retries() -> None:
    scene = Scene(
        step("a", tool="t0", model="m0"),
        evaluator={"a": False},
        tools=[f"t{n}" for n in range(9)],
        models=[f"m{n}" for n in range(9)],
        settings=RunSettings(ladder=(R.CHANGE_TOOL, R.CHANGE_MODEL, R.RETRY, R.RETRY_WITH_BACKOFF)),
    )
    assert scene.run().execution_state is E.FAILED
    assert scene.actor.times("a") == 4


def test_only_a_tool_that_does_the_same_work_takes_the_place_of_another() -> None:
    scene = Scene(
        step("a", tool="lint"),
        evaluator={"a": False},
        tools=["deploy", "lint", "check"],
        settings=RunSettings(ladder=(R.CHANGE_TOOL,)),
    )
    scene.context.instead_of = {"deploy": (), "check": ("lint",)}
    scene.run()
    assert scene.chosen() == ["change_tool", "terminate"]
    assert [each.tool for each in scene.step("a").attempts] == ["lint", "check"]


def test_the_counter_goes_on_with_the_lineage() -> None:
    scene = Scene(
        step("a"),
        evaluator={"a": False, "a-v2": False},
        planner=Planner(),
        settings=RunSettings(max_retry_attempts=1, max_replans=1),
    )
    assert scene.run().execution_state is E.FAILED
    assert scene.actor.asked == ["a", "a", "a-v2"]
    assert scene.chosen() == ["retry", "replan_step", "terminate"]


@pytest.mark.parametrize(("limit", "times"), [(0, 0), (1, 1), (2, 2)])
def test_a_lineage_is_replanned_as_often_as_the_limit_allows(limit: int, times: int) -> None:
    always = type(
        "Always", (), {"choose": lambda self, f, s, c: RecoveryAction(c.ids.fresh("a"), f.failure_id, R.REPLAN_STEP)}
    )
    scene = Scene(
        step("a"),
        evaluator=dict.fromkeys(("a", "a-v2", "a-v2-v3"), False),
        policy=always(),
        planner=Planner(),
        settings=RunSettings(max_replans=limit),
    )
    assert scene.run().execution_state is E.FAILED
    assert (scene.state.counters.replans, scene.state.plan.version) == (times, 1 + times)


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_one_failure_is_recovered_from_as_often_as_the_limit_allows(limit: int) -> None:
    scene = hopeless(RunSettings(max_attempts_per_failure=limit))
    result = scene.run()
    assert result.execution_state is E.FAILED
    assert scene.failure().recovery_attempts == limit
    exhausted = scene.failure(1)
    assert (exhausted.type, exhausted.status) == (F.RECOVERY_EXHAUSTED, FailureStatus.TERMINAL)
    assert exhausted.message == f"no more is tried for {scene.failure().failure_id}: its {limit} recoveries are used up"
    assert result.error == "not good enough"


def hopeless(settings: RunSettings) -> Scene:
    """A policy that wants nothing but a replan, and a planner with no idea."""
    always = type(
        "Always", (), {"choose": lambda self, f, s, c: RecoveryAction(c.ids.fresh("a"), f.failure_id, R.REPLAN_STEP)}
    )

    def none(*_: Any) -> Any:
        raise RuntimeError("no idea")

    return Scene(step("a"), evaluator={"a": False}, policy=always(), planner=Planner(step=none), settings=settings)


@pytest.mark.parametrize("limit", [0, 1, 4])
def test_a_run_recovers_as_often_as_the_limit_allows(limit: int) -> None:
    scene = Scene(
        *(step(f"s{n}") for n in range(3)),
        evaluator={f"s{n}": [False, False, True] for n in range(3)},
        settings=RunSettings(max_recoveries=limit),
    )
    assert scene.run().execution_state is E.FAILED
    assert scene.state.counters.recoveries == limit
    last = list(scene.state.failures.values())[-1]
    assert last.message.endswith(f"the run's {limit} recoveries are used up")


def test_a_policy_that_breaks_has_chosen_nothing() -> None:
    class Broken:
        def choose(self, *_: Any) -> Any:
            raise ZeroDivisionError("oh")

    scene = Scene(step("a"), evaluator={"a": False}, policy=Broken())
    assert scene.run().execution_state is E.FAILED
    assert scene.failure(1).message.endswith("the policy broke: ZeroDivisionError: oh")


def test_a_failure_nothing_can_be_done_about_ends_the_run() -> None:
    scene = Scene(step("a"), planner=Planner(), human=Human())
    at(scene, "a", StepStatus.RECOVERY_PENDING)
    scene.state.execution_state = E.ITERATION_COMPLETE
    failure = raised(scene.state, scene.context, F.EXECUTION_ERROR, "beyond repair", scene.step("a"))
    failure.recoverable = False
    assert asyncio.run(scene.engine.run()).error == "beyond repair"
    assert (scene.chosen(), failure.status) == (["terminate"], FailureStatus.TERMINAL)


def test_limits_are_asked_before_anything_is_counted() -> None:
    settings = RunSettings(max_retry_attempts=2, max_replans=1, max_attempts_per_failure=3)
    scene = Scene(step("a"))
    found = Step(step("a"))
    assert [retries_left(_with(found, retry_count=n), settings) for n in range(4)] == [2, 1, 0, 0]
    assert replans_left(scene.state, "a", settings) == 1
    scene.state.replans_of["a"] = 5
    assert replans_left(scene.state, "a", settings) == 0
    failure = raised(scene.state, scene.context, F.TIMEOUT, "no")
    failure.recovery_attempts = 2
    assert attempts_left(failure, settings) == 1


def _with(found: Step, **fields: Any) -> Step:
    for name, value in fields.items():
        setattr(found, name, value)
    return found


def test_replans_can_be_counted_again_from_the_failures() -> None:
    scene = Scene(step("a"), evaluator={"a": False}, planner=Planner(), settings=RunSettings(max_retry_attempts=0))
    scene.run()
    assert replans_by_lineage(scene.state.failures.values()) == scene.state.replans_of == {"a": 1}


# back-off


@pytest.mark.parametrize(
    ("base", "count", "cap", "seconds"),
    [
        (1.0, 0, 300.0, 1.0),
        (1.0, 1, 300.0, 2.0),
        (1.0, 2, 300.0, 4.0),
        (0.5, 3, 300.0, 4.0),
        (2.0, 8, 300.0, 300.0),
        (1.0, 10_000_000, 300.0, 300.0),
        (1.0, 10_000_000, 1e308, float(2**30)),
        (0.0, 5, 300.0, 0.0),
        (1.0, -3, 300.0, 1.0),
        (-1.0, 2, 300.0, 0.0),
        (5.0, 0, 1.0, 1.0),
    ],
)
def test_the_delay_is_the_base_doubled_for_each_retry_and_never_above_the_cap(
    base: float, count: int, cap: float, seconds: float
) -> None:
    assert backoff_seconds(count, RunSettings(backoff_base=base, backoff_cap=cap)) == seconds


def test_the_delays_of_a_run_grow_and_are_recorded() -> None:
    settings = RunSettings(ladder=(R.RETRY_WITH_BACKOFF,), max_retry_attempts=4, backoff_base=3.0, backoff_cap=20.0)
    scene = Scene(step("a"), evaluator={"a": False}, settings=settings)
    scene.run()
    assert scene.clock.waits == [3.0, 6.0, 12.0, 20.0]
    assert scene.step("a").metadata["backoff_delay"] == 20.0


def test_what_never_started_and_what_is_repeatable_take_the_same_ladder() -> None:
    for line in (Acted(AttemptOutcome.NOT_STARTED), RuntimeError("x")):
        scene = Scene(step("a", recover=Resumption.REPEAT), actor={"a": line})
        assert scene.run().execution_state is E.FAILED
        assert scene.chosen() == ["retry", "retry_with_backoff", "retry_with_backoff", "terminate"]


def test_drift_goes_back_once_and_is_replanned_then() -> None:
    drift = replace(NO, failure=F.SEMANTIC_DRIFT)
    scene = Scene(step("a"), evaluator={"a": drift}, files=Files(), planner=Planner())
    scene.run()
    assert scene.chosen()[:2] == ["rollback", "replan_step"]
