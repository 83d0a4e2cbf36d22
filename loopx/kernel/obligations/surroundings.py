"""Triggers that lie outside: monitors that see nothing, effects of unknown outcome, files nobody can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel.obligations.arming import Armed, Scene, agent_of, obligation
from loopx.kernel.obligations.discharging import key_of, last_discharge
from loopx.kernel.obligations.record import OPERATORS, ObligationKind
from loopx.kernel.wording import quoted
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.model.monitor import MonitorLog
    from loopx.model.todo import Todo


def monitors(scene: Scene) -> Armed:
    """Monitors that found nothing new, or could read nothing, too often in a row. Those that only watch raise no
    work."""
    for each in scene.monitors:
        log = None if each.watch_only else scene.state.monitor(each.id)
        if log is None:
            continue
        unchanged, dead = scene.policies.replan_after_unchanged_polls, scene.policies.replan_after_dead_polls
        yield from _too_often(scene, each, log, "monitor-unchanged", log.unchanged_count, unchanged)
        yield from _too_often(scene, each, log, "monitor-dead", log.dead_count, dead)


def unknown_outcomes(scene: Scene) -> Armed:
    """Acts on the outside of which nobody knows whether they happened."""
    for each in scene.effects:
        due = format_instant(each.readback_due_at)
        message = f"Nobody knows whether {quoted(each.summary, 60)} happened; it is read back from {due} on."
        owner = scene.owner(each.agent)
        yield obligation(ObligationKind.RECONCILE, "effect-unknown", (each.id,), each.opened_by, owner, message)


def unreadable(scene: Scene) -> Armed:
    """Committed documents of the Goal that cannot be read."""
    for path in scene.state.unreadable(scene.goal.id):
        message = f"{path} is committed and cannot be read: what it says counts for nothing until it can."
        yield obligation(ObligationKind.REPAIR, "document-unreadable", (path,), path, OPERATORS, message)


def _too_often(scene: Scene, todo: Todo, log: MonitorLog, trigger: str, count: int, threshold: int) -> Armed:
    if threshold <= 0 or count < threshold:
        return
    kind, subjects = ObligationKind.REPLAN, (todo.id,)
    last = last_discharge(scene.state, scene.goal.id, key_of(kind, subjects))
    seen = int(last[1].seen) if last is not None and last[1].seen.isdigit() else 0
    arming = max(log.polls - count, seen) + threshold
    if log.polls < arming:
        return
    found = "could not be read" if trigger == "monitor-dead" else "found nothing new"
    message = f"{threshold} looks at {todo.id} {quoted(todo.title)} in a row {found}: another way is due."
    owner = scene.owner(_watcher(scene, todo, log))
    yield obligation(kind, trigger, subjects, f"{todo.id}#{arming}", owner, message, seen=str(log.polls))


def _watcher(scene: Scene, todo: Todo, log: MonitorLog) -> str | None:
    """Who looks at a monitor: whoever claims it, else the agent that looked last."""
    from loopx.kernel.claims import holder

    return holder(scene.state, todo, scene.now) or (agent_of(log.recent[-1].by) if log.recent else None)
