"""From what somebody typed to the one plan meant: a run by its id, or a Todo, which stands for its run. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_plan, find_todo, folded_name
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model import ids

if TYPE_CHECKING:
    from loopx.kernel.state import State
    from loopx.model.plan import PlanDocument
    from loopx.model.run import RunRecord


def find_run(state: State, typed: str) -> PlanDocument | Refused:
    """The plan of the run ``typed`` names, whole or shortened, or of the Todo it names (:func:`plan_of_todo`)."""
    if not ids.folded(typed).startswith(f"{ids.TODO}-"):
        found = find_plan(state, typed)
        if not isinstance(found, Refused) or found.code == "id-ambiguous" or typed.strip().lower().startswith("run-"):
            return found
    todo = find_todo(state, typed)
    if isinstance(todo, Refused):
        return todo if todo.code == "id-ambiguous" or ids.folded(typed).startswith(f"{ids.TODO}-") else found
    return plan_of_todo(state, todo.id)


def plan_of_todo(state: State, todo: str) -> PlanDocument | Refused:
    """The plan a Todo stands for: of the run that has not ended, else the one nobody has begun, else of the run that
    was begun last. Several that nobody has begun are refused with their ids: nothing says which is meant."""
    runs = {each.id: each for each in state.runs_of(todo)}
    plans = list(state.plans_of(todo))
    underway = [each for each in plans if each.run in runs and not runs[each.run].status.is_terminal]
    if underway:
        return underway[0]
    fresh = [each for each in plans if each.run not in runs]
    if len(fresh) > 1:
        found = [each.run for each in fresh]
        message = f"{todo} has {len(found)} plans that nobody has begun: {listed(found)}."
        return refuse(
            "id-ambiguous",
            message,
            "Name the run you mean; the plan whose file you delete is gone.",
            typed=todo,
            candidates=found,
        )
    if fresh:
        return fresh[0]
    ended = [each for each in plans if each.run in runs]
    if ended:
        return max(ended, key=lambda each: (runs[each.run].started_at, each.run))
    return refuse(
        "run-unknown", f"{quoted(todo)} has no plan.", f"Lay one out with `loopx plan new {todo}`.", todo=todo
    )


def find_step(state: State, plan: PlanDocument, typed: str) -> str | Refused:
    """The step of ``plan`` that ``typed`` names, or one of its run that a replan replaced; whole, or by the beginning
    of one name alone."""
    wanted = folded_name(typed)
    known = [each.id for each in plan.steps]
    known += [each.step for each in state.steps_of(plan.run) if plan.step(each.step) is None]
    if wanted in known:
        return wanted
    found = [each for each in known if wanted and each.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    hint = f"It has {listed(known)}." if not found else f"It could be {listed(found)}."
    return refuse("step-unknown", f"{plan.run} has no step {quoted(typed)}.", hint, run=plan.run, typed=typed)


def begun(state: State, plan: PlanDocument) -> RunRecord | Refused:
    """The run of a plan that somebody began to carry out."""
    run = state.run(plan.run)
    if run is not None:
        return run
    message = f"Nobody has begun to carry {plan.run} out."
    return refuse("run-unknown", message, f"Begin it with `loopx run {plan.todo}`.", run=plan.run)
