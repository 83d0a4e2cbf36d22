"""Judges: what a verdict is, what none is, and what may be said where nobody judges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from loopx.loop.components.protocols import ComponentType, Verdict
from loopx.model.plan import RunSettings
from loopx.model.step import ExecutionState, FailureStatus, FailureType, VerificationStatus
from tests.support.loop import NO, YES, Human, Planner, Scene, step

E, F = ExecutionState, FailureType
DOWN = ConnectionError("the judge is down")
BOTH = pytest.mark.parametrize("judge", ["evaluator", "verifier"])
LEFT = {"evaluator": "executed", "verifier": "evaluated"}


@BOTH
def test_a_judge_that_breaks_is_asked_three_times_more_with_growing_pauses(judge: str) -> None:
    scene = Scene(step("a"), **{judge: {"a": [DOWN, DOWN, DOWN, True]}})
    assert scene.run().execution_state is E.COMPLETED
    assert scene.clock.waits == [1.0, 2.0, 4.0]
    assert (scene.actor.times("a"), scene.step("a").retry_count, len(scene.state.failures)) == (1, 0, 0)


@BOTH
def test_a_judge_that_stays_down_is_a_persons_to_deal_with_and_touches_no_counter(judge: str) -> None:
    scene = Scene(step("a"), human=Human(), planner=Planner(), **{judge: {"a": DOWN}})
    assert scene.run().execution_state is E.WAITING_FOR_HUMAN
    assert getattr(scene, judge).times("a") == 4
    assert scene.chosen() == ["request_human"]
    found = scene.step("a")
    assert (found.status, found.retry_count, found.evaluation_passed) == (
        LEFT[judge],
        0,
        None if judge == "evaluator" else True,
    )
    assert found.verification_passed is None
    failure = scene.failure()
    assert (failure.type, failure.is_judge_outage) == (F.INTERRUPTED, True)
    assert failure.message == "no verdict on a: ConnectionError: the judge is down"


@BOTH
def test_no_planner_is_asked_to_plan_around_a_judge_that_is_down(judge: str) -> None:
    planner = Planner()
    scene = Scene(step("a"), step("b", "a"), human=Human(), planner=planner, **{judge: {"a": DOWN}})
    assert scene.run().execution_state is E.WAITING_FOR_HUMAN
    assert (scene.chosen(), planner.calls) == (["request_human"], [])


@BOTH
def test_a_judge_that_is_back_judges_and_nothing_is_carried_out_again(judge: str) -> None:
    scene = Scene(step("a"), step("b", "a"), human=Human(), **{judge: {"a": [DOWN] * 4 + [True]}})
    scene.run()
    scene.answer("retry")
    assert scene.failure().status is FailureStatus.RECOVERED
    assert scene.again().execution_state is E.COMPLETED
    assert (scene.actor.asked, scene.step("a").retry_count) == (["a", "b"], 0)
    assert getattr(scene, judge).times("a") == 5


@BOTH
def test_a_judge_that_is_down_again_is_asked_about_again(judge: str) -> None:
    scene = Scene(step("a"), human=Human(), **{judge: {"a": DOWN}})
    scene.run()
    scene.answer("retry")
    assert scene.again().execution_state is E.WAITING_FOR_HUMAN
    assert scene.chosen() == ["request_human"] * 2


@BOTH
@pytest.mark.parametrize(
    ("option", "end", "status"),
    [
        ("skip", E.FAILED, "skipped"),
        ("abort", E.FAILED, "failed"),
        ("abstain", E.ABSTAINED, "failed"),
        ("replan", E.COMPLETED, None),
    ],
)
def test_a_person_may_do_otherwise_about_a_judge(judge: str, option: str, end: E, status: str | None) -> None:
    scene = Scene(step("a"), human=Human(), planner=Planner(), **{judge: {"a": DOWN}})
    scene.run()
    scene.answer(option)
    if option == "skip":
        scene.context.human = scene.context.components[ComponentType.PLANNER] = None  # type: ignore[index]
    assert scene.again().execution_state is end
    assert scene.statuses() == ({"a": status} if status else {"a-v2": "verified_completed"})


@BOTH
def test_without_anybody_to_ask_a_judge_that_is_down_ends_the_run_and_says_nothing_of_the_step(judge: str) -> None:
    scene = Scene(step("a"), **{judge: {"a": DOWN}})
    result = scene.run()
    assert (result.execution_state, scene.chosen()) == (E.FAILED, ["terminate"])
    assert scene.step("a").verification_passed is None
    assert result.verification_status is VerificationStatus.NOT_RUN


@BOTH
@pytest.mark.parametrize(
    "nonsense", [None, "yes", 1, Verdict("yes"), object()], ids=["none", "text", "number", "not-bool", "object"]
)  # type: ignore[arg-type]
def test_what_is_no_verdict_is_a_broken_judge(judge: str, nonsense: Any) -> None:
    scene = Scene(step("a"), human=Human(), **{judge: {"a": nonsense}})
    assert scene.run().execution_state is E.WAITING_FOR_HUMAN
    assert scene.failure().is_judge_outage


@BOTH
def test_independent_steps_go_on_while_a_judge_is_down(judge: str) -> None:
    scene = Scene(step("a"), step("b"), human=Human(), **{judge: {"a": DOWN}})
    scene.run()
    assert scene.statuses() == {"a": LEFT[judge], "b": "verified_completed"}


# verdicts


def test_what_a_judge_saw_stands_in_the_trace_and_with_the_failure() -> None:
    verdict = Verdict(False, "two tests fail", {"failed": 2})
    scene = Scene(step("a"), evaluator={"a": verdict}, settings=RunSettings(enable_recovery=False))
    result = scene.run()
    line = next(each for each in scene.state.trace.entries if each.after == "evaluation_failed")
    assert (line.cause, line.evidence) == ("two tests fail", {"failed": 2})
    assert (scene.failure().message, scene.failure().evidence) == ("two tests fail", "failed: 2")
    assert (result.error, result.evidence) == ("two tests fail", {scene.failure().failure_id: "failed: 2"})


@pytest.mark.parametrize("kind", [F.SEMANTIC_DRIFT, F.INVALID_OUTPUT, F.GOAL_HIJACKING])
@BOTH
def test_a_judge_may_say_what_sort_of_failure_it_is(judge: str, kind: F) -> None:
    scene = Scene(step("a"), settings=RunSettings(enable_recovery=False), **{judge: {"a": replace(NO, failure=kind)}})
    scene.run()
    assert scene.failure().type is kind


def test_a_rejection_without_another_name_goes_by_its_judge() -> None:
    for judge, kind in (("evaluator", F.EVALUATION_FAILED), ("verifier", F.VERIFICATION_FAILED)):
        scene = Scene(step("a"), settings=RunSettings(enable_recovery=False), **{judge: {"a": False}})
        scene.run()
        assert (scene.failure().type, scene.failure().step_id) == (kind, "a")


def test_each_attempt_keeps_its_own_verdicts() -> None:
    scene = Scene(step("a"), evaluator={"a": [False, True]}, verifier={"a": [False, True]})
    scene.run()
    told = [(each.evaluation_passed, each.verification_passed) for each in scene.step("a").attempts]
    assert told == [(False, None), (True, False), (True, True)]


def test_an_evaluator_that_passes_does_not_verify() -> None:
    scene = Scene(step("a"), verifier={"a": False}, settings=RunSettings(enable_recovery=False))
    result = scene.run()
    assert (scene.step("a").evaluation_passed, scene.step("a").verification_passed) == (True, False)
    assert (result.progress, result.verification_status) == (0.0, VerificationStatus.FAILED)


# what may be said


def test_nothing_claims_a_verification_that_was_switched_off() -> None:
    for settings in (
        RunSettings(enable_verification=False),
        RunSettings(enable_verification=False, enable_evaluation=False),
    ):
        scene = Scene(step("a"), settings=settings)
        result = scene.run()
        assert (result.execution_state, result.verification_status) == (E.COMPLETED, VerificationStatus.DISABLED)
        assert scene.step("a").verification_passed is None
        assert scene.step("a").attempts[0].verification_passed is None
        assert scene.step("a").metadata["verification"] == "disabled"
        line = next(each for each in scene.state.trace.entries if each.after == "verified_completed")
        assert (line.role, line.cause) == ("system", "unverified: verification disabled")


def test_verification_is_said_to_be_disabled_even_where_nothing_came_that_far() -> None:
    settings = RunSettings(enable_verification=False, enable_recovery=False)
    scene = Scene(step("a"), evaluator={"a": False}, settings=settings)
    assert scene.run().verification_status is VerificationStatus.DISABLED


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ({"a": True, "b": True}, VerificationStatus.VERIFIED),
        ({"a": True, "b": False}, VerificationStatus.FAILED),
        ({"a": False}, VerificationStatus.FAILED),
    ],
)
def test_never_more_is_said_of_verification_than_was_done(verdicts: dict[str, bool], said: VerificationStatus) -> None:
    scene = Scene(step("a"), step("b", "a"), verifier=verdicts, settings=RunSettings(max_retry_attempts=0))
    assert scene.run().verification_status is said


def test_a_run_that_stopped_half_way_says_that_verification_is_partial() -> None:
    scene = Scene(
        step("a"), step("b", "a"), evaluator={"b": False}, human=Human(), settings=RunSettings(max_retry_attempts=0)
    )
    assert scene.run().verification_status is VerificationStatus.PARTIAL
    nothing = Scene(step("a"), evaluator={"a": False}, human=Human(), settings=RunSettings(max_retry_attempts=0))
    assert nothing.run().verification_status is VerificationStatus.NOT_RUN


def test_components_get_frozen_views() -> None:
    from dataclasses import FrozenInstanceError

    scene = Scene(step("a"), evaluator={"a": [NO, YES]})
    scene.run()
    view = scene.actor.views[1]
    assert (view.retry_count, len(view.attempts), view.attempts[0].evaluation_passed) == (1, 2, False)
    for change in (
        lambda: setattr(view, "status", "verified_completed"),
        lambda: setattr(view.meant, "title", "another"),
        lambda: setattr(view.attempts[0], "evaluation_passed", True),
    ):
        with pytest.raises(FrozenInstanceError):
            change()


def test_an_observer_that_breaks_has_seen_nothing_and_holds_nothing_up() -> None:
    class Blind:
        async def observe(self, view: object, acted: object, context: object) -> dict[str, str]:
            raise OSError("too dark")

    scene = Scene(step("a"), settings=RunSettings(enable_observation=True), others={ComponentType.OBSERVER: Blind()})
    assert scene.run().execution_state is E.COMPLETED
    assert scene.step("a").metadata["observation"] == {"error": "OSError: too dark"}
