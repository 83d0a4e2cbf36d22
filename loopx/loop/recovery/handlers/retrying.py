"""RETRY and RETRY_WITH_BACKOFF: the same step once more, now or at its moment."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from loopx.loop.recovery.handler import RecoveryHandler
from loopx.loop.recovery.limits import backoff_seconds, only_with_a_person, retries_left
from loopx.loop.recovery.result import RecoveryResult
from loopx.model.step import ExecutionState, Role, StepStatus

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.failure import Failure
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step

RETRYABLE = frozenset({StepStatus.EVALUATION_FAILED, StepStatus.VERIFICATION_FAILED, StepStatus.RECOVERY_PENDING})
DELAY = "backoff_delay"
"""Where a step's metadata keeps how long its next execution was put off, in seconds."""


def may_retry(step: Step | None, state: LoopState, context: LoopContext) -> str | None:
    """Why the step cannot be carried out again; ``None`` when it can. A person's word stands in for the limits."""
    if step is None:
        return "The failure belongs to no step."
    if step.status not in RETRYABLE:
        return f"{step.id} is {step.status}, which is not failed."
    if state.permitted != step.id and not retries_left(step, context.settings):
        return f"{step.id} was tried again {step.retry_count} times, which is the limit."
    return only_with_a_person(step, state)


def put_off(state: LoopState, step: Step, context: LoopContext, cause: str) -> None:
    """Count another execution and forget the last one; the step is RETRY_PENDING then."""
    context.lifecycle.move(state, step, StepStatus.RETRY_PENDING, Role.RECOVERY, cause)
    step.retry_count += 1
    step.reset_execution()
    step.not_before = None


def made_ready(state: LoopState, step: Step, context: LoopContext, cause: str) -> None:
    """Count another execution, forget the last one, and bring the step to READY."""
    put_off(state, step, context, cause)
    context.lifecycle.move(state, step, StepStatus.READY, Role.RECOVERY, cause)


def is_counted_and_reset(step: Step, state: LoopState) -> bool:
    """Whether one more execution is counted and nothing is left of the last one, which stays among the attempts."""
    if state.before is None:
        return False
    old = state.before.plan.peek(step.id)
    left = (step.output, step.start_time, step.end_time, step.evaluation_passed, step.verification_passed)
    is_reset = all(each is None for each in left) and len(step.attempts) == len(old.attempts)
    return is_reset and step.retry_count == old.retry_count + 1


def is_made_ready(step: Step | None, state: LoopState) -> bool:
    """Whether the step is READY, counted once more than before, with nothing left of the last execution."""
    return step is not None and step.status is StepStatus.READY and is_counted_and_reset(step, state)


class Retry(RecoveryHandler):
    """The same step again, at once."""

    def precondition(self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext) -> str | None:
        """The step was rejected or lost its end, its lineage has executions left, and no person need say first."""
        return may_retry(step, state, context)

    async def execute(
        self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> RecoveryResult:
        """One more execution is counted, the last one is forgotten (it stays among the attempts), the step may
        begin."""
        if (why := may_retry(step, state, context)) is not None or step is None:
            return RecoveryResult(False, message=why or "")
        made_ready(state, step, context, failure.failure_id)
        return RecoveryResult(True, ExecutionState.ITERATION_COMPLETE, StepStatus.READY, f"{step.id} is tried again")

    def validate_postconditions(self, step: Step | None, state: LoopState) -> bool:
        """The step is READY, counted exactly once more, and holds no output, time or verdict."""
        return is_made_ready(step, state)


class RetryWithBackoff(RecoveryHandler):
    """The same step again, later. Never waits itself: it says when, and the scheduler keeps to it."""

    def precondition(self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext) -> str | None:
        """As for RETRY."""
        return may_retry(step, state, context)

    async def execute(
        self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> RecoveryResult:
        """As RETRY, but not before the base doubled for each execution again so far, within the cap. It never waits
        itself: it notes the moment, and the scheduler keeps to it."""
        if (why := may_retry(step, state, context)) is not None or step is None:
            return RecoveryResult(False, message=why or "")
        delay = backoff_seconds(step.retry_count, context.settings)
        step.metadata[DELAY] = delay
        if delay > 0:
            put_off(state, step, context, f"{failure.failure_id}: in {delay:g} s")
            step.not_before = state.waiting[step.id] = context.clock.now() + timedelta(seconds=delay)
        else:
            made_ready(state, step, context, failure.failure_id)
        message = f"{step.id} is tried again after {delay:g} s"
        return RecoveryResult(True, ExecutionState.ITERATION_COMPLETE, step.status, message, {DELAY: delay})

    def validate_postconditions(self, step: Step | None, state: LoopState) -> bool:
        """The delay is noted; the step is RETRY_PENDING with a moment the scheduler knows, or READY where the delay is
        nothing; counted once more, and nothing is left of the last execution."""
        if step is None or DELAY not in step.metadata:
            return False
        if step.status is StepStatus.READY:
            return step.metadata[DELAY] == 0 and is_made_ready(step, state)
        is_put_off = step.not_before is not None and state.waiting.get(step.id) == step.not_before
        return step.status is StepStatus.RETRY_PENDING and is_put_off and is_counted_and_reset(step, state)
