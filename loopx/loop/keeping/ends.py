"""Keeping what is known when a run cannot be saved any more: on this machine, where whoever reads it anew finds it.

Programs have a keeper that puts their end on file whatever happens. What is kept here is the end of everything else.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from loopx.loop.keeping.attempting import Record, boot, process_started
from loopx.loop.keeping.attempts import attempt_path
from loopx.model.step import AttemptOutcome

if TYPE_CHECKING:
    from pathlib import Path

    from loopx.loop.attempt import Attempt
    from loopx.loop.context import LoopContext
    from loopx.loop.state import LoopState
    from loopx.loop.underway import Underway

_STATUS = {AttemptOutcome.SUCCEEDED: 0, AttemptOutcome.FAILED: 1}


async def let_end(state: LoopState, context: LoopContext, underway: Underway) -> None:
    """Somebody changed the run: let what runs come to its end, and keep that, and what had ended since the last
    save."""
    for identity, acted in await underway.all():
        if acted.failure is None:
            attempt = state.plan.peek(identity).attempts[-1]
            _keep(context, attempt, acted.outcome, acted.exit_status, acted.output)
    for identity in state.changed:
        step = state.plan.peek(identity) if identity in state.plan else None
        if step is not None and step.attempts and step.end_time is not None:
            last = step.attempts[-1]
            _keep(context, last, last.outcome, last.exit_status, step.output)


def _keep(
    context: LoopContext, attempt: Attempt, outcome: AttemptOutcome, exit_status: int | None, output: Any
) -> None:
    """Put an end on file. An output that is no text is not kept, and its execution asked about."""
    if context.attempts is None or outcome not in _STATUS or not isinstance(output, str | None):
        return
    path = attempt_path(context.attempts, attempt.id)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, context, attempt, _STATUS[outcome] if exit_status is None else exit_status, output or "")


def _write(path: Path, context: LoopContext, attempt: Attempt, status: int, output: str) -> None:
    pid, content = os.getpid(), output.encode("utf-8", "replace")
    started = process_started(pid)
    record = Record(str(path), context.is_durable)
    record.write(
        {
            "attempt": attempt.id,
            "pid": pid,
            "boot": boot(),
            "process_started": started,
            "keeper": pid,
            "keeper_started": started,
            "exit_status": status,
            "output_digest": sha256(content).hexdigest(),
            "output_size": len(content),
            "output": content.decode(),
        }
    )
    record.close()
