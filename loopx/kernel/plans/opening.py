"""The rule of beginning a run: one at a time for a Todo, by whoever may execute it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel.answering import accepted, headline, stamp
from loopx.kernel.fencing import closed, fence
from loopx.kernel.lease_standing import live_lease
from loopx.kernel.outcome import Outcome, Record, Refused
from loopx.kernel.plans.planning import bad_steps
from loopx.kernel.plans.writing import turn_over
from loopx.kernel.resolve import find_plan
from loopx.kernel.state import State
from loopx.kernel.wording import quoted, refuse
from loopx.model.run import RunRecord
from loopx.model.step import ExecutionState
from loopx.model.todo import TodoStatus

if TYPE_CHECKING:
    from loopx.kernel.commands.plans import OpenRun
    from loopx.kernel.context import Context
    from loopx.model.plan import PlanDocument
    from loopx.model.todo import Todo


def open_run(state: State, command: OpenRun, context: Context) -> Outcome:
    """Begin to carry a plan out."""
    plan = find_plan(state, command.run)
    if isinstance(plan, Refused):
        return plan
    todo = state.todo(plan.todo)
    if todo is None:
        return refuse("todo-unknown", f"There is no Todo {plan.todo} any more.", todo=plan.todo)
    if refused := _may_not_begin(state, plan, todo, command, context):
        return refused
    lease = live_lease(state, todo.id, context.now) if command.lease_key is not None else None
    run = RunRecord(
        id=plan.run,
        todo=todo.id,
        status=ExecutionState.INITIALIZED,
        started_at=stamp(context),
        started_by=str(context.actor),
        operation=context.operation,
        plan_version=plan.version,
        turn=command.turn,
        lease_epoch=lease.epoch if lease is not None else None,
        baseline=command.baseline,
        goal=plan.goal,
    )
    return accepted(
        command,
        context,
        subject=f"run {run.id}",
        goal=run.goal,
        headline=headline("run", "open", run.id, plan.objective),
        changes=[Record(run)],
        body=f"For {todo.id}.",
        result={"id": run.id, "todo": todo.id},
    )


def _may_not_begin(state: State, plan: PlanDocument, todo: Todo, command: OpenRun, context: Context) -> Refused | None:
    run = state.run(plan.run)
    if run is not None:
        return refuse("run-begun", f"The run {run.id} was begun by {run.started_by}.", run=run.id, by=run.started_by)
    if todo.status.is_closed:
        return closed(todo)
    if todo.status is not TodoStatus.OPEN:
        message = f"{todo.id} {quoted(todo.title)} is {todo.status}."
        return refuse("todo-not-open", message, field="status", todo=todo.id, status=todo.status.value)
    if refused := fence(state, todo, context, command.lease_key) or turn_over(state, command.turn, context):
        return refused
    other = next((each for each in state.runs_of(todo.id) if not each.status.is_terminal), None)
    if other is not None:
        message = f"{todo.id} is carried out by the run {other.id}, which is {other.status}."
        return refuse("run-underway", message, run=other.id, todo=todo.id)
    return bad_steps(plan.steps, todo)
