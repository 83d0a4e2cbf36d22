"""The Gates a run on record waits for: the question of a recovery, steps people carry out, and the yes steps need.

A look-up over one state, for whoever tells people what is asked of them or makes a Todo wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel.plans.permitting import needs_permission, uncovered
from loopx.loop.keeping.questions import gate_of_attempt
from loopx.model.gate import GateStatus
from loopx.model.plan import ActorKind
from loopx.model.step import StepStatus

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from loopx.kernel.state import State
    from loopx.model.gate import Gate
    from loopx.model.run import RunRecord

_UNANSWERED = frozenset({GateStatus.OPEN, GateStatus.DEFERRED})


def awaited_gates(state: State, run: str, now: datetime) -> tuple[Gate, ...]:
    """The Gates nobody has answered that hold something of ``run`` up; none where it has ended or was not begun."""
    record = state.run(run)
    if record is None or record.status.is_terminal:
        return ()
    gates = (state.gate(each) for each in dict.fromkeys(_asked(state, record, now)))
    return tuple(each for each in gates if each is not None and each.status in _UNANSWERED)


def _asked(state: State, record: RunRecord, now: datetime) -> Iterator[str]:
    if record.gate is not None:
        yield record.gate
    plan = state.plan(record.id)
    steps = {each.id: each for each in plan.steps} if plan is not None else {}
    for each in state.steps_of(record.id):
        meant = steps.get(each.step)
        if meant is None:
            continue
        if each.status is StepStatus.IN_PROGRESS and meant.action.actor is ActorKind.HUMAN and each.attempts:
            gate = gate_of_attempt(state, each.attempts[-1].id)
            if gate is not None:
                yield gate
        elif each.status is StepStatus.READY and needs_permission(meant):
            try:
                missing = uncovered(state, record.goal, record.id, meant, now)
            except ValueError:
                continue
            yield from (found.pending.id for found in missing if found.pending is not None)
