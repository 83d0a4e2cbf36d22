"""Taking over what a person typed into the plan of a run that is on: new steps, changed ones, and such as are gone.

Called between executions by the durable store, and when a run is read. What is done or was begun has been judged by the
kernel already: it is there, under its name. No verdict and no status can come in this way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.loop.step import Step
from loopx.model.step import Role, StepStatus

if TYPE_CHECKING:
    from loopx.loop.lifecycle import Lifecycle
    from loopx.loop.state import LoopState
    from loopx.model.plan import PlanDocument, PlanStep

BY_HAND = "by hand"
_NOT_BEGUN = frozenset({StepStatus.PENDING, StepStatus.READY, StepStatus.BLOCKED})


def take_over(state: LoopState, document: PlanDocument, lifecycle: Lifecycle) -> None:
    """Bring the run's steps to what ``document`` says of them."""
    plan = state.plan
    staying = {each.id for each in document.steps}
    for identity in plan.ids:
        if identity not in staying:
            retire(state, plan.step(identity), lifecycle)
    steps = [_taken(state, each, lifecycle) for each in document.steps]
    plan.objective = document.objective
    plan.rebuild(steps)
    before, after = str(plan.version), str(document.version)
    state.trace.add(lifecycle.clock.now(), "plan", before, after, Role.PLANNER, BY_HAND)


def retire(state: LoopState, step: Step, lifecycle: Lifecycle) -> None:
    """A step that was taken out of the plan: skipped where it was not begun, and left as it is otherwise."""
    state.waiting.pop(step.id, None)
    if step.status in _NOT_BEGUN:
        lifecycle.move(state, step, StepStatus.SKIPPED, Role.PLANNER, f"taken out {BY_HAND}")


def _taken(state: LoopState, meant: PlanStep, lifecycle: Lifecycle) -> Step:
    plan = state.plan
    if meant.id not in plan:
        step = Step(meant, tool=meant.tool, model=meant.model)
        lifecycle.create(state, step, StepStatus.PENDING, Role.PLANNER, f"added {BY_HAND}")
        return step
    step = plan.step(meant.id)
    if step.meant != meant:
        if step.meant.tool != meant.tool:
            step.tool = meant.tool
        if step.meant.model != meant.model:
            step.model = meant.model
        if step.attempts and step.attempts[-1].digest is None:
            step.attempts[-1].digest = step.attempts[-1].definition
        step.meant = meant
    return step
