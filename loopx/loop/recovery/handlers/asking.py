"""REQUEST_HUMAN: a person is asked with all there is to know, and the run waits. Nothing ever answers for them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from loopx.loop.recovery.handler import RecoveryHandler
from loopx.loop.recovery.result import RecoveryResult
from loopx.model.step import ExecutionState
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.failure import Failure
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step

OPTIONS = ("retry", "replan", "skip", "change_tool", "change_model", "abstain", "abort")
"""What a person may answer."""
_LONGEST_QUESTION = 300


class RequestHuman(RecoveryHandler):
    """A person is asked what to do. One question is open at a time; other failures of that sort wait for it."""

    def precondition(self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext) -> str | None:
        """There is a way to ask a person."""
        return None if context.human is not None else "There is no way to ask a person."

    async def execute(
        self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> RecoveryResult:
        """A question is opened with the step, what was tried, what went wrong and seven options. It has a deadline
        only where the plan sets one; once that is over the run is aborted. Nothing is ever approved by itself."""
        if (why := self.precondition(failure, step, state, context)) is not None or context.human is None:
            return RecoveryResult(False, message=why or "")
        if state.question is not None:
            return RecoveryResult(False, message="A person is asked about another failure.")
        facts = _facts(failure, step, context)
        where = f"step {step.id} ({step.title})" if step is not None else "the plan"
        question = f"What about {where}? {failure.message}"[:_LONGEST_QUESTION]
        state.gate = context.human.ask(question, OPTIONS, facts)
        state.question = {"failure": failure.failure_id, "question": question, "options": list(OPTIONS), **facts}
        return RecoveryResult(True, ExecutionState.WAITING_FOR_HUMAN, message=f"asked by {state.gate}")

    def validate_postconditions(self, step: Step | None, state: LoopState) -> bool:
        """The run waits, and the question says what it is about, what happened, and everything that may be
        answered."""
        asked = state.question or {}
        is_complete = bool(asked.get("failure") and asked.get("question") and asked.get("message"))
        has_options = set(asked.get("options", ())) == set(OPTIONS)
        is_about_it = asked.get("step") == (step.id if step is not None else None) and "recoveries" in asked
        return state.execution_state is ExecutionState.WAITING_FOR_HUMAN and is_complete and has_options and is_about_it


def _facts(failure: Failure, step: Step | None, context: LoopContext) -> dict[str, Any]:
    """What a person needs to decide: the step, what was tried, and what went wrong. A deadline only where one is set:
    when it has passed the run is aborted, never approved."""
    hours = context.settings.human_deadline_hours
    deadline = None if hours is None else format_instant(context.clock.now() + timedelta(hours=hours))
    return {
        "message": failure.message,
        "type": failure.type.value,
        "step": step.id if step else None,
        "executions": len(step.attempts) if step else 0,
        "retries": step.retry_count if step else 0,
        "recoveries": [each.strategy.value for each in failure.actions if each.executed],
        "outcome_unknown": failure.is_outcome_unknown,
        "evidence": failure.evidence,
        "deadline": deadline,
    }
