"""Having a step judged: evaluated, then verified. A judge that breaks has not judged.

Each verdict is its judge's to give, and nobody's when its phase is switched off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from loopx.loop import failing
from loopx.loop.components.protocols import Acted, ComponentType, Verdict
from loopx.loop.step import Step, StepView
from loopx.loop.waiting import paused
from loopx.model.step import ExecutionState, FailureType, Role, StepStatus

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.state import LoopState

OUTAGE_ATTEMPTS = 3
"""How often a judgement is tried again after its judge broke."""
OUTAGE_SECONDS = 1.0
"""How long to wait before the first time; doubled for each one after it."""


class JudgeBroken(Exception):
    """A judge broke every time it was asked; the last reason is the message."""


async def judge(state: LoopState, step: Step, acted: Acted, context: LoopContext) -> None:
    """Take an EXECUTED or EVALUATED step as far as its judges let it come."""
    try:
        if step.status is StepStatus.EVALUATED or await _evaluate(state, step, acted, context):
            await _verify(state, step, context)
    except JudgeBroken as error:
        failing.judge_broken(state, step, str(error), context)


async def _evaluate(state: LoopState, step: Step, acted: Acted, context: LoopContext) -> bool:
    lifecycle = context.lifecycle
    if not context.settings.enable_evaluation:
        lifecycle.move(state, step, StepStatus.EVALUATED, Role.SYSTEM, "evaluation disabled")
        return True
    lifecycle.turn(state, ExecutionState.EVALUATING, step.id)
    evaluator, view = context.components[ComponentType.EVALUATOR], StepView.of(step)
    verdict = await _asked(lambda: evaluator.evaluate(view, acted, context), context)
    to = StepStatus.EVALUATED if verdict.passed else StepStatus.EVALUATION_FAILED
    lifecycle.move(state, step, to, Role.EVALUATOR, verdict.message, verdict.evidence)
    step.evaluation_passed = step.attempts[-1].evaluation_passed = verdict.passed
    if not verdict.passed:
        kind = verdict.failure or acted.failure or FailureType.EVALUATION_FAILED
        failing.rejected(state, step, kind, verdict, context)
    return verdict.passed


async def _verify(state: LoopState, step: Step, context: LoopContext) -> None:
    lifecycle = context.lifecycle
    if not context.settings.enable_verification:
        step.metadata["verification"] = "disabled"
        lifecycle.move(state, step, StepStatus.VERIFIED_COMPLETED, Role.SYSTEM, "unverified: verification disabled")
    else:
        lifecycle.turn(state, ExecutionState.VERIFYING, step.id)
        verifier, view = context.components[ComponentType.VERIFIER], StepView.of(step)
        verdict = await _asked(lambda: verifier.verify(view, context), context)
        to = StepStatus.VERIFIED_COMPLETED if verdict.passed else StepStatus.VERIFICATION_FAILED
        lifecycle.move(state, step, to, Role.VERIFIER, verdict.message, verdict.evidence)
        step.verification_passed = step.attempts[-1].verification_passed = verdict.passed
        if not verdict.passed:
            failing.rejected(state, step, verdict.failure or FailureType.VERIFICATION_FAILED, verdict, context)
            return
    state.last_snapshot = step.snapshot


async def _asked(ask: Callable[[], Awaitable[Verdict]], context: LoopContext) -> Verdict:
    """The verdict, asked for again after a while when the judge breaks. Raises :class:`JudgeBroken`."""
    for attempt in range(OUTAGE_ATTEMPTS + 1):
        try:
            return _as_verdict(await ask())
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if attempt == OUTAGE_ATTEMPTS:
                raise JudgeBroken(f"{type(error).__name__}: {error}") from error
        await paused(context, OUTAGE_SECONDS * 2**attempt)
    raise AssertionError("unreachable")


def _as_verdict(found: object) -> Verdict:
    if not isinstance(found, Verdict) or not isinstance(found.passed, bool):
        raise TypeError(f"{found!r} is no verdict")
    return found
