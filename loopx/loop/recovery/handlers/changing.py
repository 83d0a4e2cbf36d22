"""CHANGE_TOOL and CHANGE_MODEL: the same step once more, with something not tried on its lineage yet."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from loopx.loop.recovery.handler import RecoveryHandler
from loopx.loop.recovery.handlers.retrying import is_made_ready, made_ready, may_retry
from loopx.loop.recovery.result import RecoveryResult
from loopx.model.step import ExecutionState, StepStatus

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.failure import Failure
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step


class Change(RecoveryHandler):
    """Base of both: ``what`` is the field of the step that changes."""

    what = ""

    @abstractmethod
    def alternatives(self, step: Step, context: LoopContext) -> tuple[str, ...]:
        """Everything registered that may take its place, in order."""

    def precondition(self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext) -> str | None:
        """As for RETRY; and the step names one, and another that was not tried on its lineage is registered. In a
        workspace a tool says whose place it may take."""
        if (why := may_retry(step, state, context)) is not None or step is None:
            return why
        if getattr(step, self.what) is None:
            return f"{step.id} names no {self.what} that could change."
        return None if self._untried(step, context) else f"Every {self.what} was tried on {step.lineage}."

    async def execute(
        self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> RecoveryResult:
        """The first untried one takes its place, old and new are noted, and then as RETRY. It counts as a retry."""
        if (why := self.precondition(failure, step, state, context)) is not None or step is None:
            return RecoveryResult(False, message=why or "")
        old, new = getattr(step, self.what), self._untried(step, context)
        setattr(step, self.what, new)
        marks = tuple(f"{self.what}:{each}" for each in (old, new))
        step.tried = (*step.tried, *(each for each in marks if each not in step.tried))
        step.metadata[f"{self.what}_change"] = {"from": old, "to": new}
        message = f"{step.id} changes its {self.what} from {old} to {new}"
        made_ready(state, step, context, f"{failure.failure_id}: {message}")
        evidence = {"from": old, "to": new}
        return RecoveryResult(True, ExecutionState.ITERATION_COMPLETE, StepStatus.READY, message, evidence)

    def validate_postconditions(self, step: Step | None, state: LoopState) -> bool:
        """The step is READY and counted as for RETRY, names another one than before, and its metadata says which."""
        if step is None or state.before is None:
            return False
        old, new = getattr(state.before.plan.peek(step.id), self.what), getattr(step, self.what)
        is_said = step.metadata.get(f"{self.what}_change") == {"from": old, "to": new}
        return is_made_ready(step, state) and new != old and is_said

    def _untried(self, step: Step, context: LoopContext) -> str | None:
        used = {*step.tried, f"{self.what}:{getattr(step, self.what)}"}
        return next((each for each in self.alternatives(step, context) if f"{self.what}:{each}" not in used), None)


class ChangeTool(Change):
    """The same step again, at once, with another tool."""

    what = "tool"

    def alternatives(self, step: Step, context: LoopContext) -> tuple[str, ...]:
        """Tools that are said to do the same work. Any other, given this step's arguments, might do anything."""
        if context.instead_of is None:
            return tuple(context.tools)
        wanted = {step.tool, step.meant.tool}
        return tuple(each for each in context.tools if wanted & {*context.instead_of.get(each, ())})


class ChangeModel(Change):
    """The same step again, at once, with another model."""

    what = "model"

    def alternatives(self, step: Step, context: LoopContext) -> tuple[str, ...]:
        return context.models
