"""The tests the step lifecycle specification requires, list 8, each named after its place there."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from loopx.loop.step import StepView
from loopx.model.plan import RunSettings
from loopx.model.step import ExecutionState, Role, SkipPolicy, StepStatus, VerificationStatus
from tests.support.loop import DONE, Planner, Scene, at, step

S, R = StepStatus, Role
UNVERIFIED = RunSettings(enable_verification=False)


def refused(scene: Scene, to: StepStatus, role: Role) -> str:
    """The code a move of step ``a`` is refused with; nothing of it has changed, and the refusal is traced."""
    found = scene.step("a")
    before, progress = found.status, scene.state.plan.get_progress()
    with pytest.raises(LoopxError) as raised:
        scene.context.lifecycle.move(scene.state, found, to, role)
    last = scene.state.trace.entries[-1]
    assert (found.status, scene.state.plan.get_progress()) == (before, progress)
    assert (last.before, last.after, last.role, last.refused) == (before, to, role, raised.value.code)
    return raised.value.code


# 8.1 actor


def test_S3_8_1_1_actor_sets_in_progress_when_starting() -> None:
    seen: list[StepView] = []

    def look(view: StepView, attempt: str) -> object:
        seen.append(view)
        return DONE

    scene = Scene(step("a"), actor={"a": look})
    scene.run()
    assert [each.status for each in seen] == [S.IN_PROGRESS]
    assert ("ready", "in_progress", "actor") in scene.moves("step a")
    assert scene.step("a").start_time == scene.clock.now()


def test_S3_8_1_2_actor_sets_executed_when_completing() -> None:
    scene = Scene(step("a"))
    scene.run()
    assert ("in_progress", "executed", "actor") in scene.moves("step a")
    assert scene.step("a").end_time == scene.clock.now()
    assert scene.step("a").output == "done"


def test_S3_8_1_3_actor_cannot_set_evaluated() -> None:
    scene = Scene(step("a"))
    at(scene, "a", S.EXECUTED)
    assert refused(scene, S.EVALUATED, R.ACTOR) == "transition-not-permitted"


def test_S3_8_1_4_actor_cannot_set_verified_completed() -> None:
    scene = Scene(step("a"))
    at(scene, "a", S.EXECUTED)
    assert refused(scene, S.VERIFIED_COMPLETED, R.ACTOR) == "transition-illegal"
    at_evaluated = Scene(step("a"))
    at(at_evaluated, "a", S.EVALUATED)
    assert refused(at_evaluated, S.VERIFIED_COMPLETED, R.ACTOR) == "transition-not-permitted"


def test_S3_8_1_5_actor_cannot_complete_step() -> None:
    scene = Scene(step("a"))
    at(scene, "a", S.EXECUTED)
    assert scene.state.plan.get_progress() == 0.0
    assert not scene.state.plan.is_complete()
    assert not S.EXECUTED.is_terminal
    rejected = Scene(step("a"), evaluator={"a": False}, settings=RunSettings(enable_recovery=False))
    assert rejected.run().execution_state is ExecutionState.FAILED
    assert rejected.actor.times("a") == 1
    assert rejected.walk("a")[:3] == ["ready", "in_progress", "executed"]
    assert "verified_completed" not in rejected.walk("a")


# 8.2 evaluator


def test_S3_8_2_1_evaluator_can_set_evaluated_from_executed() -> None:
    scene = Scene(step("a"))
    scene.run()
    assert ("executed", "evaluated", "evaluator") in scene.moves("step a")
    assert scene.step("a").evaluation_passed is True


def test_S3_8_2_2_evaluator_can_set_evaluation_failed_from_executed() -> None:
    scene = Scene(step("a"), evaluator={"a": False}, settings=RunSettings(enable_recovery=False))
    scene.run()
    assert ("executed", "evaluation_failed", "evaluator") in scene.moves("step a")
    assert scene.step("a").evaluation_passed is False


def test_S3_8_2_3_evaluator_cannot_set_verified_completed() -> None:
    scene = Scene(step("a"))
    at(scene, "a", S.EVALUATED)
    assert refused(scene, S.VERIFIED_COMPLETED, R.EVALUATOR) == "transition-not-permitted"


def test_S3_8_2_4_evaluation_failure_blocks_progress() -> None:
    scene = Scene(step("a"), step("b", "a"), evaluator={"a": False}, settings=RunSettings(enable_recovery=False))
    result = scene.run()
    assert (result.execution_state, result.progress) == (ExecutionState.FAILED, 0.0)
    assert scene.actor.asked == ["a"]
    assert scene.verifier.asked == []


def test_S3_8_2_5_evaluation_pass_allows_progress_with_verification_disabled() -> None:
    scene = Scene(step("a"), step("b", "a"), settings=UNVERIFIED, verifier={"a": RuntimeError("never asked")})
    result = scene.run()
    assert (result.execution_state, result.progress) == (ExecutionState.COMPLETED, 1.0)
    assert ("evaluated", "verified_completed", "system") in scene.moves("step a")
    assert scene.verifier.asked == []
    assert scene.step("a").metadata["verification"] == "disabled"
    assert scene.step("a").verification_passed is None
    assert result.verification_status is VerificationStatus.DISABLED


# 8.3 verifier


def test_S3_8_3_1_verifier_can_set_verified_completed_from_evaluated() -> None:
    scene = Scene(step("a"))
    result = scene.run()
    assert ("evaluated", "verified_completed", "verifier") in scene.moves("step a")
    assert scene.step("a").verification_passed is True
    assert result.verification_status is VerificationStatus.VERIFIED


def test_S3_8_3_2_verifier_can_set_verification_failed_from_evaluated() -> None:
    scene = Scene(step("a"), verifier={"a": False}, settings=RunSettings(enable_recovery=False))
    scene.run()
    assert ("evaluated", "verification_failed", "verifier") in scene.moves("step a")
    assert scene.step("a").verification_passed is False


def test_S3_8_3_3_verification_failure_blocks_completion() -> None:
    scene = Scene(step("a"), step("b", "a"), verifier={"a": False}, settings=RunSettings(enable_recovery=False))
    result = scene.run()
    assert (result.execution_state, result.progress) == (ExecutionState.FAILED, 0.0)
    assert result.verification_status is VerificationStatus.FAILED
    assert scene.actor.asked == ["a"]


def test_S3_8_3_4_verification_pass_enables_completion() -> None:
    scene = Scene(step("a"), step("b", "a"))
    result = scene.run()
    assert (result.execution_state, result.progress) == (ExecutionState.COMPLETED, 1.0)
    assert scene.verifier.asked == ["a", "b"]


# 8.4 progress


@pytest.mark.parametrize("counting", [False, True])
def test_S3_8_4_1_executed_steps_do_not_count_as_complete(counting: bool) -> None:
    assert progress_with(S.EXECUTED, beside=counting) == (0.5 if counting else 0.0)


def test_S3_8_4_2_evaluation_failed_steps_do_not_count_as_complete() -> None:
    assert progress_with(S.EVALUATION_FAILED) == 0.0


def test_S3_8_4_3_evaluated_steps_do_not_count_when_verification_is_required() -> None:
    assert progress_with(S.EVALUATED) == 0.0


def test_S3_8_4_4_verification_failed_steps_do_not_count_as_complete() -> None:
    assert progress_with(S.VERIFICATION_FAILED) == 0.0


def test_S3_8_4_5_verified_completed_steps_count_as_complete() -> None:
    assert progress_with(S.VERIFIED_COMPLETED) == 0.5
    assert progress_with(S.VERIFIED_COMPLETED, beside=True) == 1.0


def test_S3_8_4_6_progress_calculation_is_accurate() -> None:
    every = [each for each in S if each is not S.SKIPPED]
    scene = Scene(*(step(f"s{number}") for number in range(len(every))))
    for number, status in enumerate(every):
        at(scene, f"s{number}", status)
    assert scene.state.plan.get_progress() == 1 / len(every)
    assert [scene.state.plan.count(each) for each in every] == [1] * len(every)
    assert Scene().state.plan.get_progress() == 0.0
    followed = Scene(step("a"), step("b", optional=True), step("c", skip=SkipPolicy.EXCLUDE), step("d"))
    seen = []
    for name, status in (("a", S.VERIFIED_COMPLETED), ("b", S.SKIPPED), ("c", S.SKIPPED), ("d", S.VERIFIED_COMPLETED)):
        at(followed, name, status)
        seen.append(followed.state.plan.get_progress())
    assert seen == [1 / 4, 2 / 4, 2 / 3, 1.0]


def progress_with(status: StepStatus, *, beside: bool = False) -> float:
    """Progress of two steps, one in ``status``, the other pending or complete."""
    scene = Scene(step("a"), step("b"))
    at(scene, "a", status)
    if beside:
        at(scene, "b", S.VERIFIED_COMPLETED)
    assert scene.state.plan.is_complete() is (beside and status is S.VERIFIED_COMPLETED)
    return scene.state.plan.get_progress()


# 8.5 recovery


@pytest.mark.parametrize("judge", ["evaluator", "verifier"])
def test_S3_8_5_1_failed_steps_remain_available_for_recovery(judge: str) -> None:
    scene = Scene(step("a"), **{judge: {"a": [False, True]}})
    result = scene.run()
    assert result.execution_state is ExecutionState.COMPLETED
    assert scene.actor.times("a") == 2
    assert scene.failure().status == "recovered"


def test_S3_8_5_2_recovery_can_reset_to_ready() -> None:
    scene = Scene(step("a"), evaluator={"a": [False, True]})
    scene.run()
    assert ("retry_pending", "ready", "recovery") in scene.moves("step a")
    waiting = Scene(step("a"))
    at(waiting, "a", S.RETRY_PENDING)
    for role in (each for each in R if each is not R.RECOVERY):
        assert refused(waiting, S.READY, role) == "transition-not-permitted"
    waiting.context.lifecycle.move(waiting.state, waiting.step("a"), S.READY, R.RECOVERY)
    assert waiting.step("a").status is S.READY


def test_S3_8_5_3_completed_unaffected_steps_remain_after_replanning() -> None:
    scene = Scene(
        step("a"),
        step("b", "a"),
        evaluator={"b": False},
        planner=Planner(),
        settings=RunSettings(max_retry_attempts=0),
    )
    scene.evaluator.lines["b-v2"] = [True]
    planner_scene_result = scene.run()
    kept = scene.step("a")
    assert planner_scene_result.execution_state is ExecutionState.COMPLETED
    assert scene.statuses() == {"a": "verified_completed", "b-v2": "verified_completed"}
    assert (kept.meant, kept.version, kept.output, len(kept.attempts)) == (step("a"), 1, "done", 1)
    assert scene.actor.times("a") == 1


def test_S3_8_5_4_retry_pending_properly_bridges_to_ready() -> None:
    scene = Scene(step("a"), evaluator={"a": [False, True]})
    scene.run()
    assert scene.walk("a") == [
        "ready",
        "in_progress",
        "executed",
        "evaluation_failed",
        "recovery_pending",
        "retry_pending",
        "ready",
        "in_progress",
        "executed",
        "evaluated",
        "verified_completed",
    ]
