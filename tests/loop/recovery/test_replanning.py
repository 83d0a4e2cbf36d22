"""Replans: what is done stays to the letter, what replaces carries on, and nobody waits for what is gone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from loopx.loop.failure import RecoveryAction
from loopx.loop.recovery.handlers.replanning import ReplanRemaining, ReplanStep, changed_completed
from loopx.loop.recovery.registry import RecoveryRegistry
from loopx.model.plan import PlanStep, RunSettings
from loopx.model.step import ExecutionState, FailureStatus, RecoveryStrategy, SkipPolicy, StepStatus
from tests.support.loop import Actor, Planner, Scene, step

E, S, R = ExecutionState, StepStatus, RecoveryStrategy
REST = RunSettings(ladder=(R.REPLAN_REMAINING_TASK,))
STEP = RunSettings(ladder=(R.REPLAN_STEP,))
Rest = Callable[[Any, Any], Sequence[PlanStep]]


def after_a(rest: Rest, *steps: PlanStep, settings: RunSettings = REST, **parts: Any) -> Scene:
    """``a`` is done, ``b`` failed once, ``c`` waits for it: the rest is planned anew."""
    parts.setdefault("evaluator", {"b": [False, True]})
    plan = steps or (step("a"), step("b", "a"), step("c", "b"))
    return Scene(*plan, planner=Planner(rest=rest), settings=settings, **parts)


# one step


def test_a_step_that_comes_back_as_it_was_is_no_replan() -> None:
    scene = Scene(step("a"), evaluator={"a": False}, settings=STEP, planner=Planner(step=lambda view, _: view.meant))
    assert scene.run().execution_state is E.FAILED
    assert scene.failure().actions[0].message == "replan-no-delta: the step came back as it was"
    assert (scene.state.plan.version, scene.actor.times("a")) == (1, 1)


def test_what_a_planner_says_of_descent_is_not_listened_to() -> None:
    forged = {"lineage": "z", "version": 77, "replaces": "z", "depends_on": ("c",)}
    planner = Planner(step=lambda view, _: replace(view.meant, title="other", **forged))  # type: ignore[arg-type]
    scene = Scene(step("z"), step("a", "z"), step("c", "a"), evaluator={"a": False}, settings=STEP, planner=planner)
    assert scene.run().execution_state is E.COMPLETED
    new = scene.step("a-v2")
    assert (new.lineage, new.version, new.meant.replaces, new.dependencies) == ("a", 2, "a", ("z",))


def test_a_planners_own_new_id_is_kept_where_it_is_free() -> None:
    for wanted, found in (("better", "better"), ("c", "c-v2"), ("a", "a-v2")):
        planner = Planner(step=lambda view, _, wanted=wanted: replace(view.meant, id=wanted, title="other"))  # type: ignore[misc]
        scene = Scene(step("a"), step("c", "a"), evaluator={"a": False}, settings=STEP, planner=planner)
        assert scene.run().execution_state is E.COMPLETED
        assert list(scene.statuses()) == [found, "c"]


def test_the_counter_and_what_was_tried_go_on_with_the_new_step() -> None:
    scene = Scene(
        step("a", tool="one"),
        evaluator={"a": False},
        planner=Planner(),
        tools=["one", "two"],
        settings=RunSettings(ladder=(R.CHANGE_TOOL, R.REPLAN_STEP)),
    )
    assert scene.run().execution_state is E.COMPLETED
    new = scene.step("a-v2")
    assert (new.retry_count, new.tried) == (1, ("tool:one", "tool:two"))


def test_evidence_of_what_went_wrong_is_handed_to_the_planner_and_kept_with_both_steps() -> None:
    seen: list[Any] = []

    def revise(view: Any, failure: Any) -> PlanStep:
        seen.append((view.output, failure.message, [each.outcome for each in view.attempts]))
        return replace(view.meant, title="other")

    scene = Scene(step("a"), evaluator={"a": False}, settings=STEP, planner=Planner(step=revise))
    scene.run()
    assert seen == [("done", "not good enough", ["succeeded"])]
    kept = {"failure": scene.failure().failure_id, "message": "not good enough", "output": "done"}
    assert scene.state.plan.archived["a"].metadata["failure_evidence"] == kept
    assert scene.step("a-v2").metadata["failure_evidence"] == kept
    assert scene.state.plan.archived["a"].output == "done"


def test_a_later_failure_of_the_lineage_finds_the_step_that_carries_it_on() -> None:
    scene = Scene(
        step("a"),
        evaluator={"a": False, "a-v2": [False, True]},
        planner=Planner(),
        settings=RunSettings(max_retry_attempts=0, max_replans=5),
    )
    scene.context.components["planner"].rest = lambda views, _: [replace(views[0].meant, title="anew")]  # type: ignore[index]
    assert scene.run().execution_state is E.COMPLETED
    assert scene.chosen() == ["replan_step", "replan_remaining_task"]
    assert [each.lineage for each in scene.state.failures.values()] == ["a", "a"]
    assert scene.statuses() == {"a-v2-v3": "verified_completed"}
    assert scene.step("a-v2-v3").lineage == "a"


# the rest


def test_the_rest_is_planned_anew_and_what_is_done_stays_to_the_letter() -> None:
    rest: Rest = lambda views, _: [replace(step("a"), title="forged"), step("d"), step("e", "d", "a")]  # noqa: E731
    scene = after_a(rest)
    assert scene.run().execution_state is E.COMPLETED
    assert list(scene.statuses()) == ["a", "d", "e"]
    assert (scene.step("a").meant, scene.actor.times("a")) == (step("a"), 1)
    assert {each: old.status.value for each, old in scene.state.plan.archived.items()} == {
        "b": "failed",
        "c": "skipped",
    }
    assert (scene.state.plan.version, scene.state.counters.replans) == (2, 1)
    assert scene.moves("step d")[0] == (None, "pending", "planner")


def test_a_rest_that_comes_back_as_it_was_is_no_replan() -> None:
    scene = after_a(lambda views, _: [each.meant for each in views])
    assert scene.run().execution_state is E.FAILED
    assert scene.failure().actions[0].message.startswith("replan-no-delta")
    assert scene.state.plan.version == 1


@pytest.mark.parametrize(
    ("rest", "problem"),
    [
        ([step("d", "e"), step("e", "d")], "wait for each other"),
        ([step("d", "nowhere")], "the plan does not have"),
        ([step("d"), step("d")], "The step d stands twice"),
        ([], "left nothing to be done"),
        ([step("a")], "left nothing to be done"),
    ],
)
def test_a_rest_that_makes_no_plan_is_refused_and_nothing_changes(rest: list[PlanStep], problem: str) -> None:
    scene = after_a(lambda *_: rest)
    assert scene.run().execution_state is E.FAILED
    assert problem in scene.failure().actions[0].message
    assert list(scene.statuses()) == ["a", "b", "c"]
    assert (scene.state.plan.version, scene.state.plan.archived) == (1, {})


def test_a_failed_step_that_is_planned_again_gets_a_new_id_and_carries_its_lineage_on() -> None:
    scene = after_a(lambda views, _: [replace(step("b", "a"), title="again"), step("c", "b")])
    assert scene.run().execution_state is E.COMPLETED
    assert list(scene.statuses()) == ["a", "b-v2", "c"]
    assert (scene.step("b-v2").lineage, scene.step("b-v2").version) == ("b", 2)
    assert scene.step("c").dependencies == ("b-v2",)
    assert scene.state.plan.archived["b"].superseded_by == "b-v2"


def test_a_step_that_was_not_begun_keeps_its_id_and_rises_in_version_when_it_changes() -> None:
    scene = after_a(
        lambda views, _: [step("d", "a"), replace(step("c", "d"), title="other"), step("e")],
        step("a"),
        step("b", "a"),
        step("c", "b"),
        step("e", "c"),
    )
    assert scene.run().execution_state is E.COMPLETED
    assert (scene.step("c").version, scene.step("c").title, scene.step("c").lineage) == (2, "other", "c")
    assert scene.moves("step c")[0][0] == "pending"


def test_nobody_waits_for_an_id_that_was_replaced_long_ago() -> None:
    scene = after_a(
        lambda views, _: [step("d", "b")],
        settings=RunSettings(ladder=(R.REPLAN_STEP, R.REPLAN_REMAINING_TASK)),
        evaluator={"b": False, "c": False, "c-v2": False},
    )
    assert scene.run().execution_state is E.COMPLETED
    assert scene.step("d").dependencies == ("b-v2",)


def test_a_planner_that_speaks_of_a_replaced_id_means_the_step_of_today() -> None:
    scene = after_a(
        lambda views, _: [replace(step("b"), title="once more"), step("d", "b")],
        settings=RunSettings(ladder=(R.REPLAN_STEP, R.REPLAN_REMAINING_TASK)),
        evaluator={"b": False, "b-v2": False},
    )
    assert scene.run().execution_state is E.COMPLETED
    assert list(scene.statuses()) == ["a", "b-v3", "d"]
    assert (scene.step("b-v3").lineage, scene.step("d").dependencies) == ("b", ("b-v3",))


def test_a_skipped_step_stays_and_waits_for_nothing_that_is_gone() -> None:
    from loopx.model.step import Role

    scene = after_a(lambda *_: [step("d")], step("a"), step("b", "a"), step("s", "b", "a", skip=SkipPolicy.EXCLUDE))
    scene.context.lifecycle.move(scene.state, scene.step("s"), S.SKIPPED, Role.PLANNER)
    assert scene.run().execution_state is E.PARTIALLY_COMPLETED
    assert scene.statuses()["s"] == "skipped"
    assert scene.step("s").dependencies == ("a",)


def test_steps_that_can_never_be_are_taken_out_by_a_replan() -> None:
    from loopx.model.step import Role

    scene = after_a(lambda *_: [step("d", "a")])
    scene.context.lifecycle.move(scene.state, scene.step("c"), S.CANCELLED, Role.SYSTEM)
    assert scene.run().execution_state is E.COMPLETED
    assert set(scene.state.plan.archived) == {"b", "c"}


def test_a_planner_is_told_what_was_seen_and_judged() -> None:
    told: list[Any] = []

    def rest(views: Any, failure: Any) -> list[PlanStep]:
        told.extend((each.id, each.status, each.evaluation_passed, each.verification_passed) for each in views)
        told.append((failure.type, failure.step_id))
        return [step("d")]

    after_a(rest).run()
    assert told == [
        ("a", S.VERIFIED_COMPLETED, True, True),
        ("b", S.RECOVERY_PENDING, False, None),
        ("c", S.PENDING, None, None),
        ("evaluation_failed", "b"),
    ]


def test_a_planner_that_names_another_objective_is_listened_to() -> None:
    scene = Scene(
        step("a"),
        evaluator={"a": False},
        settings=REST,
        planner=Planner(rest=lambda *_: [step("d")], objective="reach it otherwise"),
    )
    scene.run()
    assert scene.state.plan.objective == "reach it otherwise"


def test_a_retry_that_waited_for_its_moment_waits_no_more_when_it_is_replaced() -> None:
    class First:
        def choose(self, failure: Any, state: Any, context: Any) -> RecoveryAction:
            strategy = R.RETRY_WITH_BACKOFF if failure.step_id == "a" else R.REPLAN_REMAINING_TASK
            return RecoveryAction(context.ids.fresh("a"), failure.failure_id, strategy)

    scene = Scene(
        step("a"),
        step("b"),
        evaluator={"a": False, "b": False},
        policy=First(),
        planner=Planner(rest=lambda *_: [step("d")]),
    )
    assert scene.run().execution_state is E.COMPLETED
    assert (scene.state.waiting, scene.clock.waits) == ({}, [])
    assert [each.status for each in scene.state.failures.values()] == [FailureStatus.RECOVERED] * 2


# postconditions


def spoilt(base: type[Any], spoil: Callable[[Any, Any], None]) -> RecoveryRegistry:
    """The handler, and something it should not have done."""

    class Spoilt(base):  # type: ignore[misc]
        async def execute(self, failure: Any, step: Any, state: Any, context: Any) -> Any:
            result = await super().execute(failure, step, state, context)
            spoil(step, state)
            return result

    registry = RecoveryRegistry.shipped()
    registry.register(R.REPLAN_STEP if base is ReplanStep else R.REPLAN_REMAINING_TASK, Spoilt())
    return registry


def _retitle(step: Any, state: Any) -> None:
    state.plan.step("a").meant = replace(state.plan.step("a").meant, title="forged")


def _reoutput(step: Any, state: Any) -> None:
    state.plan.step("a").output = "forged"


def _forget(step: Any, state: Any) -> None:
    state.plan.rebuild([each for each in state.plan.steps if each.id != "a"])


def _twice(step: Any, state: Any) -> None:
    state.plan.version += 1


def _not_at_all(step: Any, state: Any) -> None:
    state.plan.version -= 1


SPOILS = [
    (_retitle, "completed step a changed"),
    (_reoutput, "completed step a changed"),
    (_forget, "completed step a changed"),
    (_twice, "the plan's version did not rise by one"),
    (_not_at_all, "the plan's version did not rise by one"),
]


@pytest.mark.parametrize("base", [ReplanStep, ReplanRemaining])
@pytest.mark.parametrize(("spoil", "violation"), SPOILS)
def test_a_replan_that_touches_what_is_done_is_thrown_away(
    base: type[Any], spoil: Callable[[Any, Any], None], violation: str
) -> None:
    scene = after_a(
        lambda *_: [step("d", "a")], registry=spoilt(base, spoil), settings=STEP if base is ReplanStep else REST
    )
    assert scene.run().execution_state is E.FAILED
    line = next(each for each in scene.state.trace.entries if each.after == "recovery_failed")
    assert violation in line.evidence["violations"]
    assert (scene.step("a").meant, scene.step("a").output, scene.state.plan.version) == (step("a"), "done", 1)
    assert list(scene.statuses()) == ["a", "b", "c"]


def _unwire(step_: Any, state: Any) -> None:
    waiting = state.plan.step("c")
    waiting.meant = replace(waiting.meant, depends_on=("b",))


def _unarchive(step_: Any, state: Any) -> None:
    state.plan.archived = {}


def _redescend(step_: Any, state: Any) -> None:
    new = state.plan.step("b-v2")
    new.meant = replace(new.meant, version=9)


@pytest.mark.parametrize(
    ("spoil", "violation"),
    [
        (_unwire, "a step still waits for the one that was replaced"),
        (_unarchive, "the old step is not archived"),
        (_redescend, "the new step does not carry the old one on"),
    ],
)
def test_a_replaced_step_leaves_nothing_behind_that_waits_for_it(
    spoil: Callable[[Any, Any], None], violation: str
) -> None:
    scene = after_a(lambda *_: [], registry=spoilt(ReplanStep, spoil), settings=STEP)
    assert scene.run().execution_state is E.FAILED
    line = next(each for each in scene.state.trace.entries if each.after == "recovery_failed")
    assert line.evidence["violations"] == [violation]


def test_a_replan_that_changed_nothing_completed_says_so() -> None:
    scene = after_a(lambda *_: [step("d")])
    scene.run()
    assert changed_completed(scene.state, scene.state.draft()) == []


def test_without_a_planner_nothing_is_replanned() -> None:
    scene = Scene(
        step("a"), evaluator={"a": False}, settings=RunSettings(ladder=(R.REPLAN_STEP, R.REPLAN_REMAINING_TASK))
    )
    assert scene.run().execution_state is E.FAILED
    assert scene.chosen() == ["terminate"]


def test_a_running_step_is_left_alone_by_a_replan_of_the_rest() -> None:
    import asyncio

    async def slow(*_: Any) -> Any:
        from tests.support.loop import DONE

        await asyncio.sleep(0.01)
        return DONE

    scene = Scene(
        step("a", effects=()),
        step("b", effects=()),
        step("c", "a"),
        actor=Actor({"b": slow}),
        evaluator={"a": False},
        planner=Planner(rest=lambda *_: [step("d", "b")]),
        settings=RunSettings(parallel=2, ladder=(R.REPLAN_REMAINING_TASK,)),
    )
    assert scene.run().execution_state is E.COMPLETED
    assert scene.statuses() == {"b": "verified_completed", "d": "verified_completed"}
    assert scene.actor.times("b") == 1
