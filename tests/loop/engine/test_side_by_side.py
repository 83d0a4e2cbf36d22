"""Several steps at once: only where they cannot meet in a file, and each by its own rules."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from loopx.loop.failure import RecoveryAction
from loopx.model.plan import Budgets, RunSettings
from loopx.model.step import (
    AttemptOutcome,
    ExecutionState,
    FailureStatus,
    FailureType,
    RecoveryStrategy,
    Resumption,
    StepEffect,
    StepStatus,
)
from tests.support.loop import DONE, NO, Files, Human, Scene, step

E = ExecutionState


class Watch:
    """Actors that run until told, and what ran beside what."""

    def __init__(self) -> None:
        self.running: set[str] = set()
        self.most = 0
        self.beside: dict[str, set[str]] = {}
        self.cancelled: list[str] = []

    def line(self, turns: int = 5) -> Callable[..., Awaitable[Any]]:
        async def act(view: Any, attempt: str) -> Any:
            self.running.add(view.id)
            self.most = max(self.most, len(self.running))
            for _ in range(turns):
                for each in self.running:
                    self.beside.setdefault(each, set()).update(self.running - {each})
                try:
                    await asyncio.sleep(0)
                except asyncio.CancelledError:
                    self.cancelled.append(view.id)
                    self.running.discard(view.id)
                    raise
            self.running.discard(view.id)
            return DONE

        return act


def beside(watch: Watch, *steps: Any, parallel: int = 4, **parts: Any) -> Scene:
    settings = parts.pop("settings", None) or RunSettings(parallel=parallel)
    lines = {each.id: watch.line() for each in steps}
    return Scene(*steps, actor={**lines, **parts.pop("actor", {})}, settings=settings, **parts)


@pytest.mark.parametrize(("parallel", "most"), [(1, 1), (2, 2), (4, 4), (9, 5)])
def test_as_many_run_at_once_as_are_asked_for(parallel: int, most: int) -> None:
    watch = Watch()
    scene = beside(watch, *(step(f"s{n}", write_scopes=(f"s{n}",)) for n in range(5)), parallel=parallel)
    assert scene.run().execution_state is E.COMPLETED
    assert watch.most == most


def test_steps_whose_scopes_overlap_never_run_at_once() -> None:
    watch = Watch()
    steps = [
        step("a", write_scopes=("src/**",)),
        step("b", write_scopes=("src/app.py",)),
        step("c", write_scopes=("docs/**",)),
        step("d", write_scopes=("docs/index.md", "src")),
    ]
    assert beside(watch, *steps).run().execution_state is E.COMPLETED
    assert watch.beside["a"] == {"c"}
    assert watch.beside.get("d", set()) == set()


def test_a_step_that_names_no_scope_may_touch_anything_and_runs_alone_among_writers() -> None:
    watch = Watch()
    scene = beside(watch, step("a"), step("b", write_scopes=("b",)), step("c", effects=(StepEffect.READ,)))
    assert scene.run().execution_state is E.COMPLETED
    assert watch.beside["a"] == {"c"}


def test_a_step_that_waits_for_another_never_runs_beside_it() -> None:
    watch = Watch()
    scene = beside(watch, step("a", effects=()), step("b", "a", effects=()), step("c", effects=()))
    assert scene.run().execution_state is E.COMPLETED
    assert "b" not in watch.beside["a"]


def test_the_limit_of_executions_holds_beside_others() -> None:
    settings = RunSettings(parallel=4, budgets=Budgets(steps=3))
    scene = beside(Watch(), *(step(f"s{n}", effects=()) for n in range(5)), settings=settings)
    assert scene.run().execution_state is E.BUDGET_EXHAUSTED
    assert len(scene.actor.asked) == 3
    assert scene.state.plan.count(StepStatus.IN_PROGRESS) == 0


def test_a_recovery_leaves_the_steps_that_run_as_they_are() -> None:
    """The working copy a recovery is made on must not come between a step that runs and its end."""
    watch = Watch()
    scene = beside(
        watch,
        step("a", effects=()),
        step("b", effects=()),
        actor={"a": DONE, "b": watch.line(turns=60)},
        evaluator={"a": [False, False, True]},
        settings=RunSettings(parallel=2, backoff_base=0.0),
    )
    assert scene.run().execution_state is E.COMPLETED
    assert scene.statuses() == {"a": "verified_completed", "b": "verified_completed"}
    assert (scene.step("b").output, len(scene.step("b").attempts)) == ("done", 1)
    assert scene.actor.times("a") == 3


def test_the_oldest_failure_is_recovered_from_first() -> None:
    scene = Scene(
        *(step(each, effects=()) for each in "abc"),
        evaluator={each: [False, True] for each in "abc"},
        settings=RunSettings(parallel=3),
    )
    assert scene.run().execution_state is E.COMPLETED
    decided = [each.entity for each in scene.state.trace.entries if each.after == "recovery_planned"]
    assert decided == [f"failure {each}" for each in scene.state.failures]
    assert [each.step_id for each in scene.state.failures.values()] == ["a", "b", "c"]


def test_a_retry_that_falls_due_begins_while_another_step_runs() -> None:
    watch = Watch()
    scene = beside(
        watch,
        step("a", effects=()),
        step("b", effects=()),
        actor={"a": DONE, "b": watch_until(lambda: scene.actor.times("a") == 2)},
        evaluator={"a": [False, True]},
        settings=RunSettings(parallel=2, ladder=(RecoveryStrategy.RETRY_WITH_BACKOFF,)),
    )
    assert scene.run().execution_state is E.COMPLETED


def watch_until(is_time: Callable[[], bool]) -> Callable[..., Awaitable[Any]]:
    async def act(*_: Any) -> Any:
        while not is_time():
            await asyncio.sleep(0.001)
        return DONE

    return act


# quiet


def drifting(recover: Resumption, watch: Watch, files: Files) -> Scene:
    """``a`` drifts while ``b`` still runs."""
    return beside(
        watch,
        step("a", effects=()),
        step("b", effects=(), recover=recover),
        actor={"a": DONE, "b": watch.line(turns=60)},
        evaluator={"a": [_drift(), True]},
        files=files,
        settings=RunSettings(parallel=2),
    )


def _drift() -> Any:
    from dataclasses import replace

    return replace(NO, failure=FailureType.SEMANTIC_DRIFT)


def test_files_go_back_only_when_nothing_runs_and_what_may_not_be_repeated_is_waited_for() -> None:
    watch, files = Watch(), Files()
    scene = drifting(Resumption.ASK, watch, files)
    assert scene.run().execution_state is E.COMPLETED
    assert scene.chosen() == ["rollback"]
    assert (watch.cancelled, scene.actor.times("b")) == ([], 1)
    assert files.restored == [scene.step("b").snapshot]


def test_what_may_be_repeated_is_cut_short_before_files_go_back() -> None:
    watch, files = Watch(), Files()
    scene = drifting(Resumption.REPEAT, watch, files)
    assert scene.run().execution_state is E.COMPLETED
    assert (watch.cancelled, scene.actor.times("b")) == (["b"], 2)
    assert scene.step("b").attempts[0].outcome is AttemptOutcome.UNKNOWN
    assert scene.chosen() == ["rollback"]
    assert files.restored == [scene.state.baseline]
    assert [each.status for each in scene.state.failures.values()] == [FailureStatus.RECOVERED] * 2
    assert scene.step("b").retry_count == 0


@pytest.mark.parametrize(
    "settings",
    [RunSettings(parallel=2, enable_recovery=False), RunSettings(parallel=2, ladder=(RecoveryStrategy.TERMINATE,))],
)
def test_a_run_that_fails_takes_what_runs_to_its_end_first(settings: RunSettings) -> None:
    watch = Watch()
    scene = beside(
        watch,
        step("a", effects=()),
        step("b", effects=()),
        step("c", "b", effects=()),
        actor={"a": DONE, "b": watch.line(turns=30)},
        evaluator={"a": False},
        settings=settings,
    )
    assert scene.run().execution_state is E.FAILED
    assert scene.statuses() == {"a": "failed", "b": "verified_completed", "c": "ready"}
    assert watch.cancelled == []


def test_a_stop_by_policy_cuts_short_what_runs() -> None:
    from loopx.loop.components.protocols import ComponentType

    class Safety:
        def objection(self, view: Any, context: Any) -> str | None:
            return "not c" if view.id == "c" else None

    watch = Watch()
    scene = beside(
        watch,
        step("a", effects=()),
        step("b", effects=()),
        step("c", "a", effects=()),
        actor={"a": DONE, "b": watch.line(turns=1000)},
        settings=RunSettings(parallel=2),
        others={ComponentType.SAFETY: Safety()},
    )
    result = scene.run()
    assert (result.execution_state, result.error) == (E.POLICY_TERMINATED, "not c")
    assert scene.statuses() == {"a": "verified_completed", "b": "cancelled", "c": "ready"}
    assert (watch.cancelled, scene.step("b").attempts[0].outcome) == (["b"], AttemptOutcome.UNKNOWN)


def test_failures_of_steps_that_another_recovery_did_away_with_are_over() -> None:
    from tests.support.loop import Planner

    class RestFirst:
        def choose(self, failure: Any, state: Any, context: Any) -> RecoveryAction:
            return RecoveryAction(context.ids.fresh("a"), failure.failure_id, RecoveryStrategy.REPLAN_REMAINING_TASK)

    scene = Scene(
        step("a", effects=()),
        step("b", effects=()),
        evaluator={"a": False, "b": False},
        settings=RunSettings(parallel=2),
        planner=Planner(rest=lambda views, failure: [step("c")]),
        policy=RestFirst(),
        human=Human(),
    )
    result = scene.run()
    assert (result.execution_state, scene.statuses()) == (E.COMPLETED, {"c": "verified_completed"})
    assert [each.status for each in scene.state.failures.values()] == [FailureStatus.RECOVERED] * 2
    assert [len(each.actions) for each in scene.state.failures.values()] == [1, 0]
