"""Leaving a run for later, waiting for a moment, and cutting short what runs when the run ends."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from loopx.errors import LoopxError
from loopx.loop import acting
from loopx.loop.underway import CUT
from loopx.loop.waiting import passing
from loopx.model.step import ExecutionState, Role, StepStatus

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from loopx.loop.context import LoopContext
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step
    from loopx.loop.underway import Underway

STAYS = (
    ExecutionState.INITIALIZED,
    ExecutionState.SPECIFYING,
    ExecutionState.PLANNING,
    ExecutionState.RECOVERING,
    ExecutionState.WAITING_FOR_HUMAN,
)
"""States a run may be left in besides a boundary: it is taken up again from there."""


def at_boundary(state: LoopState, context: LoopContext) -> None:
    """Bring the run to a boundary, where it is at none."""
    if state.execution_state is not ExecutionState.ITERATION_COMPLETE:
        context.lifecycle.turn(state, ExecutionState.ITERATION_COMPLETE)


def seconds_until(moment: datetime, context: LoopContext) -> float:
    """How long until ``moment``; nothing where it has passed."""
    return max((moment - context.clock.now()).total_seconds(), 0.0)


async def cut_short(state: LoopState, context: LoopContext, underway: Underway, awaited: Collection[str] = ()) -> None:
    """Cut short what runs and note that its end is not known; the run stands where it can be taken up again. Steps that
    wait for a person go on waiting."""
    underway.interrupt()
    ended = dict(await underway.all())
    for identity in (each for each in state.plan.in_status(StepStatus.IN_PROGRESS) if each not in awaited):
        step = state.plan.step(identity)
        acting.note_end(state, step, ended.get(identity, CUT), context)
        keep_files(step, context)
    if state.execution_state not in STAYS:
        at_boundary(state, context)


async def cancel(state: LoopState, context: LoopContext, underway: Underway, why: str) -> None:
    """The run is to end: nothing goes on, and what was cut short is not known."""
    underway.interrupt()
    for identity, acted in await underway.all():
        step = state.plan.step(identity)
        acting.note_end(state, step, acted, context)
        keep_files(step, context)
        context.lifecycle.move(state, step, StepStatus.CANCELLED, Role.SYSTEM, why)


async def pause(context: LoopContext, stopped: asyncio.Event, seconds: Collection[float | None]) -> None:
    """Let the shortest of these times pass, unless the run is told to stop before; ``None`` is no limit."""
    moment = passing(context, max(min(each for each in seconds if each is not None), 0.0))
    stopping = asyncio.ensure_future(stopped.wait())
    either: set[asyncio.Future[Any]] = {moment, stopping}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if moment.done():
        moment.result()


def note_others(state: LoopState, context: LoopContext) -> None:
    """Nothing runs, and something is about to begin: what differs from how the run left the files is somebody else's.
    While something runs nobody can tell."""
    if context.artifacts is None or state.plan.count(StepStatus.IN_PROGRESS):
        return
    with suppress(LoopxError):  # what cannot be looked at now is told when the execution ends
        context.artifacts.found()


def keep_files(step: Step, context: LoopContext) -> None:
    """A snapshot of the files as an execution left them: for its verifier, for a way back, and so that whatever differs
    from it later is known as somebody else's."""
    if context.artifacts is None:
        return
    try:
        step.snapshot = context.artifacts.take(step.id)
    except LoopxError as error:
        step.metadata["snapshot_error"] = str(error)
