"""What an iteration boundary leads to: one pure question, answered in one order that never changes."""

from __future__ import annotations

from enum import StrEnum

from loopx.loop.failure import Failure
from loopx.loop.scheduling import next_due
from loopx.loop.state import LoopState
from loopx.model.clock import Clock
from loopx.model.plan import RunSettings
from loopx.model.step import FailureStatus


class Course(StrEnum):
    """What happens next, in the order of the questions."""

    STOP_BY_POLICY = "stop_by_policy"
    FAIL = "fail"
    COMPLETE = "complete"
    EXHAUSTED = "exhausted"
    RECOVER = "recover"
    ACT = "act"
    LINGER = "linger"
    """Steps are running; wait for the first of them."""
    WAIT = "wait"
    """Nothing can run before a moment that is known."""
    LEAVE = "leave"
    """What could run is more than this process may begin."""
    ASK = "ask"
    """Nothing can run before a person has answered."""
    DEADLOCK = "deadlock"


def course(
    state: LoopState,
    settings: RunSettings,
    clock: Clock,
    running: int,
    objection: str | None,
    *,
    may_begin: bool = True,
    is_too_dear: bool = False,
    is_person_awaited: bool = False,
) -> Course:
    """The course of a run at a boundary. Work finished exactly at the limit is finished: completion comes first.

    ``may_begin`` and ``is_too_dear`` say what the allowance of this process leaves, which never ends a run;
    ``is_person_awaited`` that a step waits for a person."""
    if objection is not None:
        return Course.STOP_BY_POLICY
    if state.failures.terminal() is not None:
        return Course.LINGER if running else Course.FAIL
    if state.plan.is_complete() and not running:
        return Course.COMPLETE
    if is_spent(state, settings, clock):
        return Course.LINGER if running else Course.EXHAUSTED
    if to_recover(state) is not None:
        return Course.RECOVER
    is_something_ready = state.plan.has_ready()
    if is_something_ready and may_begin and running < max(settings.parallel, 1):
        return Course.ACT
    if running:
        return Course.LINGER
    if not may_begin and (is_something_ready or next_due(state) is not None):
        return Course.LEAVE
    if next_due(state) is not None:
        return Course.WAIT
    if is_too_dear:
        return Course.LEAVE
    if is_person_awaited or any(each.status is FailureStatus.ESCALATED for each in state.open_failures()):
        return Course.ASK
    return Course.DEADLOCK


def to_recover(state: LoopState) -> Failure | None:
    """The oldest failure that something may be done about now."""
    for each in state.open_failures():
        if each.failure_id not in state.put_off and each.status is not FailureStatus.ESCALATED:
            return each
    return None


def is_spent(state: LoopState, settings: RunSettings, clock: Clock) -> bool:
    """Whether a budget is really gone. A limit of 0 is gone at once."""
    limits, used = settings.budgets, state.counters
    return (
        (limits.steps is not None and used.steps_executed >= limits.steps)
        or (limits.seconds is not None and state.active_seconds(clock.now()) >= limits.seconds)
        or (limits.cost is not None and used.cost >= limits.cost)
        or (limits.tokens is not None and used.tokens >= limits.tokens)
    )


def seconds_left(state: LoopState, settings: RunSettings, clock: Clock) -> float | None:
    """How long the run may still be carried on; ``None`` without a limit."""
    limit = settings.budgets.seconds
    return None if limit is None else max(limit - state.active_seconds(clock.now()), 0.0)
