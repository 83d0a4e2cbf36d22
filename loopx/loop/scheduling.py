"""Who may begin next: promotion by what dependencies became, retries that are due, and a choice without overlap."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from loopx.kernel.scopes import overlap
from loopx.loop.lifecycle import Lifecycle
from loopx.loop.state import LoopState
from loopx.loop.step import Step
from loopx.model.step import Role, StepStatus

_NOT_BEGUN = frozenset({StepStatus.PENDING, StepStatus.BLOCKED, StepStatus.READY})


def promote(state: LoopState, lifecycle: Lifecycle) -> None:
    """Move every step that has not begun to what its dependencies make of it, and retries that are due to READY.

    Looks only at steps something happened to since the last time.
    """
    plan = state.plan
    while plan.touched:
        touched, plan.touched = plan.touched, set()
        for identity in sorted(touched, key=plan.position) if len(touched) > 1 else touched:
            if identity not in plan:
                continue
            step = plan.step(identity)
            wanted = plan.standing(step)
            if step.status in _NOT_BEGUN and step.status is not wanted:
                lifecycle.move(state, step, wanted, Role.SYSTEM, "dependencies")
    now = lifecycle.clock.now()
    for identity in [each for each, due in state.waiting.items() if due <= now]:
        del state.waiting[identity]
        if identity in plan and plan.status(identity) is StepStatus.RETRY_PENDING:
            lifecycle.move(state, plan.step(identity), StepStatus.READY, Role.RECOVERY, "its moment has come")


def next_due(state: LoopState) -> datetime | None:
    """When the first retry that waits for its moment may run; ``None`` when none waits."""
    return min(state.waiting.values(), default=None)


def choose(state: LoopState, running: Collection[Step], limit: int) -> list[Step]:
    """READY steps to begin now, in order of position, beside those ``running``: none whose write scopes overlap."""
    chosen: list[Step] = []
    passed: list[str] = []
    if limit <= 0:
        return chosen
    for identity in state.plan.next_ready():
        step = state.plan.step(identity)
        if any(_collide(step, other) for other in (*running, *chosen)):
            passed.append(identity)
            continue
        chosen.append(step)
        if len(chosen) == limit:
            break
    for identity in passed:
        state.plan.offer(identity)
    return chosen


def _collide(one: Step, other: Step) -> bool:
    """Whether two steps may touch the same files. A step that names no scope may touch any."""
    if not _writes(one) or not _writes(other):
        return False
    if not one.meant.write_scopes or not other.meant.write_scopes:
        return True
    return overlap(one.meant.write_scopes, other.meant.write_scopes)


def _writes(step: Step) -> bool:
    return any(each.value != "read" for each in step.meant.effects)
