"""ABSTAIN and TERMINATE: the run ends on purpose, with what it has, or with what went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.loop.failing import end_of, give_up
from loopx.loop.recovery.handler import RecoveryHandler
from loopx.loop.recovery.result import RecoveryResult
from loopx.model.step import ExecutionState, StepStatus

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.failure import Failure
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step


def keep_partial_results(state: LoopState) -> None:
    """Put the outputs of completed steps where the result shows them."""
    for identity in state.plan.in_status(StepStatus.VERIFIED_COMPLETED):
        state.partial_results[identity] = state.plan.peek(identity).output


class Abstain(RecoveryHandler):
    """Stop without completing, for a reason, keeping what there is."""

    def precondition(self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext) -> str | None:
        """The plan allows it, and no critical step is unfinished."""
        if not context.settings.allow_abstain:
            return "The plan does not allow to stop without completing."
        plan = state.plan
        open_steps = (plan.peek(each) for each in plan.ids if plan.status(each) is not StepStatus.VERIFIED_COMPLETED)
        critical = next((each.id for each in open_steps if each.meant.critical), None)
        return None if critical is None else f"{critical} is critical and not done."

    async def execute(
        self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> RecoveryResult:
        """The run ends; the reason and the outputs of completed steps are kept."""
        if (why := self.precondition(failure, step, state, context)) is not None:
            return RecoveryResult(False, message=why)
        state.abstention = failure.message
        keep_partial_results(state)
        give_up(state, failure, context)
        return RecoveryResult(True, ExecutionState.ABSTAINED, message=failure.message)

    def validate_postconditions(self, step: Step | None, state: LoopState) -> bool:
        """The run is ABSTAINED, for a reason, with every completed step's output."""
        is_kept = state.partial_results.keys() >= set(state.plan.in_status(StepStatus.VERIFIED_COMPLETED))
        return state.execution_state is ExecutionState.ABSTAINED and bool(state.abstention) and is_kept


class Terminate(RecoveryHandler):
    """Stop with failure; the evidence stays. A hijacked goal ends by policy. The ladder comes to it when nothing else
    stands open."""

    async def execute(
        self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> RecoveryResult:
        """The run ends with the failure's message as its error; outputs of completed steps and the evidence are kept.
        A hijacked goal ends by policy."""
        state.error = failure.message
        keep_partial_results(state)
        give_up(state, failure, context)
        evidence = {"failure": failure.failure_id, "recoveries": [each.strategy.value for each in failure.actions]}
        return RecoveryResult(True, end_of(failure), message=failure.message, evidence=evidence)

    def validate_postconditions(self, step: Step | None, state: LoopState) -> bool:
        """The run is FAILED or POLICY_TERMINATED, and says why."""
        ends = (ExecutionState.FAILED, ExecutionState.POLICY_TERMINATED)
        return state.execution_state in ends and bool(state.error)
