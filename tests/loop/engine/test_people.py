"""People: asked with all there is to know, answered once, never answered for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.loop.recovery.handlers.asking import OPTIONS
from loopx.model.plan import RunSettings
from loopx.model.step import ExecutionState, FailureStatus, RecoveryStrategy, SkipPolicy, StepStatus
from tests.support.loop import DONE, GONE, Human, Planner, Scene, step, stuck

E = ExecutionState
ASKING = RunSettings(ladder=(RecoveryStrategy.REQUEST_HUMAN,))


def asking(*steps: Any, **parts: Any) -> Scene:
    """A run whose step ``a`` failed, and who asks about it."""
    parts = {"evaluator": {"a": [False, True]}, "human": Human(), "settings": ASKING, **parts}
    scene = Scene(*(steps or (step("a"), step("b", "a"))), **parts)
    assert scene.run().execution_state is E.WAITING_FOR_HUMAN
    return scene


def test_a_person_is_told_the_step_what_was_tried_and_what_they_may_answer() -> None:
    scene = Scene(step("a"), evaluator={"a": False}, human=Human())
    result = scene.run()
    assert scene.human is not None
    question, options, facts = scene.human.asked[0]
    assert question == "What about step a (Do a)? not good enough"
    assert options == OPTIONS == ("retry", "replan", "skip", "change_tool", "change_model", "abstain", "abort")
    assert facts["step"] == "a"
    assert (facts["executions"], facts["retries"], facts["recoveries"]) == (4, 3, [])
    assert (facts["message"], facts["type"], facts["deadline"]) == ("not good enough", "evaluation_failed", None)
    assert (scene.state.gate, scene.failure(3).status) == ("gate-1", FailureStatus.ESCALATED)
    assert result.question == {**facts, "failure": "f-a0000004", "question": question, "options": list(OPTIONS)}
    assert not result.is_finished


def test_independent_steps_go_on_while_a_person_is_awaited_and_then_the_run_waits() -> None:
    scene = asking(step("a"), step("b"), step("c", "b"), step("d", "a"))
    assert scene.statuses() == {
        "a": "recovery_pending",
        "b": "verified_completed",
        "c": "verified_completed",
        "d": "pending",
    }
    states = scene.run_states()
    first = states.index("waiting_for_human")
    assert states[first + 1] == "iteration_complete"
    assert states[-1] == "waiting_for_human"


def test_a_run_that_waits_goes_on_waiting_without_a_word() -> None:
    scene = asking()
    count = scene.state.trace.count
    assert scene.again().execution_state is E.WAITING_FOR_HUMAN
    assert (scene.state.trace.count, scene.human and len(scene.human.asked)) == (count, 1)


# answers


@pytest.mark.parametrize(
    ("option", "next_state", "end", "statuses"),
    [
        ("retry", E.ITERATION_COMPLETE, E.COMPLETED, {"a": "verified_completed", "b": "verified_completed"}),
        ("change_tool", E.ITERATION_COMPLETE, E.COMPLETED, {"a": "verified_completed", "b": "verified_completed"}),
        ("change_model", E.ITERATION_COMPLETE, E.COMPLETED, {"a": "verified_completed", "b": "verified_completed"}),
        ("replan", E.ITERATION_COMPLETE, E.COMPLETED, {"a-v2": "verified_completed", "b": "verified_completed"}),
        ("skip", E.ITERATION_COMPLETE, E.PARTIALLY_COMPLETED, {"a": "skipped", "b": "verified_completed"}),
        ("abstain", E.ABSTAINED, E.ABSTAINED, {"a": "failed", "b": "pending"}),
        ("abort", E.FAILED, E.FAILED, {"a": "failed", "b": "pending"}),
    ],
)
def test_each_answer_does_what_it_says(option: str, next_state: E, end: E, statuses: dict[str, str]) -> None:
    scene = asking(
        step("a", tool="one", model="m1", skip=SkipPolicy.COUNT),
        step("b", "a"),
        planner=Planner(),
        tools=["one", "two"],
        models=["m1", "m2"],
    )
    scene.answer(option)
    assert scene.state.execution_state is next_state
    assert (scene.state.question, scene.state.gate) == (None, None)
    is_over = option in ("abstain", "abort")
    assert scene.failure().status is (FailureStatus.TERMINAL if is_over else FailureStatus.RECOVERED)
    assert ("replanning" in scene.run_states()) is (option == "replan")
    result = scene.run() if is_over else scene.again()
    assert (result.execution_state, scene.statuses()) == (end, statuses)
    if option.startswith("change"):
        assert getattr(scene.step("a"), option.removeprefix("change_")) in ("two", "m2")
    if option == "abstain":
        assert result.abstention == "ada decided so: not good enough"
    if option == "abort":
        assert result.error == "ada ended it: not good enough"
    causes = [each.cause for each in scene.state.trace.entries if each.entity.startswith("failure")]
    assert f"ada answered {option}" in causes


def test_a_persons_word_stands_in_for_the_limits_once() -> None:
    scene = asking(step("a"), evaluator={"a": False}, settings=RunSettings(max_retry_attempts=0), human=Human())
    scene.answer("retry")
    assert scene.again().execution_state is E.WAITING_FOR_HUMAN
    assert (scene.actor.times("a"), scene.step("a").retry_count) == (2, 1)
    assert scene.chosen() == ["request_human", "retry", "request_human"]


def test_a_persons_word_lets_work_nobody_knows_of_be_done_again() -> None:
    scene = asking(step("a"), actor={"a": [GONE, GONE]}, settings=RunSettings())
    scene.answer("retry")
    assert scene.again().execution_state is E.WAITING_FOR_HUMAN
    assert scene.actor.times("a") == 2


# refusals


def refused(scene: Scene, option: str) -> str:
    before = (scene.state.execution_state, scene.statuses(), scene.state.trace.count, scene.state.question)
    with pytest.raises(LoopxError) as error:
        scene.answer(option)
    after = (scene.state.execution_state, scene.statuses(), scene.state.trace.count, scene.state.question)
    assert after == before
    scene.check()
    return error.value.code


def test_an_answer_nobody_waits_for_is_refused() -> None:
    assert refused(Scene(step("a")), "retry") == "answer-not-awaited"
    scene = asking()
    scene.answer("retry")
    assert refused(scene, "retry") == "answer-not-awaited"
    scene.again()
    assert refused(scene, "abort") == "answer-not-awaited"


@pytest.mark.parametrize("option", ["approve", "", "RETRY", "recovered"])
def test_an_answer_that_was_not_offered_is_refused(option: str) -> None:
    assert refused(asking(), option) == "answer-unknown"


@pytest.mark.parametrize("option", ["replan", "change_tool", "change_model"])
def test_an_answer_that_cannot_be_carried_out_is_refused_and_the_run_still_waits(option: str) -> None:
    scene = asking()
    assert refused(scene, option) == "answer-impossible"
    scene.answer("retry")
    assert scene.again().execution_state is E.COMPLETED


def test_a_plan_that_is_stuck_has_no_step_to_skip() -> None:
    scene = stuck(human=Human())
    assert scene.run().execution_state is E.WAITING_FOR_HUMAN
    assert refused(scene, "skip") == "answer-impossible"
    assert refused(scene, "retry") == "answer-impossible"
    scene.context.components = {**scene.context.components, "planner": Planner(rest=lambda *_: [step("c")])}  # type: ignore[dict-item]
    scene.answer("replan")
    assert scene.again().execution_state is E.PARTIALLY_COMPLETED


# deadlines


def with_deadline(**parts: Any) -> Scene:
    return asking(settings=RunSettings(ladder=(RecoveryStrategy.REQUEST_HUMAN,), human_deadline_hours=2), **parts)


def test_a_deadline_that_is_over_aborts_and_never_approves() -> None:
    scene = with_deadline()
    assert scene.human is not None and scene.human.asked[0][2]["deadline"] == "2026-03-02T11:00:00Z"
    scene.clock.advance(hours=1)
    assert scene.again().execution_state is E.WAITING_FOR_HUMAN
    scene.clock.advance(hours=1)
    result = scene.again()
    assert (result.execution_state, result.error) == (E.FAILED, "nobody in time ended it: not good enough")
    assert scene.failure().status is FailureStatus.TERMINAL


def test_an_answer_after_the_deadline_is_refused() -> None:
    scene = with_deadline()
    scene.clock.advance(hours=3)
    assert refused(scene, "retry") == "answer-not-awaited"


def test_without_a_deadline_nobody_is_hurried() -> None:
    scene = asking()
    scene.clock.advance(days=400)
    assert scene.again().execution_state is E.WAITING_FOR_HUMAN
    scene.answer("retry")
    assert scene.again().execution_state is E.COMPLETED


# several at once


def test_one_question_is_open_at_a_time_and_the_next_one_follows_its_answer() -> None:
    scene = Scene(
        step("a"), step("b"), evaluator={"a": [False, True], "b": [False, True]}, human=Human(), settings=ASKING
    )
    scene.run()
    assert scene.human is not None
    assert [facts["step"] for _, _, facts in scene.human.asked] == ["a"]
    assert scene.chosen() == ["request_human"]
    scene.answer("retry")
    assert scene.again().execution_state is E.WAITING_FOR_HUMAN
    assert [facts["step"] for _, _, facts in scene.human.asked] == ["a", "b"]
    scene.answer("retry")
    assert scene.again().execution_state is E.COMPLETED


def test_a_question_is_withdrawn_when_nothing_is_left_of_what_it_asks() -> None:
    scene = Scene(
        step("a"),
        step("b"),
        evaluator={"a": False, "b": [False, True]},
        human=Human(),
        policy=ByStep(a=RecoveryStrategy.REQUEST_HUMAN, b=RecoveryStrategy.REPLAN_REMAINING_TASK),
        planner=Planner(rest=lambda views, failure: [step("c")]),
    )
    result = scene.run()
    assert (result.execution_state, result.question, scene.state.gate) == (E.COMPLETED, None, None)
    assert [each.status for each in scene.state.failures.values()] == [FailureStatus.RECOVERED] * 2
    assert refused(scene, "retry") == "answer-not-awaited"


class ByStep:
    """A policy with one strategy a step."""

    def __init__(self, **strategies: RecoveryStrategy) -> None:
        self.strategies = strategies

    def choose(self, failure: Any, state: Any, context: Any) -> Any:
        from loopx.loop.failure import RecoveryAction

        return RecoveryAction(context.ids.fresh("a"), failure.failure_id, self.strategies[failure.step_id])


# answered while it runs


def test_an_answer_found_while_the_run_goes_on_is_applied_at_the_next_boundary() -> None:
    found: list[tuple[str, str]] = []

    def act(*_: object) -> object:
        found.append(("retry", "ada"))
        return DONE

    scene = Scene(
        step("a"),
        step("b"),
        actor={"b": act},
        evaluator={"a": [False, True]},
        human=Human(),
        settings=ASKING,
        answers=lambda: found.pop() if found else None,
    )
    assert scene.run().execution_state is E.COMPLETED
    assert scene.actor.asked == ["a", "b", "a"]


def test_an_answer_found_that_cannot_be_done_is_asked_again_with_the_reason() -> None:
    found = [("retry", "ada"), ("replan", "ada")]
    scene = Scene(
        step("a"),
        evaluator={"a": [False, True]},
        human=Human(),
        settings=ASKING,
        answers=lambda: found.pop() if found else None,
    )
    assert scene.run().execution_state is E.COMPLETED
    assert scene.human is not None
    assert [question for question, _, _ in scene.human.asked] == [
        "What about step a (Do a)? not good enough",
        "What about step a (Do a)? not good enough (replan cannot be done: Nobody is there to plan.)",
    ]


def test_a_channel_that_breaks_leaves_the_next_rung() -> None:
    class Deaf(Human):
        def ask(self, *_: Any) -> str:
            raise OSError("no line")

    scene = Scene(step("a"), evaluator={"a": False}, human=Deaf(), settings=RunSettings(max_retry_attempts=0))
    assert scene.run().execution_state is E.FAILED
    assert scene.chosen() == ["request_human", "terminate"]
    assert scene.failure().actions[0].message == "OSError: no line"
    assert scene.state.question is None


def test_a_wait_for_a_retry_comes_before_the_wait_for_a_person() -> None:
    scene = Scene(
        step("a"),
        step("b"),
        evaluator={"a": False, "b": [False, True]},
        human=Human(),
        policy=ByStep(a=RecoveryStrategy.REQUEST_HUMAN, b=RecoveryStrategy.RETRY_WITH_BACKOFF),
    )
    assert scene.run().execution_state is E.WAITING_FOR_HUMAN
    assert scene.clock.waits == [1.0]
    assert scene.step("b").status is StepStatus.VERIFIED_COMPLETED
    assert scene.step("b").attempts[1].started_at - scene.step("b").attempts[0].started_at == timedelta(seconds=1)
