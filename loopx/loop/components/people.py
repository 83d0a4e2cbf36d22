"""Steps a person carries out: a question through the run's channel, and waiting until it is answered."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from loopx.loop.components.protocols import Acted
from loopx.loop.waiting import paused
from loopx.model.step import AttemptOutcome, FailureType

if TYPE_CHECKING:
    from loopx.loop.context import Answer, LoopContext
    from loopx.loop.step import StepView

DONE, NOT_DONE = "done", "not_done"
LOOK_SECONDS = 2.0
"""How often it is asked whether somebody has answered."""


class HumanActor:
    """Asks, and waits. Nothing ever answers for a person: when nobody has by the run's deadline, nothing is known."""

    async def act(self, step: StepView, attempt: str, context: LoopContext) -> Acted:
        if context.human is None:
            message = "there is no way to ask a person"
            return Acted(AttemptOutcome.NOT_STARTED, failure=FailureType.EXECUTION_ERROR, message=message)
        question = step.meant.action.question or step.meant.title
        gate = context.human.ask(question, (DONE, NOT_DONE), {"step": step.id, "attempt": attempt})
        hours = context.settings.human_deadline_hours
        deadline = None if hours is None else context.clock.now() + timedelta(hours=hours)
        while (answer := context.human.answer(gate)) is None:
            if deadline is not None and context.clock.now() >= deadline:
                message = f"nobody answered {gate} within {hours} hours"
                return Acted(AttemptOutcome.UNKNOWN, failure=FailureType.TIMEOUT, message=message)
            await paused(context, LOOK_SECONDS)
        return answered(answer, gate)


def answered(answer: Answer, gate: str) -> Acted:
    """What a person's answer makes of the step."""
    is_done = answer.is_approved and answer.option != NOT_DONE
    outcome = AttemptOutcome.SUCCEEDED if is_done else AttemptOutcome.FAILED
    message = answer.comment or f"{gate}: {answer.option or (DONE if is_done else NOT_DONE)}"
    return Acted(outcome, answer.comment or answer.option or "", 0 if is_done else 1, message=message)
