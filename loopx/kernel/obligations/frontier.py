"""Triggers that lie in the Goal's work as a whole: lost support, nothing left to do, too much to do, no successor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel.obligations.arming import UNCLOSED, Armed, Scene, agent_of, obligation
from loopx.kernel.obligations.discharging import ACCOUNTABLE, discharging, key_of, last_discharge, was_discharged
from loopx.kernel.obligations.record import ObligationKind
from loopx.kernel.wording import cut, listed
from loopx.model.gate import GateStatus
from loopx.model.todo import TodoClass, TodoStatus

if TYPE_CHECKING:
    from loopx.model.records import Completion
    from loopx.model.todo import Todo
    from loopx.model.turn import Turn

_NEWEST = 50
"""Completions looked through, newest first, before every finished Todo of a criterion is."""


def evidence_contradicted(scene: Scene) -> Armed:
    """Criteria that were judged met or waived, and whose ground is gone."""
    for criterion, standing in scene.standings:
        if not standing.needs_reassessment or standing.mark is None:
            continue
        subjects = (f"{scene.goal.id}/{criterion.id}",)
        owner = scene.owner(agent_of(standing.mark.by))
        message = f"{scene.goal.id} {criterion.id} ({cut(criterion.text, 60)}) is open again. {standing.why}"
        found = obligation(
            ObligationKind.REPLAN, "evidence-contradicted", subjects, standing.mark.operation, owner, message
        )
        if not was_discharged(scene.state, scene.goal.id, found.id):
            yield found


def frontier_exhausted(scene: Scene) -> Armed:
    """Criteria are open, and nothing is left to do, to wait for or to decide."""
    if not scene.unmet or _is_work_left(scene) or _is_waiting(scene):
        return
    owing = {each.subjects[0] for each in successor(scene)}
    bare = [each for each in scene.unmet if f"{scene.goal.id}/{each}" not in owing]
    if not bare:
        return
    closed = sum(count for status, count in scene.counts.items() if status.is_closed)
    message = f"Nothing is left to do, and {listed(bare)} of {scene.goal.id} is open."
    found = obligation(
        ObligationKind.REPLAN,
        "frontier-exhausted",
        (f"acceptance:{scene.goal.id}",),
        f"closed:{closed}",
        scene.steward,
        message,
    )
    if not was_discharged(scene.state, scene.goal.id, found.id):
        yield found


def todos_piling_up(scene: Scene) -> Armed:
    """More open Todos than the Goal's policy takes for a plan; after a replan only what was added since counts."""
    threshold, count = scene.policies.replan_above_open_todos, scene.counts[TodoStatus.OPEN]
    if threshold <= 0 or count <= threshold:
        return
    kind, subjects, total = ObligationKind.REPLAN, (f"todos:{scene.goal.id}",), sum(scene.counts.values())
    last = last_discharge(scene.state, scene.goal.id, key_of(kind, subjects))
    if last is not None and total - _number(last[1].seen) <= threshold:
        return
    message = f"{count} Todos of {scene.goal.id} are open; above {threshold} a plan has to be cut down."
    since = last[0].id if last else "first"
    yield obligation(kind, "todos-piling-up", subjects, since, scene.steward, message, seen=str(total))


def successor(scene: Scene) -> Armed:
    """Work was finished, the Goal was to go on, and nothing is left that advances the same criterion, still open."""
    in_hand = {each for todo in scene.frontier for each in todo.acceptance}
    for criterion in scene.unmet:
        if criterion in in_hand or any(scene.state.advancing(scene.goal.id, criterion, UNCLOSED, limit=1)):
            continue
        newest = _newest_completion(scene, criterion)
        if newest is None or newest[1].continuation != "goal_active":
            continue
        todo, completion = newest
        subjects = (f"{scene.goal.id}/{criterion}",)
        message = f"{todo.id} is done, {scene.goal.id} {criterion} is open, and nothing left advances it."
        owner = scene.owner(agent_of(completion.by))
        found = obligation(
            ObligationKind.SUCCESSOR, "successor-missing", subjects, completion.operation, owner, message
        )
        if not any(_accounts(scene, turn, criterion) for turn in discharging(scene.state, scene.goal.id, found.id)):
            yield found


def _accounts(scene: Scene, turn: Turn, criterion: str) -> bool:
    """Whether what ``turn`` did speaks of the criterion: Todos it added that advance others account for nothing."""
    for each in turn.delta:
        if not each.startswith(ACCOUNTABLE[ObligationKind.SUCCESSOR]):
            continue
        added = each.removeprefix("todo:added:")
        todo = scene.state.todo(added) if added != each else None
        if todo is None or criterion in todo.acceptance:
            return True
    return False


def _newest_completion(scene: Scene, criterion: str) -> tuple[Todo, Completion] | None:
    """The newest completion that stands of a Todo that advances ``criterion``."""
    for log in scene.state.newest_completions(scene.goal.id, limit=_NEWEST):
        todo = scene.state.todo(log.todo)
        if todo is not None and (found := _standing(scene, todo, criterion)) is not None:
            return todo, found
    every = scene.state.advancing(scene.goal.id, criterion, {TodoStatus.DONE})
    found_all = [(todo, found) for todo in every if (found := _standing(scene, todo, criterion)) is not None]
    return max(found_all, key=lambda each: (each[1].at, each[0].id), default=None)


def _standing(scene: Scene, todo: Todo, criterion: str) -> Completion | None:
    from loopx.kernel.support import standing_completion  # only where a criterion has run out of work

    return standing_completion(scene.state, todo) if criterion in todo.acceptance else None


def _is_work_left(scene: Scene) -> bool:
    """Whether a Todo that is no monitor is open, blocked or deferred."""
    if scene.counts[TodoStatus.OPEN] > len(scene.monitors):
        return True
    aside = (TodoStatus.BLOCKED, TodoStatus.DEFERRED)
    if not any(scene.counts[each] for each in aside):
        return False
    return any(each.todo_class is not TodoClass.MONITOR for each in scene.state.todos(scene.goal.id, aside))


def _is_waiting(scene: Scene) -> bool:
    """Whether a person is asked something, or a monitor advances a criterion that is open."""
    if any(scene.state.gates(scene.goal.id, (GateStatus.OPEN, GateStatus.DEFERRED))):
        return True
    return any(_is_watched(scene, each) for each in scene.monitors if set(scene.unmet) & set(each.acceptance))


def _is_watched(scene: Scene, monitor: Todo) -> bool:
    from loopx.kernel.cadence import monitor_standing

    return monitor_standing(scene.state, monitor, scene.now).next_due_at is not None


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0
