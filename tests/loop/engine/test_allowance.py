"""What one process may do before it leaves a run for later, and why a run is left: it is never ended by that."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from loopx.loop.allowance import Allowance
from loopx.loop.components.protocols import Acted
from loopx.loop.engine import LoopEngine
from loopx.loop.keeping.store import SavePoint
from loopx.loop.result import LeftOff, RunResult
from loopx.model.plan import RunSettings
from loopx.model.step import AttemptOutcome, ExecutionState, RecoveryStrategy, Resumption, StepStatus
from tests.support.loop import DONE, Human, Kept, Scene, step

E, S = ExecutionState, StepStatus
ROW = (step("a"), step("b", "a"), step("c", "b"))


def carried_on(scene: Scene, **limits: Any) -> RunResult:
    """Carry the run on in a process of its own that may do so much."""
    scene.engine = LoopEngine(
        scene.state, scene.context, store=scene.store, policy=scene.engine.policy, allowance=Allowance(**limits)
    )
    return scene.run()


def test_a_process_begins_as_many_steps_as_it_may_and_leaves_the_rest() -> None:
    scene = Scene(*ROW)
    result = carried_on(scene, steps=2)
    assert (result.execution_state, result.left_off) == (E.ITERATION_COMPLETE, LeftOff.ALLOWANCE)
    assert scene.actor.asked == ["a", "b"] and scene.step("c").status is S.READY
    assert scene.store.points[-1] is SavePoint.WAITING
    result = carried_on(scene, steps=2)
    assert (result.execution_state, result.left_off) == (E.COMPLETED, None)


@pytest.mark.parametrize(
    "limits", [{"steps": 3}, {"cost": 3.0}, {"seconds": 30.0}], ids=lambda limits: next(iter(limits))
)
def test_a_run_whose_last_step_uses_the_allowance_up_has_ended(limits: dict[str, Any]) -> None:
    def act(*_: Any) -> Any:
        scene.clock.advance(seconds=10)
        return replace(DONE, cost=1.0)

    scene = Scene(*ROW, actor=dict.fromkeys("abc", act))
    result = carried_on(scene, **limits)
    assert (result.execution_state, result.left_off) == (E.COMPLETED, None)


@pytest.mark.parametrize("limits", [{"cost": 1.5}, {"seconds": 15.0}], ids=str)
def test_time_and_cost_are_counted_from_where_the_process_began(limits: dict[str, Any]) -> None:
    def act(*_: Any) -> Any:
        scene.clock.advance(seconds=10)
        return replace(DONE, cost=1.0)

    scene = Scene(*(step(each) for each in "abcde"), actor=dict.fromkeys("abcde", act))
    for done in (2, 4):
        assert carried_on(scene, **limits).left_off is LeftOff.ALLOWANCE
        assert len(scene.actor.asked) == done
        scene.clock.advance(hours=1)
    assert carried_on(scene, **limits).execution_state is E.COMPLETED


@pytest.mark.parametrize(
    "limits", [{"steps": 0}, {"seconds": 0.0}, {"cost": 0.0}], ids=lambda limits: next(iter(limits))
)
def test_none_at_all_begins_nothing_and_ends_nothing(limits: dict[str, Any]) -> None:
    scene = Scene(*ROW)
    result = carried_on(scene, **limits)
    assert (result.left_off, scene.actor.asked) == (LeftOff.ALLOWANCE, [])
    assert scene.statuses() == {"a": "ready", "b": "pending", "c": "pending"}
    assert scene.run().left_off is LeftOff.ALLOWANCE, "the same process has none left the second time either"


def test_without_any_execution_a_run_takes_up_what_was_left_and_recovers() -> None:
    scene = Scene(step("a", recover=Resumption.REPEAT), step("b"), store=Kept())
    scene.evaluator.lines = {"b": [False]}
    asyncio.run(_cut_short(scene))
    assert scene.step("a").status is S.IN_PROGRESS
    result = carried_on(scene, steps=0)
    assert result.left_off is LeftOff.ALLOWANCE and scene.actor.asked == ["a"]
    assert (scene.step("a").status, scene.chosen()) == (S.READY, ["retry"])
    assert carried_on(scene).is_finished


async def _cut_short(scene: Scene) -> None:
    scene.actor.lines = {"a": [_forever, DONE]}
    task = asyncio.create_task(scene.engine.run())
    while not scene.actor.asked:
        await asyncio.sleep(0)
    scene.engine.interrupt()
    assert (await task).left_off is LeftOff.STOPPED


async def _forever(*_: Any) -> Any:
    await asyncio.Event().wait()


def test_without_any_execution_an_answer_is_applied() -> None:
    scene = Scene(step("a"), evaluator={"a": [False, True]}, human=Human(), settings=ASKING)
    result = scene.run()
    assert (result.execution_state, result.left_off) == (E.WAITING_FOR_HUMAN, LeftOff.PERSON)
    scene.answer("retry")
    assert carried_on(scene, steps=0).left_off is LeftOff.ALLOWANCE
    assert scene.step("a").status is S.READY and scene.step("a").retry_count == 1


ASKING = RunSettings(ladder=(RecoveryStrategy.REQUEST_HUMAN,))


def test_a_run_that_only_waits_for_a_person_says_so_whatever_is_left_of_the_allowance() -> None:
    scene = Scene(step("a"), evaluator={"a": False}, human=Human(), settings=ASKING)
    assert carried_on(scene, steps=1).left_off is LeftOff.PERSON


def test_a_retry_that_is_due_later_is_left_to_whoever_may_begin_it() -> None:
    settings = RunSettings(ladder=(RecoveryStrategy.RETRY_WITH_BACKOFF,), backoff_base=60.0)
    scene = Scene(step("a"), evaluator={"a": [False, True]}, settings=settings)
    assert carried_on(scene, steps=1).left_off is LeftOff.ALLOWANCE
    assert scene.clock.waits == [] and scene.step("a").status is S.RETRY_PENDING
    assert carried_on(scene, seconds=20.0).left_off is LeftOff.ALLOWANCE
    assert scene.clock.waits == [20.0], "it waits no longer than it may carry the run on"
    assert carried_on(scene, seconds=100.0).execution_state is E.COMPLETED


def test_a_step_that_would_pass_what_may_be_spent_is_left_and_cheaper_ones_go_on() -> None:
    scene = Scene(step("a", cost=5.0), step("b", cost=1.0))
    result = carried_on(scene, cost=3.0)
    assert (result.left_off, scene.actor.asked) == (LeftOff.ALLOWANCE, ["b"])
    assert len(scene.state.failures) == 0, "a budget is nothing of its"
    assert carried_on(scene, cost=5.0).execution_state is E.COMPLETED


def test_what_runs_beside_others_may_turn_out_cheaper_than_was_expected() -> None:
    async def act(*_: Any) -> Any:
        await asyncio.sleep(0)
        return replace(DONE, cost=0.5)

    steps = [step(each, cost=2.0, effects=()) for each in "abc"]
    scene = Scene(*steps, actor=dict.fromkeys("abc", act), settings=RunSettings(parallel=3))
    assert carried_on(scene, cost=3.0).execution_state is E.COMPLETED


@pytest.mark.parametrize("parallel", [1, 2, 4])
def test_steps_side_by_side_pass_no_allowance(parallel: int) -> None:
    async def act(*_: Any) -> Any:
        await asyncio.sleep(0)
        return DONE

    steps = [step(f"s{number}", effects=()) for number in range(6)]
    scene = Scene(*steps, actor={each.id: act for each in steps}, settings=RunSettings(parallel=parallel))
    assert carried_on(scene, steps=3).left_off is LeftOff.ALLOWANCE
    assert len(scene.actor.asked) == 3 and scene.state.plan.count(S.VERIFIED_COMPLETED) == 3


def test_work_that_was_the_last_is_finished_even_by_a_process_that_was_told_to_stop() -> None:
    def act(*_: Any) -> Any:
        scene.engine.stop()
        return DONE

    scene = Scene(step("a"), actor={"a": act})
    result = scene.run()
    assert (result.execution_state, result.left_off) == (E.COMPLETED, None)


def test_a_process_that_was_told_to_stop_says_so() -> None:
    def act(*_: Any) -> Any:
        scene.engine.stop()
        return DONE

    scene = Scene(*ROW, actor={"a": act})
    assert scene.run().left_off is LeftOff.STOPPED
    assert scene.state.active_seconds(scene.clock.now()) == timedelta(0).total_seconds()


def test_what_nobody_said_the_cost_of_costs_what_was_expected() -> None:
    quiet, told = Acted(AttemptOutcome.SUCCEEDED, "done", 0), Acted(AttemptOutcome.SUCCEEDED, "done", 0, cost=0.25)
    row = (step("a", cost=2.0), step("b", "a", cost=3.0), step("c", "b", cost=4.0))
    scene = Scene(*row, actor={"a": quiet, "b": told, "c": quiet})
    scene.run()
    assert [scene.step(each).attempts[0].cost for each in "abc"] == [2.0, 0.25, 4.0]
    assert scene.state.counters.cost == 6.25
    never = Scene(step("a", cost=2.0), actor={"a": Acted(AttemptOutcome.NOT_STARTED)})
    never.run()
    assert never.state.counters.cost == 0.0
