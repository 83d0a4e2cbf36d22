"""The registry and the frame around every recovery: what takes is taken over whole, what does not leaves no trace."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.loop.failing import raised
from loopx.loop.failure import Failure, FailureView, success_recovers
from loopx.loop.recovery.handler import RecoveryHandler
from loopx.loop.recovery.handlers import HANDLERS
from loopx.loop.recovery.registry import RecoveryRegistry
from loopx.loop.recovery.result import RecoveryResult
from loopx.model.plan import RunSettings
from loopx.model.step import ExecutionState, FailureStatus, FailureType, RecoveryStrategy, Role, StepStatus
from tests.support.loop import Scene, at, step

E, S, R = ExecutionState, StepStatus, RecoveryStrategy


class Handler(RecoveryHandler):
    """Does what it is given, and says of it what it is given."""

    def __init__(self, does: Any = None, holds: bool = True, result: RecoveryResult | None = None) -> None:
        self.does, self.holds = does, holds
        self.result = result or RecoveryResult(True, E.ITERATION_COMPLETE, S.READY, "did it", {"by": "hand"})
        self.befores: list[Any] = []

    async def execute(self, failure: Any, step: Any, state: Any, context: Any) -> RecoveryResult:
        if self.does is not None:
            self.does(failure, step, state, context)
        return self.result

    def validate_postconditions(self, step: Any, state: Any) -> bool:
        self.befores.append((state.before, state.execution_state))
        return self.holds


def registry_with(handler: RecoveryHandler) -> RecoveryRegistry:
    registry = RecoveryRegistry.shipped()
    registry.register(R.RETRY, handler)
    return registry


def execute(scene: Scene, registry: RecoveryRegistry, strategy: RecoveryStrategy = R.RETRY) -> RecoveryResult:
    failure = raised(scene.state, scene.context, FailureType.EVALUATION_FAILED, "no", scene.step("a"))
    draft = scene.state.draft()
    draft.execution_state = E.RECOVERING
    return asyncio.run(registry.execute(strategy, failure, draft.plan.step("a"), draft, scene.context))


def test_all_eleven_strategies_have_a_handler() -> None:
    assert set(HANDLERS) == set(R)
    assert len(R) == 11


@pytest.mark.parametrize("strategy", R)
def test_a_strategy_without_a_handler_is_unsuccessful_and_says_so(strategy: RecoveryStrategy) -> None:
    scene = Scene(step("a"))
    result = execute(scene, RecoveryRegistry(), strategy)
    assert (result.success, result.message) == (False, f"No handler for strategy {strategy}")


def test_unmet_postconditions_are_unsuccessful_and_say_so() -> None:
    scene = Scene(step("a"))
    result = execute(scene, registry_with(Handler(holds=False)))
    assert (result.success, result.message) == (False, "Recovery postconditions not met")
    assert result.evidence == {"by": "hand", "violations": ["postconditions not met"]}


def test_postconditions_are_looked_at_after_the_new_state_is_applied_with_the_old_one_beside_it() -> None:
    scene, handler = Scene(step("a")), Handler()
    assert execute(scene, registry_with(handler)).success
    before, state = handler.befores[0]
    assert (before, state) == (scene.state, E.ITERATION_COMPLETE)


def test_postconditions_of_what_did_not_succeed_are_not_looked_at() -> None:
    scene, handler = Scene(step("a")), Handler(result=RecoveryResult(False, message="could not"))
    assert execute(scene, registry_with(handler)).message == "could not"
    assert handler.befores == []


def test_a_handler_registered_later_takes_the_place_of_the_one_before() -> None:
    scene = Scene(step("a"), evaluator={"a": [False, True]}, registry=registry_with(Handler(_ready)))
    assert scene.run().execution_state is E.COMPLETED
    assert scene.failure().actions[0].message == "did it"


def _ready(failure: Failure, step: Any, state: Any, context: Any) -> None:
    context.lifecycle.move(state, step, S.RETRY_PENDING, Role.RECOVERY)
    step.retry_count += 1
    context.lifecycle.move(state, step, S.READY, Role.RECOVERY)


# a failed attempt


def _wreck(failure: Failure, step: Any, state: Any, context: Any) -> None:
    """Change everything there is to change."""
    _ready(failure, step, state, context)
    step.metadata["wrecked"] = True
    step.tool = "hammer"
    state.plan.objective, state.plan.version = "wrecked", 99
    state.plan_changed = True
    state.waiting["a"] = context.clock.now()
    state.replans_of["a"] = 5
    state.counters.replans, state.counters.cost = 9, 9.0
    state.partial_results["a"], state.error, state.abstention = "x", "wrecked", "wrecked"
    state.question, state.gate = {"failure": "x"}, "gate-x"
    raised(state, context, FailureType.TIMEOUT, "made up", step)


def _wreck_and_raise(*given: Any) -> None:
    _wreck(*given)
    raise RuntimeError("half way")


def _wreck_and_break_the_law(failure: Failure, step: Any, state: Any, context: Any) -> None:
    _wreck(failure, step, state, context)
    context.lifecycle.move(state, step, S.VERIFIED_COMPLETED, Role.RECOVERY, "why not")


@pytest.mark.parametrize(
    ("handler", "message"),
    [
        (Handler(_wreck, holds=False), "Recovery postconditions not met"),
        (Handler(_wreck, result=RecoveryResult(False, message="no")), "no"),
        (Handler(_wreck_and_raise), "RuntimeError: half way"),
        (Handler(_wreck, result=RecoveryResult(True, E.COMPLETED)), None),
        (Handler(_wreck_and_break_the_law), None),
    ],
    ids=["postconditions", "unsuccessful", "raised", "illegal state", "illegal move"],
)
def test_a_failed_attempt_changes_only_counters_the_failure_and_the_trace(
    handler: Handler, message: str | None
) -> None:
    settings = RunSettings(ladder=(R.RETRY,), max_attempts_per_failure=1)
    scene = Scene(step("a"), evaluator={"a": False}, registry=registry_with(handler), settings=settings)
    result = scene.run()
    found, action = scene.step("a"), scene.failure().actions[0]
    assert (action.success, action.executed) == (False, True)
    assert message is None or action.message == message
    assert (found.retry_count, found.tool, "wrecked" in found.metadata) == (0, None, False)
    assert (scene.state.plan.objective, scene.state.plan.version) == ("reach it", 1)
    assert (scene.state.waiting, scene.state.replans_of, scene.state.partial_results) == ({}, {}, {})
    assert (scene.state.counters.replans, scene.state.counters.cost) == (0, 0.0)
    assert (scene.state.question, scene.state.gate, scene.state.abstention) == (None, None, None)
    assert [each.message for each in scene.state.failures.values() if each.message == "made up"] == []
    assert scene.state.counters.recoveries == scene.failure().recovery_attempts == 1
    assert (result.execution_state, result.error) == (E.FAILED, "not good enough")


def test_an_illegal_move_of_a_handler_is_traced_though_its_work_is_thrown_away() -> None:
    scene = Scene(step("a"), evaluator={"a": False}, registry=registry_with(Handler(_wreck_and_break_the_law)))
    scene.run()
    refusals = [each for each in scene.state.trace.entries if each.refused]
    assert [(each.refused, each.cause, each.after) for each in refusals] == [
        ("transition-illegal", "why not", "verified_completed")
    ]


def test_attempts_left_keep_the_run_recovering_with_the_next_strategy() -> None:
    registry = registry_with(Handler(holds=False))
    settings = RunSettings(ladder=(R.RETRY, R.RETRY_WITH_BACKOFF))
    scene = Scene(step("a"), evaluator={"a": [False, True]}, registry=registry, settings=settings)
    assert scene.run().execution_state is E.COMPLETED
    assert scene.chosen() == ["retry", "retry_with_backoff"]
    assert scene.run_states().count("recovering") == 1
    told = [after for _, after, _ in scene.moves(f"failure {scene.failure().failure_id}")]
    assert told == [
        "unhandled",
        "recovery_planned",
        "recovery_in_progress",
        "recovery_failed",
        "recovery_planned",
        "recovery_in_progress",
        "recovered",
    ]


# failures


@pytest.mark.parametrize("strategy", R)
def test_success_recovers_unless_it_asks_or_ends(strategy: RecoveryStrategy) -> None:
    assert success_recovers(strategy) is (strategy not in (R.REQUEST_HUMAN, R.ABSTAIN, R.TERMINATE))


MARKS = {
    FailureStatus.RECOVERED: Failure.mark_recovered,
    FailureStatus.TERMINAL: Failure.mark_terminal,
    FailureStatus.ESCALATED: Failure.mark_escalated,
    FailureStatus.RECOVERY_FAILED: Failure.mark_recovery_failed,
}
ALLOWED = {
    FailureStatus.UNHANDLED: {FailureStatus.RECOVERED, FailureStatus.TERMINAL},
    FailureStatus.RECOVERY_PLANNED: {FailureStatus.RECOVERED, FailureStatus.TERMINAL},
    FailureStatus.RECOVERY_IN_PROGRESS: set(MARKS),
    FailureStatus.RECOVERY_FAILED: {FailureStatus.RECOVERED, FailureStatus.TERMINAL},
    FailureStatus.ESCALATED: {FailureStatus.RECOVERED, FailureStatus.TERMINAL},
    FailureStatus.RECOVERED: set(),
    FailureStatus.TERMINAL: set(),
}


@pytest.mark.parametrize("before", FailureStatus)
@pytest.mark.parametrize("to", MARKS)
def test_a_failure_moves_as_its_table_says(before: FailureStatus, to: FailureStatus) -> None:
    scene = Scene(step("a"))
    failure = raised(scene.state, scene.context, FailureType.TIMEOUT, "no")
    failure.status = before
    if to in ALLOWED[before]:
        MARKS[to](failure)
        assert failure.status is to
        return
    with pytest.raises(LoopxError) as error:
        MARKS[to](failure)
    assert (error.value.code, failure.status) == ("transition-illegal", before)


def test_what_is_over_can_neither_be_planned_nor_recovered_again() -> None:
    from loopx.loop.failure import RecoveryAction

    scene = Scene(step("a"))
    failure = raised(scene.state, scene.context, FailureType.TIMEOUT, "no")
    assert failure.can_recover() and failure.can_recover(1) and not failure.can_recover(0)
    failure.mark_recovered()
    assert not failure.can_recover()
    with pytest.raises(LoopxError):
        failure.plan(RecoveryAction("a-1", failure.failure_id, R.RETRY))
    assert failure.action_ids == ()


def test_a_failure_that_is_not_recoverable_is_not_recovered_from() -> None:
    scene = Scene(step("a"))
    failure = raised(scene.state, scene.context, FailureType.TIMEOUT, "no")
    failure.recoverable = False
    assert not failure.can_recover()


def test_the_books_of_failures_know_which_are_open() -> None:
    scene = Scene(step("a"), step("b"))
    one, two, three = (
        raised(scene.state, scene.context, FailureType.TIMEOUT, each, scene.step(each)) for each in "aba"
    )
    assert scene.state.failures.open() == [one, two, three]
    assert scene.state.failures.of_lineage("a") == [one, three]
    two.mark_recovered()
    one.mark_terminal()
    assert scene.state.failures.open() == [three]
    assert scene.state.failures.terminal() is one
    draft = scene.state.failures.draft()
    four = raised(scene.state.draft(), scene.context, FailureType.TIMEOUT, "x")
    draft[four.failure_id] = four
    assert (len(draft), len(scene.state.failures), draft.open()) == (4, 3, [three, four])
    assert list(draft) == [*scene.state.failures, four.failure_id]
    scene.state.failures.join(draft)
    assert scene.state.failures[four.failure_id] is four
    with pytest.raises(LoopxError):
        del scene.state.failures[four.failure_id]


def test_components_see_a_failure_and_cannot_change_it() -> None:
    from dataclasses import FrozenInstanceError

    scene = Scene(step("a"))
    at(scene, "a", S.RECOVERY_PENDING)
    failure = raised(scene.state, scene.context, FailureType.TIMEOUT, "no", scene.step("a"), "seen")
    view = FailureView.of(failure)
    assert (view.failure_id, view.type, view.message, view.step_id, view.evidence) == (
        failure.failure_id,
        FailureType.TIMEOUT,
        "no",
        "a",
        "seen",
    )
    with pytest.raises(FrozenInstanceError):
        view.status = FailureStatus.RECOVERED  # type: ignore[misc]
