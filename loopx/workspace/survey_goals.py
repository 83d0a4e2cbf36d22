"""The facts of one Goal: its criteria with their evidence, and in a full survey every Todo, Gate and Vision."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from loopx.kernel.criteria import criterion_standing
from loopx.kernel.standing import gate_standing
from loopx.model.gate import DecisionScope, Gate
from loopx.model.goal import Criterion, Goal
from loopx.model.kind import Kind
from loopx.model.todo import Todo
from loopx.model.vision import Vision
from loopx.projections.facts import CriterionFacts, EvidenceFacts, GateFacts, GoalFacts, TodoFacts, VisionFacts
from loopx.workspace.history import log

if TYPE_CHECKING:
    from loopx.projections.work_facts import RunFacts, WorkFacts
    from loopx.store.cache import Cache
    from loopx.workspace.survey import Surveyor

_Touch = tuple[str, datetime]
_FIRST_ASKED = 50
"""So many commits are asked first; a Goal that nobody touched lately has more of them read."""


def goal_facts(surveyor: Surveyor, goal: Goal, counts: Mapping[str, int], touched: _Touch | None) -> GoalFacts:
    """One Goal."""
    folder = f"goals/{goal.id}/"
    todos = list(surveyor.state.todos(goal.id)) if surveyor.full else []
    work = _work(surveyor, goal) if surveyor.with_work else None
    runs = {each.todo: _how_far(each) for each in work.runs} if work is not None else {}
    return GoalFacts(
        id=goal.id,
        title=goal.title,
        status=goal.status,
        outcome=goal.outcome,
        reason=goal.reason or "",
        objective=goal.body.strip(),
        path=f"{folder}goal.md",
        criteria=tuple(_criterion(surveyor, goal, each) for each in goal.acceptance),
        counts=counts,
        unreadable=len(surveyor.unreadable(goal.id)),
        todos=tuple(_todo(surveyor, each, runs.get(each.id, "")) for each in todos),
        gates=tuple(_gate(surveyor, each, todos) for each in surveyor.state.gates(goal.id)) if surveyor.full else (),
        visions=tuple(_vision(surveyor, each) for each in surveyor.state.visions(goal.id)) if surveyor.full else (),
        work=work,
        last_revision=touched[0] if touched else None,
        last_revision_at=touched[1] if touched else None,
    )


def _how_far(run: RunFacts) -> str:
    state = run.status.replace("_", " ")
    return f"plan {state}: {run.complete} of {run.counting} steps"


def _work(surveyor: Surveyor, goal: Goal) -> WorkFacts:
    from loopx.workspace.survey_work import work_facts

    return work_facts(surveyor, goal)


def last_touched(cache: Cache, goals: Collection[str]) -> dict[str, _Touch]:
    """For each Goal the newest commit that changed anything in its folder."""
    found: dict[str, _Touch] = {}
    asked = _FIRST_ASKED
    while True:
        entries = log(cache, limit=asked)
        for entry in entries:
            for path in entry.paths:
                parts = path.split("/", 2)
                if parts[0] == "goals" and len(parts) == 3 and parts[1] in goals:
                    found.setdefault(parts[1], (entry.revision, entry.at))
            if len(found) == len(goals):
                return found
        if len(entries) < asked:
            return found
        asked *= 16


def _criterion(surveyor: Surveyor, goal: Goal, criterion: Criterion) -> CriterionFacts:
    standing = criterion_standing(surveyor.state, goal, criterion, surveyor.view.at)
    mark = standing.mark
    return CriterionFacts(
        id=criterion.id,
        text=criterion.text,
        status=standing.status,
        evidence=tuple(_evidence(surveyor, each) for each in mark.evidence) if mark else (),
        by=str(mark.by) if mark else "",
        at=mark.at if mark else None,
        note=standing.why if standing.needs_reassessment else ((mark.reason or "") if mark else ""),
    )


def _evidence(surveyor: Surveyor, identity: str) -> EvidenceFacts:
    found = surveyor.state.evidence(identity)
    if found is None:
        return EvidenceFacts(id=identity)
    return EvidenceFacts(
        id=identity,
        kind=found.kind.value,
        result=found.result.value,
        summary=found.summary,
        source=found.source,
        observed_at=found.observed_at,
        path=surveyor.path_of(Kind.EVIDENCE, identity, found.goal),
    )


def _todo(surveyor: Surveyor, todo: Todo, run: str) -> TodoFacts:
    verdict = surveyor.judged(todo)
    log_ = surveyor.state.completions(todo.id) if todo.status.is_closed else None
    done = next((each for each in reversed(log_.entries) if each.stands), None) if log_ else None
    return TodoFacts(
        id=todo.id,
        goal=todo.goal,
        title=todo.title,
        status=todo.status,
        path=surveyor.path_of(Kind.TODO, todo.id, todo.goal),
        todo_class=todo.todo_class,
        priority=todo.priority,
        claimed_by=surveyor.holder(todo),
        tags=todo.tags,
        depends_on=todo.depends_on,
        requires=todo.requires,
        acceptance=todo.acceptance,
        is_runnable=verdict.is_runnable,
        reasons=tuple(each.message for each in verdict.reasons) if not todo.status.is_closed else (),
        created_at=todo.created_at,
        completed_at=done.at if done else None,
        completed_by=str(done.by) if done else "",
        validated=done.validated if done else False,
        successors=todo.successors,
        supersedes=todo.supersedes,
        superseded_by=todo.superseded_by,
        body=todo.body,
        run=run,
    )


def _gate(surveyor: Surveyor, gate: Gate, todos: Collection[Todo]) -> GateFacts:
    standing = gate_standing(surveyor.state, gate, surveyor.view.at)
    decision = standing.decision
    return GateFacts(
        id=gate.id,
        goal=gate.goal,
        scope=gate.scope,
        question=gate.question,
        status=standing.status,
        path=surveyor.path_of(Kind.GATE, gate.id, gate.goal),
        options=gate.options,
        deadline=gate.deadline,
        is_overdue=standing.is_overdue,
        asked_by=gate.asked_by or "",
        created_at=gate.created_at,
        reason=decision.reason if decision else "",
        option=(decision.option or "") if decision else "",
        decided_by=str(decision.by) if decision else "",
        decided_at=decision.at if decision else None,
        note="" if standing.covers or decision is None else standing.why,
        covers=tuple(each.id for each in todos if _is_needed(gate, each)),
    )


def _is_needed(gate: Gate, todo: Todo) -> bool:
    try:
        scope = DecisionScope.parse(gate.scope)
        return any(scope.covers(DecisionScope.parse(need)) for need in todo.requires)
    except ValueError:
        return False


def _vision(surveyor: Surveyor, vision: Vision) -> VisionFacts:
    return VisionFacts(
        agent=vision.agent,
        status=vision.status,
        summary=vision.summary,
        role_scope=vision.role_scope or "",
        acceptance=vision.acceptance or "",
        replan_trigger=vision.replan_trigger or "",
        last_patch=vision.last_patch or "",
        path=surveyor.path_of(Kind.VISION, vision.agent, vision.goal),
    )
