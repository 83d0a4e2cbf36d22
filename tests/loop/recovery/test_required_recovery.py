"""The tests the recovery execution specification requires, list 7, each named after its place there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loopx.loop.recovery.handlers.retrying import Retry
from loopx.loop.recovery.registry import RecoveryRegistry
from loopx.loop.step import Step
from loopx.model.plan import RunSettings
from loopx.model.step import ExecutionState, FailureStatus, FailureType, RecoveryStrategy, StepStatus
from tests.support.loop import DONE, NO, Files, Human, Planner, Scene, step

DRIFT = replace(NO, failure=FailureType.SEMANTIC_DRIFT)


def writing(files: Files, text: str, found: list[str] | None = None) -> object:
    """An actor's line that writes ``text`` into the files, and keeps what it ``found`` there."""

    def act(*_: object) -> object:
        if found is not None:
            found.append(files.text)
        files.text = text
        return DONE

    return act


# 7.1 retry


def test_S0_7_1_1_first_retry_succeeds() -> None:
    scene = Scene(step("a"), evaluator={"a": [False, True]})
    result = scene.run()
    assert result.execution_state is ExecutionState.COMPLETED
    assert scene.chosen() == ["retry"]
    assert scene.failure().actions[0].success is True


def test_S0_7_1_2_retry_increments_counter() -> None:
    scene = Scene(step("a"), evaluator={"a": [False, False, True]})
    scene.run()
    assert scene.step("a").retry_count == 2
    assert [each.number for each in scene.step("a").attempts] == [1, 2, 3]


def test_S0_7_1_3_step_fields_reset_properly() -> None:
    class Look(Retry):
        def validate_postconditions(self, step: Step | None, state: object) -> bool:
            assert step is not None
            left.append((step.output, step.start_time, step.end_time, step.evaluation_passed, step.verification_passed))
            kept.append((len(step.attempts), step.attempts[-1].evaluation_passed))
            return True

    left: list[object] = []
    kept: list[object] = []
    registry = RecoveryRegistry.shipped()
    registry.register(RecoveryStrategy.RETRY, Look())
    Scene(step("a"), evaluator={"a": [False, True]}, registry=registry).run()
    assert left == [(None,) * 5]
    assert kept == [(1, False)]


def test_S0_7_1_4_step_returns_to_ready() -> None:
    scene = Scene(step("a"), verifier={"a": [False, True]})
    scene.run()
    walk = scene.walk("a")
    at = walk.index("verification_failed")
    assert walk[at : at + 5] == ["verification_failed", "recovery_pending", "retry_pending", "ready", "in_progress"]


# 7.2 replan


@pytest.fixture
def replanned() -> Scene:
    """A step in the middle that failed and was replaced by its planner."""
    scene = Scene(
        step("a"),
        step("b", "a"),
        step("c", "b"),
        evaluator={"b": False},
        planner=Planner(),
        settings=RunSettings(max_retry_attempts=0),
    )
    scene.run()
    return scene


def test_S0_7_2_1_failed_step_replaced(replanned: Scene) -> None:
    assert list(replanned.statuses()) == ["a", "b-v2", "c"]
    old, new = replanned.state.plan.archived["b"], replanned.step("b-v2")
    assert (old.status, old.superseded_by) == (StepStatus.FAILED, "b-v2")
    assert (new.version, new.lineage, new.meant.replaces, new.title) == (2, "b", "b", "Do b better")
    assert new.metadata["failure_evidence"]["message"] == "not good enough"
    assert replanned.moves("step b-v2")[0] == (None, "pending", "planner")


def test_S0_7_2_2_completed_steps_preserved(replanned: Scene) -> None:
    kept = replanned.step("a")
    assert (kept.status, kept.meant, len(kept.attempts)) == (StepStatus.VERIFIED_COMPLETED, step("a"), 1)
    assert replanned.actor.asked == ["a", "b", "b-v2", "c"]


def test_S0_7_2_3_plan_version_incremented(replanned: Scene) -> None:
    assert replanned.state.plan.version == 2
    assert replanned.moves("plan")[-1][:2] == ("1", "2")


def test_S0_7_2_4_new_step_has_correct_dependencies(replanned: Scene) -> None:
    assert replanned.step("b-v2").dependencies == ("a",)
    assert replanned.step("c").dependencies == ("b-v2",)


# 7.3 rollback


def drifting(files: Files, found: list[str] | None = None) -> Scene:
    """Two steps write; the second drifts away from what is wanted once. ``found`` gets what its second go began on."""
    return Scene(
        step("a"),
        step("b", "a"),
        actor={"a": writing(files, "a's"), "b": [writing(files, "b's drift"), writing(files, "b's", found)]},
        evaluator={"b": [DRIFT, True]},
        files=files,
    )


@pytest.fixture
def rolled_back() -> Scene:
    """A run that drifted and was rolled back."""
    scene = drifting(Files())
    scene.run()
    return scene


def test_S0_7_3_1_snapshot_restored() -> None:
    files, found = Files(), list[str]()
    scene = drifting(files, found)
    scene.run()
    wanted = scene.step("a").snapshot
    assert files.restored == [wanted]
    assert files.kept[str(wanted)] == "a's"
    assert found == ["a's"]
    assert files.text == "b's"


def test_S0_7_3_2_verification_passes(rolled_back: Scene) -> None:
    action = rolled_back.failure().actions[0]
    assert (action.strategy, action.success) == (RecoveryStrategy.ROLLBACK, True)
    told = [each.evidence for each in rolled_back.state.trace.entries if each.entity == "artifact"]
    assert [(each["tree"], each["wanted"]) for each in told] == [("a's", "a's")]
    spoiled = Files()
    spoiled.spoil = True
    failed = drifting(spoiled)
    assert failed.run().execution_state is ExecutionState.FAILED
    assert failed.failure().actions[0].success is False
    assert failed.failure().status is FailureStatus.TERMINAL
    assert failed.actor.times("b") == 1


def test_S0_7_3_3_subsequent_steps_reset(rolled_back: Scene) -> None:
    assert ("recovery_pending", "pending", "recovery") in rolled_back.moves("step b")
    assert rolled_back.moves("step a")[-1][1] == "verified_completed"
    assert rolled_back.actor.asked == ["a", "b", "b"]
    assert rolled_back.state.execution_state is ExecutionState.COMPLETED


def test_S0_7_3_4_rollback_recorded_in_trace(rolled_back: Scene) -> None:
    assert rolled_back.moves("artifact") == [(None, rolled_back.step("a").snapshot, "recovery")]
    assert "replanning" in rolled_back.run_states()


# 7.4 limits


@pytest.mark.parametrize(("limit", "executions"), [(0, 1), (1, 2), (3, 4), (5, 6)])
def test_S0_7_4_1_max_attempts_enforced(limit: int, executions: int) -> None:
    scene = Scene(step("a"), evaluator={"a": False}, settings=RunSettings(max_retry_attempts=limit))
    result = scene.run()
    assert scene.actor.times("a") == executions
    assert scene.step("a").retry_count == limit
    assert result.execution_state is ExecutionState.FAILED


def test_S0_7_4_2_new_failure_creates_new_id() -> None:
    scene = Scene(step("a"), evaluator={"a": [False, False, True]})
    scene.run()
    assert len({each.failure_id for each in scene.state.failures.values()}) == 2
    assert [each.failure for each in scene.step("a").attempts[:2]] == list(scene.state.failures)


def test_S0_7_4_3_recovered_failures_not_reprocessed() -> None:
    scene = Scene(step("a"), evaluator={"a": [False, False, True]})
    scene.run()
    assert [len(each.actions) for each in scene.state.failures.values()] == [1, 1]
    assert [each.status for each in scene.state.failures.values()] == [FailureStatus.RECOVERED] * 2
    assert scene.state.counters.recoveries == 2
    for each in scene.state.failures:
        assert [after for _, after, _ in scene.moves(f"failure {each}")].count("recovery_planned") == 1
        assert scene.moves(f"failure {each}")[-1][1] == "recovered"
    chosen, count = scene.chosen(), scene.state.trace.count
    scene.again()
    assert (scene.chosen(), scene.state.trace.count) == (chosen, count)


def test_S0_7_4_4_terminal_failures_stop_recovery() -> None:
    scene = Scene(
        step("a"), step("b"), evaluator={"a": False}, settings=RunSettings(ladder=(RecoveryStrategy.TERMINATE,))
    )
    result = scene.run()
    assert scene.failure().status is FailureStatus.TERMINAL
    assert scene.chosen() == ["terminate"]
    assert (result.execution_state, result.error) == (ExecutionState.FAILED, "not good enough")
    assert scene.actor.asked == ["a"]


# 7.5 state transitions


@pytest.mark.parametrize(
    ("strategy", "state", "status"),
    [
        (RecoveryStrategy.RETRY, "iteration_complete", "verified_completed"),
        (RecoveryStrategy.REPLAN_STEP, "replanning", "failed"),
        (RecoveryStrategy.ROLLBACK, "replanning", "verified_completed"),
        (RecoveryStrategy.REQUEST_HUMAN, "waiting_for_human", "recovery_pending"),
    ],
)
def test_S0_7_5_1_recovery_success_leads_to_a_valid_state(strategy: RecoveryStrategy, state: str, status: str) -> None:
    scene = Scene(
        step("a"),
        evaluator={"a": [False, True]},
        settings=RunSettings(ladder=(strategy,)),
        planner=Planner(),
        human=Human(),
        files=Files(),
    )
    scene.run()
    states = scene.run_states()
    assert states[states.index("recovering") + 1] == state
    assert scene.step("a").status == status
    if state == "replanning":
        assert states[states.index("replanning") + 1] == "iteration_complete"
    assert (states[-1] == "completed") is (strategy is not RecoveryStrategy.REQUEST_HUMAN)


def test_S0_7_5_2_recovery_failure_leads_to_failed() -> None:
    scene = Scene(
        step("a"),
        evaluator={"a": False},
        settings=RunSettings(ladder=(RecoveryStrategy.REPLAN_STEP,), max_attempts_per_failure=1),
        planner=Planner(step=lambda view, failure: (_ for _ in ()).throw(RuntimeError("no idea"))),
    )
    result = scene.run()
    assert scene.failure().status is FailureStatus.TERMINAL
    assert scene.failure().actions[0].message == "RuntimeError: no idea"
    assert result.execution_state is ExecutionState.FAILED
    assert scene.run_states()[-2:] == ["recovering", "failed"]


def test_S0_7_5_3_postcondition_validation_works() -> None:
    class Lazy(Retry):
        async def execute(self, failure: object, step: Step | None, state: object, context: object) -> object:  # type: ignore[override]
            from loopx.loop.recovery.result import RecoveryResult

            return RecoveryResult(True, ExecutionState.ITERATION_COMPLETE, StepStatus.READY, "done, honestly")

    registry = RecoveryRegistry.shipped()
    registry.register(RecoveryStrategy.RETRY, Lazy())
    scene = Scene(step("a"), evaluator={"a": False}, registry=registry)
    result = scene.run()
    first = scene.failure().actions[0]
    assert (first.strategy, first.success) == (RecoveryStrategy.RETRY, False)
    assert first.message == "Recovery postconditions not met"
    assert scene.actor.times("a") == 1
    assert result.execution_state is ExecutionState.FAILED
