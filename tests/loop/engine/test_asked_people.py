"""Steps a person carries out: nobody is held up while they are awaited, and nothing is counted."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from loopx.loop.components.protocols import Acted
from loopx.loop.context import Answer
from loopx.loop.keeping.store import MemoryRunStore
from loopx.loop.result import LeftOff
from loopx.model.plan import Budgets, RunSettings
from loopx.model.step import AttemptOutcome, ExecutionState, FailureType, RecoveryStrategy, StepStatus
from tests.support.loop import DONE, Human, Kept, Scene, at, step
from tests.support.people import Hands, asked

E, S = ExecutionState, StepStatus
YES, NO = Answer(True, "done"), Answer(True, "not_done", "it does not fit")


def scene_of(*steps: Any, **parts: Any) -> Scene:
    hands = Hands(parts.pop("actor", None))
    return Scene(*steps, actor=hands, human=parts.pop("human", None) or Human(), **parts)


@pytest.mark.parametrize("parallel", [1, 2])
def test_independent_steps_go_on_and_then_the_run_is_left_to_the_person(parallel: int) -> None:
    scene = scene_of(asked("a"), step("b"), step("c", "b"), step("d", "a"), settings=RunSettings(parallel=parallel))
    result = scene.run()
    assert (result.execution_state, result.left_off, result.gates) == (
        E.WAITING_FOR_HUMAN,
        LeftOff.PERSON,
        ("gate-1",),
    )
    assert scene.statuses() == {
        "a": "in_progress",
        "b": "verified_completed",
        "c": "verified_completed",
        "d": "pending",
    }
    [attempt] = scene.step("a").attempts
    assert (attempt.outcome, attempt.ended_at, len(scene.state.failures)) == (AttemptOutcome.RUNNING, None, 0)


def test_the_answer_is_the_outcome_and_the_actor_is_asked_for_nothing_more() -> None:
    scene = scene_of(asked("a"), step("b", "a"))
    scene.run()
    assert scene.human is not None
    scene.human.answers["gate-1"] = YES
    result = scene.run()
    assert (result.execution_state, result.gates) == (E.COMPLETED, ())
    assert scene.walk("a") == ["ready", "in_progress", "executed", "evaluated", "verified_completed"]
    assert (scene.actor.asked, scene.step("a").retry_count) == (["a", "b"], 0)
    assert scene.step("a").output == "done"


def test_waiting_on_says_nothing_and_saves_nothing_new() -> None:
    scene = scene_of(asked("a"))
    scene.run()
    count = scene.state.trace.count
    for _ in range(3):
        assert scene.run().left_off is LeftOff.PERSON
    assert scene.state.trace.count == count


def test_a_person_who_answers_while_others_run_is_heard_at_the_next_boundary() -> None:
    def act(*_: Any) -> Any:
        assert scene.human is not None
        scene.human.answers["gate-1"] = YES
        return DONE

    scene = scene_of(asked("a"), step("b"), step("c", "a"), actor={"b": act})
    assert scene.run().execution_state is E.COMPLETED
    assert scene.actor.asked == ["a", "b", "c"]


def test_several_people_are_asked_side_by_side_and_each_answer_is_its_steps_own() -> None:
    scene = scene_of(asked("a"), asked("b"), step("c", "a"), step("d", "b"))
    assert scene.run().gates == ("gate-1", "gate-2")
    assert scene.human is not None
    scene.human.answers["gate-2"] = YES
    assert scene.run().gates == ("gate-1",)
    assert scene.statuses() == {
        "a": "in_progress",
        "b": "verified_completed",
        "c": "pending",
        "d": "verified_completed",
    }
    scene.human.answers["gate-1"] = YES
    assert scene.run().execution_state is E.COMPLETED


def test_a_person_who_says_no_is_an_outcome_like_any_other() -> None:
    scene = scene_of(asked("a"), evaluator={"a": [False, True]})
    scene.run()
    assert scene.human is not None
    scene.human.answers["gate-1"] = NO
    assert scene.run().gates == ("gate-2",), "tried again, they are asked again"
    assert scene.step("a").attempts[0].outcome is AttemptOutcome.FAILED
    assert (scene.chosen(), scene.step("a").retry_count) == (["retry"], 1)


@pytest.mark.parametrize("answer", [None, Answer(True, "done")], ids=["nobody", "too late"])
def test_when_the_time_is_over_nothing_is_known(answer: Answer | None) -> None:
    scene = scene_of(asked("a"), settings=RunSettings(human_deadline_hours=2))
    assert scene.run().left_off is LeftOff.PERSON
    until = scene.clock.advance(hours=2)
    assert scene.human is not None
    if answer is not None:
        scene.human.answers["gate-1"] = Answer(True, "done", at=until + timedelta(seconds=1))
    assert scene.run().execution_state is E.WAITING_FOR_HUMAN
    assert scene.step("a").attempts[0].outcome is AttemptOutcome.UNKNOWN
    assert (scene.failure().type, scene.failure().is_outcome_unknown) == (FailureType.TIMEOUT, True)
    assert (scene.chosen(), scene.step("a").retry_count) == (["request_human"], 0)


def test_a_run_that_nobody_could_take_up_again_looks_until_there_is_an_answer() -> None:
    scene = scene_of(asked("a"), step("b"), step("c", "a"), store=MemoryRunStore())

    def meanwhile() -> None:
        if len(scene.clock.waits) == 3 and scene.human is not None:
            scene.human.answers["gate-1"] = YES

    scene.clock.while_waiting = meanwhile
    assert scene.run().execution_state is E.COMPLETED
    assert (scene.actor.asked, scene.clock.waits) == (["a", "b", "c"], [2.0, 2.0, 2.0])


def test_a_channel_that_breaks_has_not_answered() -> None:
    class Dull(Human):
        def answer(self, gate: str) -> Answer | None:
            if self.answers:
                return self.answers[gate]
            if len(self.asked) and self.broken:
                raise OSError("no line")
            self.broken = True
            return None

        broken = False

    scene = scene_of(asked("a"), human=Dull())
    assert scene.run().left_off is LeftOff.PERSON
    assert scene.run().left_off is LeftOff.PERSON
    assert scene.human is not None
    scene.human.answers["gate-1"] = YES
    assert scene.run().execution_state is E.COMPLETED


def test_a_question_of_recovery_and_a_step_of_a_person_wait_beside_each_other() -> None:
    settings = RunSettings(ladder=(RecoveryStrategy.REQUEST_HUMAN,))
    scene = scene_of(asked("a"), step("b"), evaluator={"b": [False, True]}, settings=settings)
    assert sorted(scene.run().gates) == ["gate-1", "gate-2"]
    assert scene.human is not None
    scene.human.answers["gate-1"] = YES
    assert scene.run().gates == ("gate-2",)
    scene.answer("retry")
    assert scene.run().execution_state is E.COMPLETED


def test_a_run_that_ends_otherwise_takes_its_questions_back() -> None:
    def act(*_: Any) -> Any:
        scene.clock.advance(seconds=60)
        return DONE

    scene = scene_of(asked("a"), step("b"), actor={"b": act}, settings=RunSettings(budgets=Budgets(seconds=30.0)))
    assert scene.run().execution_state is E.BUDGET_EXHAUSTED
    assert (scene.statuses()["a"], scene.step("a").attempts[0].outcome) == ("cancelled", AttemptOutcome.CANCELLED)
    assert scene.human is not None and scene.human.withdrawn == ["gate-1"]


@pytest.mark.parametrize("by", ["interrupt", "cancel"])
@pytest.mark.parametrize("parallel", [1, 2])
def test_a_process_that_is_cut_short_leaves_a_person_who_is_asked_as_they_are(parallel: int, by: str) -> None:
    async def forever(*_: Any) -> Any:
        await asyncio.Event().wait()

    async def go() -> None:
        task = asyncio.create_task(scene.engine.run())
        while "b" not in scene.actor.asked:
            await asyncio.sleep(0)
        if by == "interrupt":
            scene.engine.interrupt()
            assert (await task).left_off is LeftOff.STOPPED
        else:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    scene = scene_of(asked("a"), step("b"), actor={"b": forever}, settings=RunSettings(parallel=parallel))
    asyncio.run(go())
    assert scene.step("a").attempts[0].outcome is AttemptOutcome.RUNNING
    assert scene.step("b").attempts[0].outcome is AttemptOutcome.UNKNOWN


def test_a_process_that_ended_before_it_asked_asks_for_the_same_attempt() -> None:
    waiting = Acted(AttemptOutcome.RUNNING, awaits="")
    scene = scene_of(asked("a"), store=Kept({"a": waiting}))
    scene.context.lifecycle.turn(scene.state, E.ITERATION_COMPLETE)
    at(scene, "a", S.IN_PROGRESS)
    assert scene.run().gates == ("gate-1",)
    assert scene.human is not None and scene.human.asked[0][2]["attempt"] == "run-1/a/1"
    assert len(scene.step("a").attempts) == 1
