"""What is known of an execution whose runner did not see its end: from this machine's files, or from a person's answer.

A program that still runs belongs to nobody now; it is waited for as long as its step allows, and ended then, so that
nothing is decided while it may still change something.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from loopx.loop.resuming import left_running
from loopx.model.plan import ActorKind
from loopx.model.step import AttemptOutcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from loopx.loop.attempt import Attempt
    from loopx.loop.components.protocols import Acted
    from loopx.loop.keeping.attempts import AttemptFile
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step
    from loopx.workspace import Workspace

_LOOK_SECONDS = 0.02


def outcome_of(workspace: Workspace, step: Step, attempt: Attempt, hours: int | None = None) -> Acted | None:
    """How ``attempt`` ended, once nothing of it runs any more; ``None`` where nobody knows. A person who was asked to
    carry it out may have ``hours`` to answer."""
    if attempt.meant.action.actor is ActorKind.HUMAN:
        return _answered(workspace, attempt, hours)
    from loopx.loop.components.commands import acted_of
    from loopx.loop.keeping.attempts import read_attempt

    folder = workspace.places.attempts
    file = read_attempt(folder, attempt.id)
    if file is None:
        return None
    if not file.has_ended:
        _wait_or_end(file, workspace, attempt)
        file = read_attempt(folder, attempt.id) or file
    return acted_of(file, attempt.meant.action)


async def gone(workspace: Workspace, state: LoopState, is_cut_short: Callable[[], bool]) -> None:
    """Return once nothing runs any more of what the process before this one began. Meanwhile the Lease can be renewed,
    and whoever wants it ``cut short`` is heard."""
    from loopx.loop.keeping import attempts

    await asyncio.to_thread(attempts.end_judges, workspace.places.attempts, state.run)
    for identity in left_running(state, ()):
        attempt = state.plan.step(identity).attempts[-1]
        file = attempts.read_attempt(workspace.places.attempts, attempt.id)
        if file is None or file.has_ended:
            continue
        for _ in range(_looks_left(workspace, attempt)):
            if is_cut_short() or not _is_there(file):
                break
            await asyncio.sleep(_LOOK_SECONDS)
        await asyncio.to_thread(attempts.end, file)


def _wait_or_end(file: AttemptFile, workspace: Workspace, attempt: Attempt) -> None:
    """Let what still runs come to its end within its step's time, or end it with everything it started."""
    from loopx.loop.keeping import attempts

    patience = threading.Event()
    for _ in range(_looks_left(workspace, attempt)):
        if not _is_there(file):
            return
        patience.wait(_LOOK_SECONDS)
    attempts.end(file)


def _is_there(file: AttemptFile) -> bool:
    """Whether something of it still runs, or its end is about to be put on file."""
    from loopx.loop.keeping import attempts

    return attempts.is_alive(file) or attempts.is_kept(file)


def _looks_left(workspace: Workspace, attempt: Attempt) -> int:
    """How often to look until the time its step allows is over."""
    left = attempt.meant.action.timeout_seconds - _seconds_since(attempt.started_at, workspace.clock.now())
    return max(int(left / _LOOK_SECONDS), 0)


def _seconds_since(at: datetime, now: datetime) -> float:
    """How long ago ``at`` was; nothing where the clock went back."""
    return max((now - at).total_seconds(), 0.0)


def _answered(workspace: Workspace, attempt: Attempt, hours: int | None) -> Acted:
    """What a person said who was asked to carry the step out. While nobody has, the execution goes on: it waits for the
    Gate it asked by, or asks where it had not come that far."""
    from loopx.loop.components.people import deadline, known
    from loopx.loop.components.protocols import Acted
    from loopx.loop.keeping.questions import answer_of, gate_of_attempt

    state = workspace.read().state
    gate = gate_of_attempt(state, attempt.id)
    if gate is None:
        return Acted(AttemptOutcome.RUNNING, message="nobody was asked yet", awaits="")
    return known(answer_of(state, gate), gate, deadline(attempt.started_at, hours), workspace.clock.now())
