"""Steps that reach outside: never begun without a person's yes, and nobody else held up while they wait for it."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.loop.keeping.permits import Granted, Permit
from loopx.loop.result import LeftOff
from loopx.model.plan import PlanStep, RunSettings
from loopx.model.step import ExecutionState, FailureStatus, FailureType, StepEffect
from tests.support.loop import DONE, Human, Planner, Scene, step

E = ExecutionState
SEND = (StepEffect.SEND,)


class Asked:
    """Permits that are asked for: ``given`` and ``refused`` hold ids of steps."""

    def __init__(self, given: tuple[str, ...] = (), refused: tuple[str, ...] = ()) -> None:
        self.given, self.refused = set(given), set(refused)
        self.asked: list[str] = []

    def standing(self, step: PlanStep) -> Permit:
        return Permit(step.id in self.given, step.id in self.refused, f"{step.id} is not allowed")

    def ask(self, step: PlanStep) -> tuple[str, ...]:
        self.asked.append(step.id)
        return (f"gate-{step.id}",)


def scene_with(permits: Any, *steps: PlanStep, **parts: Any) -> Scene:
    scene = Scene(*steps, **parts)
    scene.context.permits = permits
    return scene


@pytest.mark.parametrize("parallel", [1, 3])
def test_a_step_without_its_yes_is_held_back_while_others_go_on(parallel: int) -> None:
    permits = Asked()
    steps = (step("a", effects=SEND), step("b"), step("c", "b"), step("d", "a"))
    scene = scene_with(permits, *steps, settings=RunSettings(parallel=parallel))
    result = scene.run()
    assert (result.execution_state, result.left_off, result.gates) == (
        E.WAITING_FOR_HUMAN,
        LeftOff.PERSON,
        ("gate-a",),
    )
    assert scene.actor.asked == ["b", "c"] and permits.asked == ["a"], "people are asked when nothing else can run"
    assert scene.statuses()["a"] == "ready" and len(scene.state.failures) == 0
    assert scene.run().left_off is LeftOff.PERSON
    permits.given.add("a")
    result = scene.run()
    assert (result.execution_state, result.gates) == (E.COMPLETED, ())
    assert scene.actor.asked == ["b", "c", "a", "d"]


def test_a_yes_that_comes_while_others_run_is_found_before_anybody_is_asked() -> None:
    permits = Asked()

    def act(*_: Any) -> Any:
        permits.given.add("a")
        return DONE

    scene = scene_with(permits, step("a", effects=SEND), step("b"), actor={"b": act})
    assert scene.run().execution_state is E.COMPLETED
    assert permits.asked == []


def test_a_no_is_never_tried_again_and_the_plan_is_made_anew() -> None:
    permits = Asked(refused=("a",))
    planner = Planner(rest=lambda views, failure: [step("z")])
    scene = scene_with(permits, step("a", effects=SEND), planner=planner)
    assert scene.run().execution_state is E.COMPLETED
    assert scene.actor.asked == ["z"] and scene.chosen() == ["replan_remaining_task"]
    assert (scene.failure().type, scene.failure().status) == (FailureType.PLANNING_FAILURE, FailureStatus.RECOVERED)


def test_without_a_planner_a_person_says_what_becomes_of_a_step_that_was_refused() -> None:
    permits = Asked(refused=("a",))
    scene = scene_with(permits, step("a", effects=SEND), step("b"), human=Human())
    result = scene.run()
    assert (result.left_off, scene.chosen()) == (LeftOff.PERSON, ["request_human"])
    assert scene.statuses() == {"a": "ready", "b": "verified_completed"}
    assert scene.again().left_off is LeftOff.PERSON and len(scene.state.failures) == 1, "a no is one failure"
    with pytest.raises(LoopxError):
        scene.answer("retry")
    scene.answer("skip")
    assert scene.statuses()["a"] == "skipped"
    assert "a" not in scene.actor.asked


def test_a_no_that_became_a_yes_takes_the_question_back() -> None:
    permits = Asked(refused=("a",))
    scene = scene_with(permits, step("a", effects=SEND), human=Human())
    scene.run()
    permits.refused.clear()
    permits.given.add("a")
    assert scene.again().execution_state is E.COMPLETED
    assert scene.human is not None and scene.human.withdrawn == ["gate-1"]
    assert scene.failure().status is FailureStatus.RECOVERED


def test_with_nobody_to_say_anything_a_no_ends_the_run() -> None:
    scene = scene_with(Asked(refused=("a",)), step("a", effects=SEND))
    result = scene.run()
    assert (result.execution_state, result.error) == (E.FAILED, "a is not allowed")
    assert scene.actor.asked == []


# outside a workspace


@pytest.mark.parametrize(
    "fields",
    [{"effects": (each,)} for each in (StepEffect.SEND, StepEffect.PUBLISH, StepEffect.MANAGE)]
    + [{"requires": ("production:goal:deploy",)}],
    ids=str,
)
def test_a_run_that_nobody_permits_anything_refuses_before_it_begins(fields: dict[str, Any]) -> None:
    scene = Scene(step("a"), step("b", "a", **fields))
    with pytest.raises(LoopxError) as error:
        scene.run()
    assert (error.value.code, scene.actor.asked) == ("permit-missing", [])


def test_a_step_a_planner_brings_in_is_refused_too() -> None:
    scene = Scene(planner=Planner(create=lambda objective: [step("a", effects=SEND)]))
    assert scene.run().execution_state is E.FAILED
    assert scene.actor.asked == []


@pytest.mark.parametrize(
    ("given", "end"),
    [(("send", "production:goal:deploy"), E.COMPLETED), (("send",), E.FAILED), (("publish",), E.FAILED)],
)
def test_what_the_caller_permits_is_done_and_nothing_else(given: tuple[str, ...], end: ExecutionState) -> None:
    meant = step("a", effects=SEND, requires=("production:goal:deploy",))
    scene = scene_with(Granted(given), meant)
    assert scene.run().execution_state is end
    assert scene.actor.asked == (["a"] if end is E.COMPLETED else [])
