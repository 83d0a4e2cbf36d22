"""Rules of plans: laying one out, and changing one that was begun. Commands, replans and hand edits share them.

What is done stays as it is, what was begun keeps its name, and nothing here sets a verdict.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from loopx.kernel.answering import accepted, fresh_id, headline
from loopx.kernel.authority import beyond
from loopx.kernel.fencing import closed
from loopx.kernel.outcome import Create, Outcome, Refused, Update
from loopx.kernel.plans.checking import steps_problem
from loopx.kernel.references import goal_taking_work
from loopx.kernel.resolve import find_plan, find_todo
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line, read_scopes
from loopx.kernel.wording import refuse
from loopx.model import ids
from loopx.model.codec import plain
from loopx.model.kind import Kind
from loopx.model.plan import PlanDocument, PlanStep, RunSettings
from loopx.model.step import StepStatus

if TYPE_CHECKING:
    from loopx.kernel.commands.plans import EditPlan, NewPlan
    from loopx.kernel.context import Context
    from loopx.model.run import RunRecord, StepRecord
    from loopx.model.todo import Todo


def new_plan(state: State, command: NewPlan, context: Context) -> Outcome:
    """Lay out a run of a Todo in a folder of its own."""
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    plan = PlanDocument(
        run=fresh_id(state, context, ids.RUN),
        todo=todo.id,
        objective=(command.objective or todo.title).strip(),
        steps=tuple(command.steps),
        settings=command.settings or RunSettings(),
        goal=todo.goal,
    )
    if refused := bad_new_plan(state, plan, todo):
        return refused
    return accepted(
        command,
        context,
        subject=f"plan {plan.run}",
        goal=plan.goal,
        headline=headline("plan", "new", plan.run, plan.objective),
        changes=[Create(plan, command.text)],
        body=f"For {todo.id}, {len(plan.steps)} steps.",
        result={"id": plan.run, "todo": todo.id, "steps": len(plan.steps)},
    )


def bad_new_plan(state: State, plan: PlanDocument, todo: Todo) -> Refused | None:
    """The refusal of a plan nobody has yet."""
    goal = goal_taking_work(state, todo.goal)
    if isinstance(goal, Refused):
        return goal
    if todo.status.is_closed:
        return closed(todo)
    if refused := bad_line(plan.objective, "objective") or bad_steps(plan.steps, todo):
        return refused
    return next((refused for each in plan.steps if (refused := _untold(each, None))), None)


def edit_plan(state: State, command: EditPlan, context: Context) -> Outcome:
    """Put other steps, objective or settings into a plan."""
    before = find_plan(state, command.run)
    if isinstance(before, Refused):
        return before
    asked = {
        "objective": command.objective,
        "steps": None if command.steps is None else tuple(command.steps),
        "settings": command.settings,
    }
    changed = {name: value for name, value in asked.items() if value not in (None, getattr(before, name))}
    after = replace(before, **changed)  # type: ignore[arg-type]
    if changed and (refused := bad_plan_edit(state, before, after, context)):
        return refused
    return accepted(
        command,
        context,
        subject=f"plan {before.run}",
        goal=before.goal,
        headline=headline("plan", "edit", before.run, after.objective),
        changes=[Update(Kind.PLAN, before.goal, before.run, changed)],
        result={"id": before.run, "changed": sorted(changed)},
    )


def bad_plan_edit(state: State, before: PlanDocument, after: PlanDocument, context: Context) -> Refused | None:
    """The refusal of a change of a plan by a command or an editor."""
    run = state.run(before.run)
    if run is not None and run.status.is_terminal:
        return over(run)
    if run is not None and not context.actor.is_human:
        return beyond(context, "an agent may edit a plan nobody began to carry out")
    todo = state.todo(before.todo)
    if todo is None:
        return refuse("todo-unknown", f"There is no Todo {before.todo} any more.", todo=before.todo)
    if refused := bad_line(after.objective, "objective") or bad_steps(after.steps, todo):
        return refused
    known = {each.id: each for each in before.steps}
    for each in after.steps:
        if refused := _untold(each, known.get(each.id)):
            return refused
    return lost_past(state, before, after.steps, run)


def bad_steps(steps: Sequence[PlanStep], todo: Todo) -> Refused | None:
    """The refusal of steps that make no plan for ``todo``. A plan without any is for a planner to fill."""
    problem = steps_problem(steps, todo.write_scopes) if steps else None
    if problem is not None:
        return refuse("plan-invalid", problem, field="steps", todo=todo.id)
    wanted = tuple(dict.fromkeys(scope for each in steps for scope in each.requires))
    scopes = read_scopes(wanted, "steps")
    return scopes if isinstance(scopes, Refused) else None


def lost_past(
    state: State, before: PlanDocument, after: Sequence[PlanStep], run: RunRecord | None, archived: Collection[str] = ()
) -> Refused | None:
    """The refusal of a plan in which what is done reads differently, or what was begun is gone. ``archived`` are steps
    a replan replaced, which may go."""
    if run is None:
        return None
    now = {each.id: each for each in after}
    there = {each.id: each for each in before.steps}
    replaced = {*run.archived, *archived}
    for record in state.steps_of(run.id):
        step = record.step
        if step in replaced and step in now and step not in there:
            return _begun(f"{step} was the name of a step that was replaced.", step)
        if step not in there or step in archived:
            continue
        if refused := _rewritten(record, there[step], now):
            return refused
    return None


def meaning_of(plan: PlanDocument) -> str:
    """SHA-256 (hex) of what a plan says, so that an edit by hand shows."""
    said = {"steps": plain(plan.steps), "objective": plan.objective, "version": plan.version}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(text.encode("ascii")).hexdigest()


def over(run: RunRecord) -> Refused:
    """The refusal of whatever would go on with a run that has ended."""
    return refuse("run-over", f"The run {run.id} is {run.status}.", run=run.id, status=run.status.value)


def _rewritten(record: StepRecord, before: PlanStep, now: Mapping[str, PlanStep]) -> Refused | None:
    after = now.get(record.step)
    if after is None and (record.attempts or record.status is StepStatus.VERIFIED_COMPLETED):
        return _begun(f"{record.step} was begun and cannot be taken out of the plan.", record.step)
    if record.status is StepStatus.VERIFIED_COMPLETED and after != before:
        return _begun(f"{record.step} is done, and stays as it was.", record.step)
    return None


def _untold(step: PlanStep, before: PlanStep | None) -> Refused | None:
    """The refusal of a step whose version or descent was typed: a replan alone says these."""
    told = (step.version, step.lineage, step.replaces)
    known = (1, None, None) if before is None else (before.version, before.lineage, before.replaces)
    if told == known or (before is None and told == (1, step.id, None)):
        return None
    message = f"version, lineage and replaces of the step {step.id} are written by LoopX alone."
    return refuse("field-machine-owned", message, "Put these lines back as they were.", field="steps", step=step.id)


def _begun(message: str, step: str) -> Refused:
    return refuse("plan-step-begun", message, field="steps", step=step)
