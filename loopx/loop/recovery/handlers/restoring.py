"""ROLLBACK: the project's files as they were when a step was last verified, and what came after to be done again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.loop.recovery.handler import RecoveryHandler
from loopx.loop.recovery.limits import only_with_a_person
from loopx.loop.recovery.result import TERMINAL, RecoveryResult
from loopx.model.step import ExecutionState, Role, StepStatus

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.failure import Failure
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step

ARTIFACT = "artifact"
"""The entity a rollback stands under in the trace."""
_STARTED = (
    StepStatus.EXECUTED,
    StepStatus.EVALUATED,
    StepStatus.EVALUATION_FAILED,
    StepStatus.VERIFICATION_FAILED,
    StepStatus.RECOVERY_PENDING,
    StepStatus.RETRY_PENDING,
)


class Rollback(RecoveryHandler):
    """Files go back; verdicts that stand stay. The engine lets steps that run come to their end first."""

    def precondition(self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext) -> str | None:
        """There is a snapshot to go back to: of the step verified last, or from the run's start while none is; and no
        step begun since needs a person before it is done again."""
        if context.artifacts is None or target(state) is None:
            return "There is no snapshot to go back to."
        for identity in state.plan.in_status(*_STARTED):
            if (why := only_with_a_person(state.plan.peek(identity), state)) is not None:
                return why
        return None

    async def execute(
        self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> RecoveryResult:
        """When nothing runs, the files go back, the tree's hash is compared, and the steps begun since become PENDING.
        Where files are not as the snapshot holds them, the failure is terminal."""
        why, snapshot, artifacts = self.precondition(failure, step, state, context), target(state), context.artifacts
        if why is not None or snapshot is None or artifacts is None:
            return RecoveryResult(False, message=why or "")
        if state.plan.count(StepStatus.IN_PROGRESS):
            return RecoveryResult(False, message="Steps are still running.")
        try:
            found, wanted = artifacts.restore(snapshot), artifacts.tree(snapshot)
        except LoopxError as error:
            return RecoveryResult(False, message=str(error), evidence={"snapshot": snapshot})
        evidence = {"snapshot": snapshot, "tree": found, "wanted": wanted}
        if found != wanted:
            message = "the files are not as the snapshot holds them"
            return RecoveryResult(False, message=message, evidence=evidence | {TERMINAL: True})
        for identity in state.plan.in_status(*_STARTED):
            _reset(state, state.plan.step(identity), context, f"rolled back to {snapshot}")
        now, cause = context.clock.now(), failure.failure_id
        state.trace.add(now, ARTIFACT, None, snapshot, Role.RECOVERY, cause, None, evidence)
        return RecoveryResult(True, ExecutionState.REPLANNING, message=f"files are as in {snapshot}", evidence=evidence)

    def validate_postconditions(self, step: Step | None, state: LoopState) -> bool:
        """The trace tells of it with both hashes, they are the same, and no step that was begun is left."""
        return not self.violations(step, state)

    def violations(self, step: Step | None, state: LoopState) -> tuple[str, ...]:
        told = [line[7] or {} for line in state.trace.lines if line[1] == ARTIFACT]
        found = []
        if not told:
            found.append("the rollback does not stand in the trace")
        elif told[-1]["tree"] != told[-1]["wanted"]:
            found.append("the files are not as the snapshot holds them")
        if state.plan.in_status(*_STARTED):
            found.append("a step that was begun was not reset")
        return tuple(found)


def target(state: LoopState) -> str | None:
    """The snapshot of the step that was verified last, or the baseline while none is. A step that was verified without
    a snapshot leaves no way back: its work would be lost."""
    if state.plan.count(StepStatus.VERIFIED_COMPLETED):
        return state.last_snapshot
    return state.baseline


def _reset(state: LoopState, step: Step, context: LoopContext, cause: str) -> None:
    context.lifecycle.move(state, step, StepStatus.PENDING, Role.RECOVERY, cause)
    step.reset_execution()
    step.not_before = None
    state.waiting.pop(step.id, None)
