"""How a run begins: specified where that is wanted, planned where there is no plan, and checked either way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.kernel.plans.checking import plan_problem
from loopx.loop import failing
from loopx.loop.components.protocols import ComponentType
from loopx.loop.keeping.store import SavePoint
from loopx.loop.recovery.remainder import new_step
from loopx.model.step import ExecutionState, FailureType, Role

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.keeping.store import RunStore
    from loopx.loop.state import LoopState

_BEFORE = (ExecutionState.INITIALIZED, ExecutionState.SPECIFYING, ExecutionState.PLANNING)


async def begin(state: LoopState, context: LoopContext, store: RunStore) -> None:
    """Bring a run that was not begun to its first boundary; one that was is left where it is."""
    if state.execution_state not in _BEFORE:
        return
    _take_baseline(state, context)
    try:
        await _specify(state, context)
        await _plan(state, context)
    except Exception as error:  # noqa: BLE001  (the step boundary: a planner that breaks has made no plan)
        failing.raised(state, context, FailureType.PLANNING_FAILURE, f"{type(error).__name__}: {error}")
    now, version = context.clock.now(), str(state.plan.version)
    state.trace.add(now, "plan", None, version, Role.PLANNER, f"{len(state.plan)} steps, all of them pending")
    context.lifecycle.turn(state, ExecutionState.ITERATION_COMPLETE)
    store.save(state, SavePoint.OPENED)


async def _specify(state: LoopState, context: LoopContext) -> None:
    if not context.settings.enable_specification or state.execution_state is ExecutionState.PLANNING:
        return
    if state.execution_state is ExecutionState.INITIALIZED:
        context.lifecycle.turn(state, ExecutionState.SPECIFYING)
    state.plan.objective = await context.components[ComponentType.SPECIFIER].specify(state.plan.objective, context)
    state.plan_changed = True


async def _plan(state: LoopState, context: LoopContext) -> None:
    if not len(state.plan):
        if state.execution_state is not ExecutionState.PLANNING:
            context.lifecycle.turn(state, ExecutionState.PLANNING)
        found = await context.components[ComponentType.PLANNER].create_plan(state.plan.objective, context)
        _check(plan_problem(found.steps))
        state.plan.rebuild(new_step(each) for each in found.steps)
        state.plan.objective = found.objective or state.plan.objective
        state.plan_changed = True
    _check(plan_problem([each.meant for each in state.plan.steps]))


def _check(problem: str | None) -> None:
    if problem is not None:
        raise ValueError(problem)


def _take_baseline(state: LoopState, context: LoopContext) -> None:
    """The files as they are before anything ran. Without it the run goes on, and cannot go back to its start."""
    if context.artifacts is None or state.baseline is not None:
        return
    try:
        state.baseline = context.artifacts.take("baseline")
    except LoopxError as error:
        state.trace.add(context.clock.now(), "artifact", None, "none", Role.SYSTEM, f"no baseline: {error}")
