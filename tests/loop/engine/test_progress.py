"""How far a plan is, who may begin, and what a working copy leaves alone: all kept up move by move."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loopx.loop.plan import Plan
from loopx.loop.scheduling import choose, next_due, promote
from loopx.loop.step import Step
from loopx.model.plan import PlanStep
from loopx.model.step import ExecutionState, Role, SkipPolicy, StepStatus
from tests.support.loop import Scene, at, step

S = StepStatus


def skipped(scene: Scene, identity: str) -> None:
    scene.context.lifecycle.move(scene.state, scene.step(identity), S.SKIPPED, Role.PLANNER)


# progress


@pytest.mark.parametrize(
    ("fields", "progress", "complete"),
    [
        ({"optional": True}, 1.0, True),
        ({}, 0.5, False),
        ({"skip": SkipPolicy.COUNT}, 1.0, True),
        ({"skip": SkipPolicy.EXCLUDE}, 1.0, True),
        ({"optional": True, "skip": SkipPolicy.BLOCK}, 0.5, False),
    ],
    ids=["optional", "required", "count", "exclude", "block"],
)
def test_a_skipped_step_counts_as_its_policy_says(fields: dict[str, object], progress: float, complete: bool) -> None:
    scene = Scene(step("a"), step("b", **fields))
    skipped(scene, "b")
    assert scene.state.plan.get_progress() == 0.5 * (progress == 1.0 and fields.get("skip") is not SkipPolicy.EXCLUDE)
    at(scene, "a", S.VERIFIED_COMPLETED)
    assert (scene.state.plan.get_progress(), scene.state.plan.is_complete()) == (progress, complete)


def test_a_plan_of_skipped_steps_that_do_not_count_is_never_complete() -> None:
    scene = Scene(step("a", skip=SkipPolicy.EXCLUDE))
    skipped(scene, "a")
    assert (scene.state.plan.get_progress(), scene.state.plan.is_complete()) == (0.0, False)


def test_a_skipped_step_makes_a_finished_run_partly_completed() -> None:
    scene = Scene(step("a"), step("b", optional=True))
    skipped(scene, "b")
    assert scene.run().execution_state is ExecutionState.PARTIALLY_COMPLETED


@pytest.mark.parametrize("status", [each for each in S if each not in (S.SKIPPED, S.VERIFIED_COMPLETED)])
def test_every_other_status_holds_completion(status: StepStatus) -> None:
    scene = Scene(step("a"), step("b"))
    at(scene, "a", S.VERIFIED_COMPLETED)
    at(scene, "b", status)
    assert (scene.state.plan.get_progress(), scene.state.plan.is_complete()) == (0.5, False)


def test_replaced_steps_are_outside_progress() -> None:
    scene = Scene(step("a"), step("b"))
    at(scene, "a", S.FAILED)
    at(scene, "b", S.VERIFIED_COMPLETED)
    scene.state.plan.replace("a", Step(step("a2")))
    assert (len(scene.state.plan), scene.state.plan.get_progress()) == (2, 0.5)
    at(scene, "a2", S.VERIFIED_COMPLETED)
    assert scene.state.plan.is_complete()
    assert scene.state.plan.step("a").superseded_by == "a2"


# dependencies


@pytest.mark.parametrize(
    ("status", "fields", "standing"),
    [
        *((each, {}, S.PENDING) for each in S if not each.is_terminal),
        (S.VERIFIED_COMPLETED, {}, S.READY),
        (S.FAILED, {}, S.BLOCKED),
        (S.CANCELLED, {}, S.BLOCKED),
        (S.SKIPPED, {"optional": True}, S.READY),
        (S.SKIPPED, {"skip": SkipPolicy.COUNT}, S.READY),
        (S.SKIPPED, {"skip": SkipPolicy.EXCLUDE}, S.BLOCKED),
        (S.SKIPPED, {}, S.BLOCKED),
    ],
)
def test_a_step_stands_as_what_it_waits_for_does(
    status: StepStatus, fields: dict[str, object], standing: StepStatus
) -> None:
    scene = Scene(step("a", **fields), step("b", "a"))
    at(scene, "a", status)
    promote(scene.state, scene.context.lifecycle)
    assert scene.statuses()["b"] == standing.value
    laid_out_so = Plan("x", [scene.step("a"), Step(step("b", "a"))])
    assert laid_out_so.standing(laid_out_so.step("b")) is standing


def test_one_that_can_never_be_met_is_enough_to_block_and_all_must_be_met_to_be_ready() -> None:
    scene = Scene(step("a"), step("b"), step("c", "a", "b"))
    at(scene, "a", S.VERIFIED_COMPLETED)
    promote(scene.state, scene.context.lifecycle)
    assert scene.statuses()["c"] == "pending"
    at_failed = Scene(step("a"), step("b"), step("c", "a", "b"))
    at(at_failed, "b", S.FAILED)
    promote(at_failed.state, at_failed.context.lifecycle)
    assert at_failed.statuses()["c"] == "blocked"
    scene.run()
    assert scene.statuses() == dict.fromkeys("abc", "verified_completed")


def test_a_blocked_step_blocks_nobody_before_it_fails_itself() -> None:
    scene = Scene(step("a"), step("b", "a"), step("c", "b"))
    at(scene, "a", S.FAILED)
    promote(scene.state, scene.context.lifecycle)
    assert scene.statuses() == {"a": "failed", "b": "blocked", "c": "pending"}


def test_a_step_waits_for_a_name_twice_as_for_once() -> None:
    scene = Scene(step("a"), step("b", "a", "a"))
    assert scene.run().execution_state is ExecutionState.COMPLETED


def test_the_scheduler_looks_only_at_steps_something_happened_to() -> None:
    scene = Scene(*(step(f"s{n}") for n in range(50)), step("end", *(f"s{n}" for n in range(50))))
    promote(scene.state, scene.context.lifecycle)
    assert scene.state.plan.touched == set()
    at_first = scene.state.plan.step("s0")
    for to, role in ((S.IN_PROGRESS, Role.ACTOR), (S.EXECUTED, Role.ACTOR), (S.EVALUATED, Role.EVALUATOR)):
        scene.context.lifecycle.move(scene.state, at_first, to, role)
    scene.context.lifecycle.move(scene.state, at_first, S.VERIFIED_COMPLETED, Role.VERIFIER)
    assert scene.state.plan.touched == set()


def test_steps_begin_in_the_order_of_the_plan() -> None:
    scene = Scene(*(step(each) for each in "cab"))
    scene.run()
    assert scene.actor.asked == ["c", "a", "b"]


def test_a_step_that_is_ready_twice_is_offered_once() -> None:
    scene = Scene(step("a", effects=()), step("b", effects=()))
    at(scene, "a", S.READY)
    scene.context.lifecycle.move(scene.state, scene.step("a"), S.PENDING, Role.SYSTEM)
    scene.context.lifecycle.move(scene.state, scene.step("a"), S.READY, Role.SYSTEM)
    assert [each.id for each in choose(scene.state, [], 5)] == ["a"]
    assert choose(scene.state, [], 5) == []
    scene.state.plan.offer("a")
    scene.state.plan.offer("a")
    assert [each.id for each in choose(scene.state, [], 5)] == ["a"]


def test_the_next_moment_is_the_earliest() -> None:
    from datetime import timedelta

    scene = Scene(step("a"))
    assert next_due(scene.state) is None
    now = scene.clock.now()
    scene.state.waiting.update(a=now + timedelta(seconds=9), b=now + timedelta(seconds=3))
    assert next_due(scene.state) == now + timedelta(seconds=3)


# working copies


def look(plan: Plan) -> object:
    """All there is to know of a plan, for comparison."""
    steps = [(each, plan.peek(each).meant, plan.status(each), plan.peek(each).retry_count) for each in plan.ids]
    counts = [plan.count(each) for each in S]
    return steps, counts, plan.get_progress(), plan.version, plan.objective, set(plan.archived), set(plan.touched)


def test_what_is_done_to_a_working_copy_shows_nowhere_else_until_it_is_taken_over() -> None:
    scene = Scene(step("a"), step("b", "a"), step("c", "b", optional=True))
    at(scene, "a", S.RECOVERY_PENDING)
    promote(scene.state, scene.context.lifecycle)
    before, lines = look(scene.state.plan), scene.state.trace.count
    draft = scene.state.draft()
    move = scene.context.lifecycle.move
    move(draft, draft.plan.step("a"), S.RETRY_PENDING, Role.RECOVERY)
    move(draft, draft.plan.step("a"), S.READY, Role.RECOVERY)
    move(draft, draft.plan.step("c"), S.SKIPPED, Role.RECOVERY)
    draft.plan.step("a").retry_count = 7
    draft.plan.step("a").metadata["x"] = 1
    draft.plan.objective, draft.counters.replans = "else", 3
    assert look(scene.state.plan) == before
    assert (scene.state.trace.count, scene.state.counters.replans) == (lines, 0)
    assert scene.step("a").metadata == {}
    after = look(draft.plan)
    scene.state.adopt(draft)
    assert look(scene.state.plan) == after
    assert (scene.state.trace.count, scene.state.counters.replans) == (lines + 3, 3)
    assert [each.id for each in choose(scene.state, [], 5)] == ["a"]


def test_a_working_copy_of_another_shape_shows_nowhere_else_until_it_is_taken_over() -> None:
    scene = Scene(step("a"), step("b", "a"), step("c", "b"))
    at(scene, "a", S.RECOVERY_PENDING)
    before = look(scene.state.plan)
    draft = scene.state.draft()
    scene.context.lifecycle.move(draft, draft.plan.step("a"), S.FAILED, Role.RECOVERY)
    draft.plan.replace("a", Step(step("a2")))
    draft.plan.step("c").retry_count = 5
    assert (draft.plan.ids, draft.plan.step("b").dependencies) == (("a2", "b", "c"), ("a2",))
    assert look(scene.state.plan) == before
    assert scene.step("b").dependencies == ("a",)
    scene.state.adopt(draft)
    assert scene.state.plan.ids == ("a2", "b", "c")
    assert (scene.step("b").dependencies, scene.step("c").retry_count) == (("a2",), 5)
    assert scene.state.plan.archived["a"].status is S.FAILED
    assert "a" not in scene.state.plan


def test_a_second_working_copy_knows_nothing_of_the_first() -> None:
    scene = Scene(step("a"), step("b", "a"))
    at(scene, "a", S.EVALUATION_FAILED)
    first = scene.state.draft()
    scene.context.lifecycle.move(first, first.plan.step("a"), S.SKIPPED, Role.RECOVERY)
    second = scene.state.draft()
    assert second.plan.status("a") is S.EVALUATION_FAILED
    assert second.plan.standing(second.plan.step("b")) is S.PENDING


def test_making_a_working_copy_costs_the_same_in_a_large_plan() -> None:
    """Nothing is walked: only what is looked at is copied."""
    plan = Plan("x", [Step(step(f"s{n}")) for n in range(2000)])
    copy = plan.draft()
    assert copy._steps is plan._steps and copy._unmet is plan._unmet and copy._dependents is plan._dependents
    copy.step("s5").retry_count = 1
    assert (set(copy._own or {}), plan.step("s5").retry_count) == ({"s5"}, 0)


def test_completed_dependents_are_never_rewired() -> None:
    scene = Scene(step("a"), step("b"))
    at(scene, "a", S.FAILED)
    at(scene, "b", S.VERIFIED_COMPLETED)
    odd: PlanStep = replace(scene.step("b").meant, depends_on=("a",))
    scene.step("b").meant = odd
    scene.state.plan.rebuild([scene.step("a"), scene.step("b")])
    scene.state.plan.replace("a", Step(step("a2")))
    assert scene.step("b").meant is odd
