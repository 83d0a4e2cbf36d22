"""A plan for a Todo that has none, by the planner of the workspace: laid out and checked like one a person wrote.

Called by :mod:`loopx.loop.work.running` before anything of the Todo is begun.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.kernel.commands import NewPlan
from loopx.kernel.verdicts import verdict
from loopx.loop.components.protocols import ComponentType
from loopx.loop.components.shipped import check_steps
from loopx.loop.work.surroundings import PLANNER, fitting
from loopx.model.plan import PlanDocument

if TYPE_CHECKING:
    from loopx.kernel.state import State
    from loopx.loop.work.surroundings import Parts
    from loopx.model.actor import Actor
    from loopx.model.todo import Todo
    from loopx.workspace import Workspace


def planner_for(state: State, todo: Todo, parts: Parts) -> str | None:
    """The tool that would plan for ``todo``; ``None`` where it has a plan, or nobody is there to plan."""
    config, name = state.config(), parts.planner or PLANNER
    if config is None or next(iter(state.plans_of(todo.id)), None) is not None:
        return None
    return name if any(each.name == name for each in config.tools) else None


async def drafted(workspace: Workspace, todo: Todo, actor: Actor, parts: Parts) -> PlanDocument | None:
    """The plan that was made for ``todo`` just now; ``None`` where nobody is there to plan.

    Raises ``todo-not-runnable`` before the planner is asked, ``planner-failed`` and ``planner-output`` where it does
    not answer well, and whatever keeps its plan from being laid out or carried out.
    """
    blank = PlanDocument(run="", todo=todo.id, objective=todo.title, steps=(), goal=todo.goal)
    context = fitting(workspace, blank, parts)
    planner = context.components[ComponentType.PLANNER]
    if not getattr(planner, "can_revise", True):
        return None
    _refuse_unrunnable(workspace, todo, actor)
    found = await planner.create_plan(todo.title, context)
    check_steps(found.steps, context, callables=parts.callables, judges=parts.judges)
    command = NewPlan(todo=todo.id, objective=found.objective, steps=found.steps)
    run = str(workspace.submit(command, actor=actor).receipt.result["id"])
    return workspace.read(take_in=False).state.plan(run)


def _refuse_unrunnable(workspace: Workspace, todo: Todo, actor: Actor) -> None:
    """No plan is made for what may not be begun anyway."""
    found = verdict(workspace.read(take_in=False).state, todo, actor, workspace.clock.now())
    if not found.is_runnable and found.reasons:
        message = f"{todo.id} may not be worked on now. {found.reasons[0].message}"
        raise LoopxError("todo-not-runnable", message, hint=f"See `loopx why {todo.id}`.", facts={"todo": todo.id})
