"""What must never happen, each sentence of it tried."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.loop.components.protocols import Acted
from loopx.loop.definition import definition_digest
from loopx.model.plan import PlanStep, RunSettings
from loopx.model.run import StepRecord
from loopx.model.step import AttemptOutcome, ExecutionState, Role, StepStatus, VerificationStatus
from tests.support.loop import DONE, Human, Planner, Scene, step

E, S = ExecutionState, StepStatus


def test_an_actor_never_sets_a_verdict() -> None:
    """Nothing it returns, raises or reaches for makes its own work pass."""
    reached: list[str] = []

    def greedy(view: Any, attempt: str) -> Any:
        for name, value in (("status", S.VERIFIED_COMPLETED), ("evaluation_passed", True)):
            with pytest.raises((AttributeError, TypeError)):
                setattr(view, name, value)
            reached.append(name)
        with pytest.raises(LoopxError):
            scene.context.lifecycle.move(scene.state, scene.step("a"), S.VERIFIED_COMPLETED, Role.ACTOR)
        return Acted(AttemptOutcome.SUCCEEDED, {"verification_passed": True, "status": "verified_completed"}, 0)

    scene = Scene(step("a"), actor={"a": greedy}, evaluator={"a": False}, settings=RunSettings(enable_recovery=False))
    result = scene.run()
    assert reached == ["status", "evaluation_passed"]
    assert (result.execution_state, result.progress) == (E.FAILED, 0.0)
    assert (scene.step("a").evaluation_passed, scene.step("a").verification_passed) == (False, None)
    assert [each.after for each in scene.state.trace.entries if each.refused] == ["verified_completed"]


def test_a_plan_has_no_place_for_a_verdict() -> None:
    fields = set(PlanStep.__dataclass_fields__)
    verdicts = {"status", "evaluation_passed", "verification_passed", "output", "retry_count", "attempts"}
    assert fields & verdicts == set()
    assert verdicts <= set(StepRecord.__dataclass_fields__)


@pytest.mark.parametrize("judge", ["evaluator", "verifier"])
def test_an_outage_of_a_judge_never_counts_as_a_verdict(judge: str) -> None:
    scene = Scene(step("a"), human=Human(), **{judge: {"a": TimeoutError("no answer")}})  # type: ignore[arg-type]
    scene.run()
    found = scene.step("a")
    passed = found.evaluation_passed if judge == "evaluator" else found.verification_passed
    assert passed is None
    assert not {"evaluation_failed", "verification_failed", "verified_completed"} & set(scene.walk("a"))
    assert (scene.state.plan.get_progress(), found.retry_count, scene.actor.times("a")) == (0.0, 0, 1)


def test_verification_that_is_switched_off_is_never_claimed() -> None:
    scene = Scene(step("a"), settings=RunSettings(enable_verification=False))
    result = scene.run()
    assert result.verification_status is VerificationStatus.DISABLED
    assert scene.step("a").verification_passed is None
    assert not any(each.role == "verifier" for each in scene.state.trace.entries)


def test_an_always_failing_step_with_a_limit_of_three_runs_exactly_four_times() -> None:
    for parts in ({"evaluator": {"a": False}}, {"verifier": {"a": False}}):
        scene = Scene(step("a"), settings=RunSettings(max_retry_attempts=3), **parts)
        scene.run()
        assert scene.actor.times("a") == 4


def test_a_completed_step_never_changes_under_replanning() -> None:
    scene = Scene(
        step("a", tool="one"),
        step("b", "a"),
        evaluator={"b": False, "b-v2": False, "b-v2-v3": False},
        planner=Planner(rest=lambda views, _: [replace(each.meant, title="forged", critical=True) for each in views]),
        settings=RunSettings(max_retry_attempts=0),
    )

    def print_of_a() -> tuple[Any, ...]:
        found = scene.step("a")
        return definition_digest(found.meant, found.tool, found.model), found.meant, found.output, len(found.attempts)

    seen: list[Any] = []
    scene.evaluator.lines["b"] = [lambda view: seen.append(print_of_a()) or False]
    scene.run()
    assert scene.state.counters.replans == 2
    assert seen == [print_of_a()]
    assert scene.step("a").status is S.VERIFIED_COMPLETED


def test_a_dependent_never_waits_for_an_id_that_was_replaced() -> None:
    scene = Scene(
        step("a"),
        step("b", "a"),
        step("c", "a", "b"),
        evaluator={"a": False},
        planner=Planner(),
        settings=RunSettings(max_retry_attempts=0),
    )
    assert scene.run().execution_state is E.COMPLETED
    waited_for = {name for each in scene.state.plan.steps for name in each.dependencies}
    assert waited_for.isdisjoint(scene.state.plan.archived)
    assert scene.statuses() == dict.fromkeys(("a-v2", "b", "c"), "verified_completed")


def test_no_claim_of_a_component_completes_a_run() -> None:
    settings = RunSettings(enable_recovery=False)
    scene = Scene(
        step("a"),
        step("b"),
        actor={"a": replace(DONE, output="the whole plan is completed")},
        evaluator={"b": False},
        settings=settings,
    )
    result = scene.run()
    assert (result.execution_state, result.progress) == (E.FAILED, 0.5)


def test_a_planner_never_completes_a_run_by_leaving_the_work_out() -> None:
    scene = Scene(
        step("a"),
        step("b", "a"),
        evaluator={"b": False},
        planner=Planner(step=lambda view, _: view.meant, rest=lambda views, _: [views[0].meant]),
        settings=RunSettings(max_retry_attempts=0),
    )
    assert scene.run().execution_state is E.FAILED


def test_recovery_that_is_switched_off_never_runs() -> None:
    scene = Scene(step("a"), evaluator={"a": False}, settings=RunSettings(enable_recovery=False), human=Human())
    result = scene.run()
    assert (result.execution_state, result.error) == (E.FAILED, "not good enough")
    assert (scene.chosen(), scene.state.counters.recoveries) == ([], 0)
    assert scene.moves("step a")[-1] == ("evaluation_failed", "failed", "system")


def test_a_step_never_starts_before_what_it_waits_for_is_verified() -> None:
    order: list[str] = []

    def act(view: Any, attempt: str) -> Any:
        order.append(view.id)
        assert all(scene.step(each).status is S.VERIFIED_COMPLETED for each in view.meant.depends_on)
        return DONE

    lines = dict.fromkeys("abcde", act)
    scene = Scene(
        step("e", "d", "b"),
        step("d", "c"),
        step("c", "a"),
        step("b", "a"),
        step("a"),
        actor=lines,
        evaluator={"a": [False, True]},
    )
    assert scene.run().execution_state is E.COMPLETED
    assert order.index("a") < order.index("c") < order.index("d") < order.index("e")
