"""The frame around a recovery: decide, execute on a working copy, validate, and take over or throw away whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.loop.failing import end_terminally, noted, raised
from loopx.loop.failure import Failure, RecoveryAction, success_recovers
from loopx.loop.keeping.store import SavePoint
from loopx.loop.recovery.result import TERMINAL, RecoveryResult
from loopx.model.step import ExecutionState, FailureType, RecoveryStrategy, Role, StepStatus

if TYPE_CHECKING:
    from loopx.loop.components.protocols import RecoveryPolicy
    from loopx.loop.context import LoopContext
    from loopx.loop.keeping.store import RunStore
    from loopx.loop.recovery.registry import RecoveryRegistry
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step

_TO_DECIDE = frozenset({StepStatus.EVALUATION_FAILED, StepStatus.VERIFICATION_FAILED})
_LAST_RESORT = "last_resort"


def decide(state: LoopState, failure: Failure, context: LoopContext, policy: RecoveryPolicy) -> RecoveryAction:
    """What is to be done about ``failure``: what was decided and cut short, or what the policy says within the limits.
    Changes nothing; asked again it may say something else."""
    if failure.undone is not None:
        return failure.undone
    settings = context.settings
    if not failure.can_recover():
        return _last_resort(failure, context, "")
    if state.counters.recoveries >= settings.max_recoveries:
        return _last_resort(failure, context, f"the run's {settings.max_recoveries} recoveries are used up")
    if failure.recovery_attempts >= settings.max_attempts_per_failure:
        return _last_resort(failure, context, f"its {settings.max_attempts_per_failure} recoveries are used up")
    try:
        chosen = policy.choose(failure, state, context)
    except Exception as error:  # noqa: BLE001  (the step boundary: a policy that breaks has chosen nothing)
        return _last_resort(failure, context, f"the policy broke: {type(error).__name__}: {error}")
    return chosen or _last_resort(failure, context, "")


async def recover(
    state: LoopState,
    failure: Failure,
    action: RecoveryAction,
    context: LoopContext,
    registry: RecoveryRegistry,
    store: RunStore,
) -> None:
    """Carry ``action`` out. Afterwards the run is at a boundary again, waits, has ended, or is still recovering."""
    if state.execution_state is not ExecutionState.RECOVERING:
        context.lifecycle.turn(state, ExecutionState.RECOVERING, failure.failure_id)
    step = step_of(state, failure)
    if step is not None and step.status in _TO_DECIDE:
        context.lifecycle.move(state, step, StepStatus.RECOVERY_PENDING, Role.RECOVERY, failure.failure_id)
    if action is not failure.undone:
        if _LAST_RESORT not in action.params:
            state.counters.recoveries += 1
        elif action.params[_LAST_RESORT]:
            _exhausted(state, failure, str(action.params[_LAST_RESORT]), context)
        noted(state, failure, context, f"{action.strategy} chosen", lambda: failure.plan(action))
        store.save(state, SavePoint.RECOVERY_DECIDED)
    noted(state, failure, context, f"{action.strategy} begun", failure.mark_in_progress)
    await _carry_out(state, failure, action, context, registry)
    if not state.execution_state.is_terminal:  # the end is recorded once nothing runs any more
        store.save(state, SavePoint.RECOVERED)


def step_of(state: LoopState, failure: Failure) -> Step | None:
    """The step a failure is about now: what carries its lineage on, whatever replaced it."""
    return state.plan.current(failure.lineage) if failure.lineage is not None else None


async def _carry_out(
    state: LoopState, failure: Failure, action: RecoveryAction, context: LoopContext, registry: RecoveryRegistry
) -> None:
    draft = state.draft()
    step = step_of(draft, failure)
    result = await executed(action, failure, step, draft, context, registry)
    if _LAST_RESORT in action.params:
        action.executed = True
    else:
        failure.record_recovery_attempt(action.action_id)
    action.success, action.message = result.success, result.message
    if result.success:
        state.adopt(draft)
        _succeeded(state, failure, action, result, context)
    else:
        state.trace.join_refusals(draft.trace)
        _failed(state, failure, action, result, context)


async def executed(
    action: RecoveryAction,
    failure: Failure,
    step: Step | None,
    draft: LoopState,
    context: LoopContext,
    registry: RecoveryRegistry,
) -> RecoveryResult:
    """The result of the handler; one that breaks has failed, and its working copy is thrown away."""
    try:
        return await registry.execute(action.strategy, failure, step, draft, context)
    except Exception as error:  # noqa: BLE001  (the step boundary: whatever a handler raises ends here)
        return RecoveryResult(False, message=f"{type(error).__name__}: {error}")


def _succeeded(
    state: LoopState, failure: Failure, action: RecoveryAction, result: RecoveryResult, context: LoopContext
) -> None:
    if success_recovers(action.strategy):
        turn = failure.mark_recovered
    elif action.strategy is RecoveryStrategy.REQUEST_HUMAN:
        turn = failure.mark_escalated
    else:
        turn = failure.mark_terminal
    noted(state, failure, context, f"{action.strategy} succeeded: {action.message}", turn, result.evidence)
    if state.execution_state is ExecutionState.REPLANNING:
        context.lifecycle.turn(state, ExecutionState.ITERATION_COMPLETE, "replanned")


def _failed(
    state: LoopState, failure: Failure, action: RecoveryAction, result: RecoveryResult, context: LoopContext
) -> None:
    """Attempts left: the run stays in RECOVERING and the next strategy is tried. None left: the failure is terminal."""
    cause = f"{action.strategy} failed: {result.message}"
    noted(state, failure, context, cause, failure.mark_recovery_failed, result.evidence)
    if _LAST_RESORT in action.params or result.evidence.get(TERMINAL):
        end_terminally(state, failure, context)
    elif not failure.can_recover(context.settings.max_attempts_per_failure):
        _exhausted(state, failure, f"its {failure.recovery_attempts} recoveries are used up", context)
        end_terminally(state, failure, context)


def _last_resort(failure: Failure, context: LoopContext, why: str) -> RecoveryAction:
    """To terminate, because nothing else is left to try or may be tried."""
    identity = context.ids.fresh("a")
    return RecoveryAction(identity, failure.failure_id, RecoveryStrategy.TERMINATE, {_LAST_RESORT: why})


def _exhausted(state: LoopState, failure: Failure, why: str, context: LoopContext) -> None:
    """Put on record that limits, and not the ladder, ended it."""
    message = f"no more is tried for {failure.failure_id}: {why}"
    other = raised(state, context, FailureType.RECOVERY_EXHAUSTED, message, evidence=failure.message)
    noted(state, other, context, why, other.mark_terminal)
