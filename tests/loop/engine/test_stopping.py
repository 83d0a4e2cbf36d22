"""Stopping and going on: told to stop, cut short, killed, and taken up again by another engine."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Any

import pytest

from loopx.loop.attempt import Attempt
from loopx.loop.components.protocols import Acted, ComponentType
from loopx.loop.failing import raised
from loopx.loop.failure import RecoveryAction
from loopx.loop.keeping.store import SavePoint
from loopx.model.plan import RunSettings
from loopx.model.step import (
    AttemptOutcome,
    ExecutionState,
    FailureStatus,
    FailureType,
    RecoveryStrategy,
    Resumption,
    Role,
    StepStatus,
)
from tests.support.loop import DONE, Human, Kept, Planner, Prober, Scene, at, step

E, S = ExecutionState, StepStatus


async def forever(*_: Any) -> Any:
    await asyncio.Event().wait()


def test_told_to_stop_a_run_begins_nothing_more_and_records_what_runs() -> None:
    def act(*_: Any) -> Any:
        scene.engine.stop()
        return DONE

    scene = Scene(step("a"), step("b", "a"), actor={"a": act})
    result = scene.run()
    assert (result.execution_state, result.is_finished) == (E.ITERATION_COMPLETE, False)
    assert scene.statuses() == {"a": "verified_completed", "b": "pending"}
    assert scene.store.points[-1] is SavePoint.ENDED
    assert scene.again().execution_state is E.COMPLETED
    assert scene.actor.asked == ["a", "b"]


def test_told_to_stop_a_run_takes_all_that_runs() -> None:
    def act(*_: Any) -> Any:
        scene.engine.stop()
        return DONE

    async def slow(*_: Any) -> Any:
        await asyncio.sleep(0.005)
        return DONE

    steps = [step(each, effects=()) for each in "abcd"]
    scene = Scene(*steps, actor={"a": act, "b": slow, "c": slow}, settings=RunSettings(parallel=3))
    scene.run()
    assert scene.statuses() == dict.fromkeys("abc", "verified_completed") | {"d": "ready"}


def test_told_to_stop_a_run_does_not_wait_for_a_retry() -> None:
    released = threading.Event()

    class Slow:
        """A clock whose wait comes to no end by itself."""

        def now(self) -> Any:
            return scene.clock.now()

        def wait(self, seconds: float) -> None:
            loop.call_soon_threadsafe(scene.engine.stop)
            assert released.wait(60)

    scene = Scene(step("a"), evaluator={"a": [False, True]}, settings=RunSettings(ladder=(_S.RETRY_WITH_BACKOFF,)))
    scene.context.clock = Slow()

    async def go() -> Any:
        nonlocal loop
        loop = asyncio.get_running_loop()
        return await scene.engine.run()

    loop: asyncio.AbstractEventLoop
    assert asyncio.run(go()).execution_state is E.ITERATION_COMPLETE
    assert scene.statuses() == {"a": "retry_pending"}
    assert not released.is_set()
    released.set()


_S = RecoveryStrategy


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_clock_that_breaks_is_no_reason_to_hang(parallel: int) -> None:
    class Broken:
        def now(self) -> Any:
            return scene.clock.now()

        def wait(self, seconds: float) -> None:
            raise OSError("no clock")

    async def slow(*_: Any) -> Any:
        await asyncio.sleep(5)

    scene = Scene(
        step("a", effects=()),
        step("b", effects=()),
        actor={"b": slow if parallel > 1 else DONE},
        evaluator={"a": [False, True]},
        settings=RunSettings(ladder=(_S.RETRY_WITH_BACKOFF,), parallel=parallel),
    )
    scene.context.clock = Broken()
    with pytest.raises(OSError, match="no clock"):
        scene.run()


# cut short


async def interrupted(scene: Scene, *, by: str = "interrupt") -> Any:
    task = asyncio.create_task(scene.engine.run())
    for _ in range(20):
        await asyncio.sleep(0)
    if by == "interrupt":
        scene.engine.interrupt()
        return await task
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return None


@pytest.mark.parametrize("by", ["interrupt", "cancel"])
@pytest.mark.parametrize("parallel", [1, 3])
def test_what_is_cut_short_is_on_record_as_not_known(by: str, parallel: int) -> None:
    scene = Scene(
        step("a", effects=()),
        step("b", effects=()),
        actor={"a": forever, "b": forever},
        settings=RunSettings(parallel=parallel),
    )
    result = asyncio.run(interrupted(scene, by=by))
    scene.check()
    assert result is None or result.execution_state is E.ITERATION_COMPLETE
    assert scene.step("a").attempts[-1].outcome is AttemptOutcome.UNKNOWN
    assert scene.statuses()["a"] == "in_progress"
    assert scene.statuses()["b"] == ("in_progress" if parallel > 1 else "ready")
    assert scene.store.points[-1] is SavePoint.ENDED
    assert len(scene.state.failures) == 0


def test_what_was_cut_short_is_asked_about_when_the_run_goes_on() -> None:
    scene = Scene(step("a"), actor={"a": forever}, human=Human())
    asyncio.run(interrupted(scene))
    assert scene.again().execution_state is E.WAITING_FOR_HUMAN
    assert (scene.failure().type, scene.failure().is_outcome_unknown) == (FailureType.INTERRUPTED, True)
    assert scene.actor.times("a") == 1


@pytest.mark.parametrize(("recover", "times"), [(Resumption.REPEAT, 2), (Resumption.PROBE, 1)], ids=["repeat", "probe"])
def test_what_was_cut_short_goes_on_as_its_step_says(recover: Resumption, times: int) -> None:
    scene = Scene(
        step("a", recover=recover),
        actor={"a": [forever, DONE]},
        others={ComponentType.PROBER: Prober({"a": True})},
    )
    asyncio.run(interrupted(scene))
    assert scene.again().execution_state is E.COMPLETED
    assert scene.actor.times("a") == times


@pytest.mark.parametrize("judge", ["evaluator", "verifier"])
def test_a_judgement_that_is_cut_short_is_made_later_and_nothing_is_done_again(judge: str) -> None:
    scene = Scene(step("a"), **{judge: {"a": [forever, True]}})  # type: ignore[arg-type]
    result = asyncio.run(interrupted(scene))
    scene.check()
    assert result.execution_state is E.ITERATION_COMPLETE
    assert scene.statuses() == {"a": "executed" if judge == "evaluator" else "evaluated"}
    assert scene.again().execution_state is E.COMPLETED
    assert scene.actor.times("a") == 1


def test_a_plan_that_was_cut_short_is_made_later() -> None:
    class Slow(Planner):
        async def create_plan(self, objective: str, context: Any) -> Any:
            if not self.calls:
                self.calls.append("cut short")
                await forever()
            return await super().create_plan(objective, context)

    scene = Scene(planner=Slow(create=lambda objective: [step("a")]))
    result = asyncio.run(interrupted(scene))
    assert result.execution_state is E.PLANNING
    assert scene.again().execution_state is E.COMPLETED


def test_a_recovery_that_was_cut_short_is_carried_out_once_and_counted_once() -> None:
    class Slow(Planner):
        async def revise_step(self, view: Any, failure: Any, context: Any) -> Any:
            self.calls.append("revise_step")
            if len(self.calls) == 1:
                await forever()
            return replace(view.meant, title="better")

    scene = Scene(
        step("a"), evaluator={"a": False}, planner=Slow(), settings=RunSettings(ladder=(RecoveryStrategy.REPLAN_STEP,))
    )
    result = asyncio.run(interrupted(scene))
    scene.check()
    assert (result.execution_state, scene.failure().status) == (E.RECOVERING, FailureStatus.RECOVERY_IN_PROGRESS)
    assert scene.statuses() == {"a": "recovery_pending"}
    assert scene.again().execution_state is E.COMPLETED
    assert (scene.chosen(), scene.state.counters.recoveries) == (["replan_step"], 1)
    assert scene.failure().recovery_attempts == 1


# killed


def killed(scene: Scene, status: StepStatus = S.IN_PROGRESS, state: ExecutionState = E.ACTING) -> Scene:
    """The run as a process that was killed left it."""
    turn = scene.context.lifecycle.turn
    turn(scene.state, E.ITERATION_COMPLETE)
    found = at(scene, "a", status)
    found.attempts[-1].number = 1
    for each in (E.ACTING, E.EVALUATING, E.VERIFYING):
        turn(scene.state, each)
        if each is state:
            break
    return scene


def test_an_execution_whose_runner_was_killed_is_asked_about() -> None:
    scene = killed(Scene(step("a"), human=Human()))
    assert scene.run().execution_state is E.WAITING_FOR_HUMAN
    assert (scene.failure().message, scene.actor.asked) == ("nobody saw its end", [])


@pytest.mark.parametrize(
    ("known", "asked", "end"),
    [
        (Acted(AttemptOutcome.SUCCEEDED, "kept", 0), [], E.COMPLETED),
        (Acted(AttemptOutcome.FAILED, "kept", 1), [], E.COMPLETED),
        (Acted(AttemptOutcome.NOT_STARTED, message="no such program"), ["a"], E.COMPLETED),
    ],
    ids=lambda found: getattr(getattr(found, "outcome", None), "value", None),
)
def test_an_end_that_was_kept_on_this_machine_is_the_end(known: Acted, asked: list[str], end: E) -> None:
    scene = killed(Scene(step("a"), store=Kept({"a": known})))
    assert scene.run().execution_state is end
    assert scene.actor.asked == asked
    assert scene.step("a").output == ("done" if asked else "kept")
    assert scene.step("a").attempts[0].outcome is known.outcome


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (S.EXECUTED, E.ACTING),
        (S.EXECUTED, E.EVALUATING),
        (S.EVALUATED, E.EVALUATING),
        (S.EVALUATED, E.VERIFYING),
    ],
)
def test_work_that_was_done_and_not_judged_is_judged_and_not_done_again(status: StepStatus, state: E) -> None:
    scene = killed(Scene(step("a")), status, state)
    assert scene.run().execution_state is E.COMPLETED
    assert (scene.actor.asked, scene.evaluator.times("a")) == ([], int(status is S.EXECUTED))


def test_what_an_actor_said_against_its_own_work_is_not_forgotten_by_a_crash() -> None:
    said = replace(DONE, failure=FailureType.SEMANTIC_DRIFT, message="off the track")
    scene = Scene(step("a"), actor={"a": said}, evaluator={"a": forever})
    asyncio.run(interrupted(scene))
    seen: list[Acted] = []

    class Look:
        async def evaluate(self, view: Any, acted: Acted, context: Any) -> Any:
            seen.append(acted)
            raise OSError

    scene.context.components = {**scene.context.components, ComponentType.EVALUATOR: Look()}
    scene.again()
    assert seen[0].failure is FailureType.SEMANTIC_DRIFT


def test_a_step_that_was_edited_meanwhile_keeps_its_outcome_and_waits_for_a_decision() -> None:
    def edit(*_: Any) -> Any:
        found = scene.step("a")
        found.meant = replace(found.meant, action=replace(found.meant.action, callable="other"))
        return DONE

    scene = Scene(step("a"), actor={"a": [edit, DONE]})
    assert scene.run().execution_state is E.COMPLETED
    assert scene.walk("a")[:5] == ["ready", "in_progress", "executed", "recovery_pending", "retry_pending"]
    assert (scene.failure().message, scene.chosen()) == ("a was edited while it was carried out", ["retry"])
    assert (scene.step("a").attempts[0].outcome, scene.evaluator.times("a")) == (AttemptOutcome.SUCCEEDED, 1)


def test_a_title_or_a_dependency_that_was_edited_meanwhile_changes_nothing_about_what_was_done() -> None:
    def edit(*_: Any) -> Any:
        found = scene.step("a")
        found.meant = replace(found.meant, title="other")
        return DONE

    scene = Scene(step("a"), actor={"a": edit})
    assert scene.run().execution_state is E.COMPLETED
    assert len(scene.state.failures) == 0


def test_a_decision_that_was_on_record_when_the_process_was_killed_is_carried_out() -> None:
    scene = Scene(step("a"), evaluator={"a": True})
    turn = scene.context.lifecycle.turn
    turn(scene.state, E.ITERATION_COMPLETE)
    at(scene, "a", S.RECOVERY_PENDING)
    failure = raised(scene.state, scene.context, FailureType.EVALUATION_FAILED, "no", scene.step("a"))
    turn(scene.state, E.RECOVERING)
    action = RecoveryAction("a-1", failure.failure_id, RecoveryStrategy.RETRY)
    from loopx.loop.failing import noted

    noted(scene.state, failure, scene.context, "retry chosen", lambda: failure.plan(action))
    assert scene.run().execution_state is E.COMPLETED
    assert (scene.chosen(), action.executed, scene.step("a").retry_count) == (["retry"], True, 1)


def test_one_engine_goes_on_as_often_as_it_is_asked() -> None:
    def act(*_: Any) -> Any:
        scene.engine.stop()
        return DONE

    scene = Scene(step("a"), step("b", "a"), actor={"a": act}, evaluator={"b": [False, False, True]}, human=Human())
    assert scene.run().execution_state is E.ITERATION_COMPLETE
    assert scene.run().execution_state is E.COMPLETED
    assert scene.clock.waits == [2.0]


def test_a_run_told_to_stop_before_it_began_begins_and_does_nothing() -> None:
    scene = Scene(step("a"))
    scene.engine.stop()
    assert scene.run().execution_state is E.ITERATION_COMPLETE
    assert scene.actor.asked == []


def test_a_run_that_has_ended_stays_as_it_is() -> None:
    scene = Scene(step("a"))
    scene.run()
    count = scene.state.trace.count
    assert scene.again().execution_state is E.COMPLETED
    assert (scene.state.trace.count, scene.actor.asked) == (count, ["a"])


def test_an_attempt_has_a_key_of_its_own() -> None:
    scene = Scene(step("a"), step("b", "a"), evaluator={"a": [False, True]})
    scene.run()
    assert scene.actor.keys == ["run-1/a/1", "run-1/a/2", "run-1/b/1"]
    assert isinstance(scene.step("a").attempts[0], Attempt)
    assert Role.ACTOR in {each[2] for each in scene.moves("step a")}
