"""A run taken up again: executions nobody saw the end of, work nobody has judged, and states it was left in."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from loopx.loop.components.protocols import Acted
from loopx.loop.definition import definition_digest
from loopx.loop.step import Step
from loopx.model.step import AttemptOutcome, FailureType, StepStatus

if TYPE_CHECKING:
    from loopx.loop.keeping.store import RunStore
    from loopx.loop.state import LoopState

UNSEEN = Acted(AttemptOutcome.UNKNOWN, failure=FailureType.INTERRUPTED, message="nobody saw its end")


def left_running(state: LoopState, underway: Collection[str]) -> list[str]:
    """Steps on record as being carried out that nobody carries out."""
    return [each for each in state.plan.in_status(StepStatus.IN_PROGRESS) if each not in underway]


def left_unjudged(state: LoopState) -> list[str]:
    """Steps that were carried out and have no verdict, save those whose judge is known to be broken."""
    broken = {each.step_id for each in state.open_failures() if each.is_judge_outage}
    waiting = state.plan.in_status(StepStatus.EXECUTED, StepStatus.EVALUATED)
    return [each for each in waiting if each not in broken]


def recalled(step: Step, store: RunStore) -> Acted:
    """What is known of the newest execution of ``step``: what was kept of it on this machine, or that nothing is."""
    return store.outcome_of(step, step.attempts[-1]) or UNSEEN


def is_redefined(step: Step) -> bool:
    """Whether the step was edited since its newest execution began."""
    attempt = step.attempts[-1]
    if attempt.digest is None and attempt.meant is step.meant:
        return False
    return attempt.definition != definition_digest(step.meant, step.tool, step.model)
