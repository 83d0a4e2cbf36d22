"""One execution of a step: its intent on record, the actor's work, and what is known of its end.

An outcome nobody saw is unknown before it is anything else: a prober may read it back where the step says so, and what
may be done otherwise is for recovery to say.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopx.loop.attempt import Attempt
from loopx.loop.components.protocols import Acted, ComponentType, Probed
from loopx.loop.step import Step, StepView
from loopx.model.step import AttemptOutcome, FailureType, Resumption, Role, StepStatus

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.state import LoopState
    from loopx.model.plan import RunSettings

_KNOWN_ENDS = (AttemptOutcome.SUCCEEDED, AttemptOutcome.FAILED)
NO_ENDS = (AttemptOutcome.UNKNOWN, AttemptOutcome.RUNNING)
"""What an actor that was called comes back with when it does not know itself."""
ADMITTED = "admitted_failure"
"""Where a step's metadata keeps what its actor said against its own work."""


def begin(state: LoopState, step: Step, context: LoopContext) -> Attempt:
    """Note that ``step`` is about to be carried out; to be saved before anything runs."""
    number = len(step.attempts) + 1
    identity = f"{state.run}/{step.id}/{number}"
    context.lifecycle.move(state, step, StepStatus.IN_PROGRESS, Role.ACTOR, identity)
    attempt = Attempt(identity, number, step.meant, step.tool, step.model, step.start_time or context.clock.now())
    step.attempts.append(attempt)
    state.counters.steps_executed += 1
    return attempt


async def act(step: Step, attempt: Attempt, context: LoopContext) -> Acted:
    """Let the actor work. Whatever it raises after it was called leaves the outcome unknown."""
    actor = context.components[ComponentType.ACTOR]
    try:
        found = await actor.act(StepView.of(step), attempt.id, context)
        if not isinstance(found, Acted):
            raise TypeError(f"{found!r} is no end of an execution")
    except asyncio.CancelledError:
        raise
    except Exception as error:  # noqa: BLE001  (the step boundary: whatever a component raises ends here)
        message = f"{type(error).__name__}: {error}"
        return Acted(AttemptOutcome.UNKNOWN, failure=FailureType.EXECUTION_ERROR, message=message)
    return found


async def read_back(step: Step, acted: Acted, context: LoopContext) -> Acted:
    """What is known of an execution once a prober was asked about it, where the step has one asked.

    It happened: its outcome, as if it had been seen. It did not: a failure like any other. A prober that is missing or
    breaks says nothing, and the outcome stays unknown.
    """
    if acted.outcome not in NO_ENDS or step.meant.action.recover is not Resumption.PROBE:
        return acted
    prober = _prober(context)
    if prober is None:
        return replace(acted, message=_joined(acted.message, "nobody is there to probe"))
    try:
        found = await prober.probe(StepView.of(step), step.attempts[-1].id, context)
        if not isinstance(found, Probed) or not isinstance(found.happened, bool):
            raise TypeError(f"{found!r} says neither yes nor no")
    except asyncio.CancelledError:
        raise
    except Exception as error:  # noqa: BLE001  (the step boundary: a prober that breaks has seen nothing)
        return replace(acted, message=_joined(acted.message, f"the probe broke: {type(error).__name__}: {error}"))
    if found.happened:
        message = _joined(found.message, "a probe found that it happened")
        return replace(
            acted,
            outcome=AttemptOutcome.SUCCEEDED,
            output=found.output,
            exit_status=found.exit_status,
            failure=None,
            message=message,
        )
    message = _joined(acted.message, found.message, "a probe found that it did not happen")
    return replace(acted, outcome=AttemptOutcome.NOT_STARTED, message=message)


def end(state: LoopState, step: Step, acted: Acted, context: LoopContext) -> bool:
    """Note how the newest attempt of ``step`` ended. True when that makes it EXECUTED, so that its output can be
    judged; otherwise it stays where it is, and :func:`loopx.loop.failing.lost` says what went wrong."""
    attempt = note_end(state, step, acted, context)
    if not can_be_judged(acted, context.settings):
        return False
    step.output = acted.output
    step.metadata.pop(ADMITTED, None)
    if acted.failure is not None:
        step.metadata[ADMITTED] = acted.failure.value
    cause = f"{attempt.id}: {acted.message}" if acted.message else attempt.id
    context.lifecycle.move(state, step, StepStatus.EXECUTED, Role.ACTOR, cause)
    return True


def note_end(state: LoopState, step: Step, acted: Acted, context: LoopContext) -> Attempt:
    """Write down how the newest attempt of ``step`` ended, and what it cost; its step stays where it is."""
    attempt = step.attempts[-1]
    attempt.ended_at = context.clock.now()
    attempt.outcome = AttemptOutcome.UNKNOWN if acted.outcome in NO_ENDS else acted.outcome
    attempt.exit_status, attempt.output_digest = acted.exit_status, acted.output_digest
    attempt.cost, attempt.tokens = _cost(attempt, acted), acted.tokens
    state.counters.cost += attempt.cost
    state.counters.tokens += acted.tokens
    state.changed.add(step.id)
    return attempt


def _cost(attempt: Attempt, acted: Acted) -> float:
    """What an execution cost: what its actor says, else what it was expected to, where it began at all."""
    if acted.cost is not None:
        return acted.cost
    return 0.0 if acted.outcome is AttemptOutcome.NOT_STARTED else attempt.meant.cost


def can_be_judged(acted: Acted, settings: RunSettings) -> bool:
    """Whether the actor came to an end that a judge may speak of. Without an evaluator nobody can excuse an actor that
    says itself that it failed; and a goal that was hijacked is never judged."""
    if acted.outcome not in _KNOWN_ENDS or acted.failure is FailureType.GOAL_HIJACKING:
        return False
    return settings.enable_evaluation or (acted.outcome is AttemptOutcome.SUCCEEDED and acted.failure is None)


def remembered(step: Step) -> Acted:
    """What the newest attempt came back with, for a judge that is asked again."""
    last, admitted = step.attempts[-1], step.metadata.get(ADMITTED)
    return Acted(
        last.outcome,
        step.output,
        last.exit_status,
        last.output_digest,
        FailureType(admitted) if admitted else None,
        cost=last.cost,
        tokens=last.tokens,
    )


def _prober(context: LoopContext) -> Any:
    found = context.components.get(ComponentType.PROBER)
    if found is None and hasattr(context.components[ComponentType.ACTOR], "probe"):
        return context.components[ComponentType.ACTOR]
    return found


def _joined(*parts: str) -> str:
    return "; ".join(each for each in parts if each)
