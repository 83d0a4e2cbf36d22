"""Steps a person carries out: a question through the run's channel. Nobody is waited for here: the engine goes on with
other steps, and asks again whether there is an answer."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from loopx.loop.components.protocols import Acted
from loopx.model.step import AttemptOutcome, FailureType
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.loop.context import Answer, LoopContext
    from loopx.loop.step import StepView

DONE, NOT_DONE = "done", "not_done"


class HumanActor:
    """Asks, and says what is known. Nothing ever answers for a person: when nobody has by the run's deadline, nothing
    is known. Called twice for one attempt it asks by the same Gate."""

    async def act(self, step: StepView, attempt: str, context: LoopContext) -> Acted:
        if context.human is None:
            message = "there is no way to ask a person"
            return Acted(AttemptOutcome.NOT_STARTED, failure=FailureType.EXECUTION_ERROR, message=message)
        question = step.meant.action.question or step.meant.title
        begun = step.attempts[-1].started_at if step.attempts else context.clock.now()
        until = deadline(begun, context.settings.human_deadline_hours)
        facts = {"step": step.id, "attempt": attempt, "deadline": None if until is None else format_instant(until)}
        gate = context.human.ask(question, (DONE, NOT_DONE), facts)
        return known(context.human.answer(gate), gate, until, context.clock.now())


def deadline(begun: datetime, hours: int | None) -> datetime | None:
    """Until when an answer to a question that was asked at ``begun`` counts; without hours it always does."""
    return None if hours is None else begun + timedelta(hours=hours)


def known(answer: Answer | None, gate: str, until: datetime | None, now: datetime) -> Acted:
    """What is known of a step a person was asked to carry out: what they said, that they are still awaited, or nothing
    where nobody answered in time."""
    if until is not None and _is_late(answer, until, now):
        message = f"nobody answered {gate} until {format_instant(until)}"
        return Acted(AttemptOutcome.UNKNOWN, failure=FailureType.TIMEOUT, message=message)
    if answer is None:
        return Acted(AttemptOutcome.RUNNING, message=f"{gate} is not answered yet", awaits=gate)
    return answered(answer, gate)


def _is_late(answer: Answer | None, until: datetime, now: datetime) -> bool:
    if answer is None:
        return now >= until
    return answer.at is not None and answer.at > until


def answered(answer: Answer, gate: str) -> Acted:
    """What a person's answer makes of the step."""
    is_done = answer.is_approved and answer.option != NOT_DONE
    outcome = AttemptOutcome.SUCCEEDED if is_done else AttemptOutcome.FAILED
    message = answer.comment or f"{gate}: {answer.option or (DONE if is_done else NOT_DONE)}"
    return Acted(outcome, answer.comment or answer.option or "", 0 if is_done else 1, message=message)
