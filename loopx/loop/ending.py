"""How a run ends, and what may be claimed of it then."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from loopx.loop.boundary import Course
from loopx.loop.failing import end_of, is_moot, settle_moot
from loopx.loop.recovery.handlers.stopping import keep_partial_results
from loopx.loop.result import LeftOff, RunResult
from loopx.model.step import ExecutionState, FailureStatus, FailureType, StepStatus, VerificationStatus

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.state import LoopState
    from loopx.model.plan import RunSettings


def conclude(state: LoopState, context: LoopContext, found: Course, objection: str | None) -> None:
    """Bring the run to its end as the boundary found."""
    if state.execution_state is not ExecutionState.ITERATION_COMPLETE:
        context.lifecycle.turn(state, ExecutionState.ITERATION_COMPLETE)
    if found is Course.COMPLETE:
        for each in state.open_failures():
            if is_moot(state, each):
                settle_moot(state, each, context)
        skipped = state.plan.count(StepStatus.SKIPPED)
        end = ExecutionState.PARTIALLY_COMPLETED if skipped else ExecutionState.COMPLETED
    elif found is Course.STOP_BY_POLICY:
        end, state.error = ExecutionState.POLICY_TERMINATED, objection
    elif found is Course.EXHAUSTED:
        end, state.error = ExecutionState.BUDGET_EXHAUSTED, "a budget is used up"
    else:
        failure = state.failures.terminal()
        assert failure is not None
        end, state.error = end_of(failure), state.error or failure.message
    if found is not Course.COMPLETE:
        keep_partial_results(state)
    context.lifecycle.turn(state, end, state.error or "")


def result_of(
    state: LoopState, settings: RunSettings, left_off: LeftOff | None = None, gates: Iterable[str] = ()
) -> RunResult:
    """What the run came to, or where it stands, why it was left there, and by which ``gates`` people are asked."""
    state.verification_status = verification_of(state, settings)
    open_or_terminal = [each for each in state.failures.values() if each.status is not FailureStatus.RECOVERED]
    return RunResult(
        state,
        state.execution_state,
        state.verification_status,
        state.plan.get_progress(),
        error=state.error,
        abstention=state.abstention,
        partial_results=dict(state.partial_results),
        evidence={each.failure_id: each.evidence or each.message for each in open_or_terminal},
        question=state.question,
        gates=() if state.execution_state.is_terminal else tuple(gates),
        left_off=None if state.execution_state.is_terminal else left_off,
    )


def verification_of(state: LoopState, settings: RunSettings) -> VerificationStatus:
    """What may be said of verification: never more than was done."""
    if not settings.enable_verification:
        return VerificationStatus.DISABLED
    verified = failed = disabled = 0
    for identity in state.plan.ids:
        step = state.plan.step(identity)
        verified += step.verification_passed is True
        failed += step.status is StepStatus.VERIFICATION_FAILED
        disabled += step.metadata.get("verification") == "disabled"
    if disabled:
        return VerificationStatus.DISABLED
    if failed or any(
        each.type is FailureType.VERIFICATION_FAILED and each.status is FailureStatus.TERMINAL
        for each in state.failures.values()
    ):
        return VerificationStatus.FAILED
    if not verified:
        return VerificationStatus.NOT_RUN
    return VerificationStatus.VERIFIED if verified == len(state.plan) else VerificationStatus.PARTIAL
