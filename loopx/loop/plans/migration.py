"""Putting an old plan into the workspace: its steps, and where each of them stood, by legal moves that say so.

Called for ``loopx plan migrate FILE``. An execution that was on when the old plan was written is one nobody saw the end
of: the rule for these holds when the run goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.documents.proposed import plain_values
from loopx.kernel.commands import NewPlan, OpenRun
from loopx.kernel.plans.migrating import migrated, read_old
from loopx.loop.attempt import Attempt
from loopx.loop.failing import raised
from loopx.loop.keeping.loading import load
from loopx.loop.keeping.store import SavePoint
from loopx.loop.lifecycle import Lifecycle
from loopx.model.plan import RunSettings
from loopx.model.step import AttemptOutcome, ExecutionState, FailureType, Role, StepStatus

if TYPE_CHECKING:
    from loopx.kernel.plans.migrating import OldPlan, OldStep
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step
    from loopx.model.actor import Actor
    from loopx.model.clock import Clock, IdSource
    from loopx.workspace import Workspace

_S = StepStatus
_AS_PLAN = "goals/goal/plans/t-00000000x/run-00000000x/plan.yaml"
"""Where a text is read as if it lay: an old plan has no place of its own."""
_BEGUN = ((_S.READY, Role.SYSTEM), (_S.IN_PROGRESS, Role.ACTOR))
_DONE = (*_BEGUN, (_S.EXECUTED, Role.ACTOR))
_REJECTED = (*_DONE, (_S.EVALUATION_FAILED, Role.EVALUATOR))
_WAYS = {
    _S.PENDING: (),
    _S.IN_PROGRESS: _BEGUN,
    _S.EXECUTED: _DONE,
    _S.EVALUATION_FAILED: _REJECTED,
    _S.FAILED: (*_REJECTED, (_S.FAILED, Role.SYSTEM)),
    _S.VERIFIED_COMPLETED: (*_DONE, (_S.EVALUATED, Role.EVALUATOR), (_S.VERIFIED_COMPLETED, Role.VERIFIER)),
}
_VERDICTS = {
    _S.EVALUATED: ("evaluation_passed", True),
    _S.EVALUATION_FAILED: ("evaluation_passed", False),
    _S.VERIFIED_COMPLETED: ("verification_passed", True),
}


def read_plan(text: str, name: str) -> OldPlan:
    """The old plan in ``text`` (JSON or YAML), which is called ``name``. Raises :class:`LoopxError`: ``plan-invalid``,
    or what keeps YAML from being read, at its place."""
    if text.lstrip().startswith(("{", "[")):
        return migrated(read_old(text))
    return migrated(plain_values(_AS_PLAN, text.encode("utf-8", "surrogatepass"), name))


def migrate(
    workspace: Workspace,
    todo: str,
    old: OldPlan,
    actor: Actor,
    *,
    lease_key: str | None = None,
    is_verified: bool = True,
) -> str:
    """Lay ``old`` out as a run of ``todo``, with every step where it stood; the run's id. Old plans say not how steps
    are verified: without ``is_verified``, what is left of them is not."""
    steps = tuple(each.meant for each in old.steps)
    settings = RunSettings(enable_verification=is_verified)
    laid_out = NewPlan(todo=todo, objective=old.objective, steps=steps, settings=settings)
    plan = workspace.submit(laid_out, actor=actor)
    run = str(plan.receipt.result["id"])
    workspace.submit(OpenRun(run=run, lease_key=lease_key), actor=actor)
    state, store = load(workspace, run, actor, lease_key)
    lifecycle = Lifecycle(store.plan.settings, workspace.clock)
    for each in old.steps:
        _place(state, state.plan.step(each.meant.id), each, lifecycle, workspace.clock)
        if each.status in (_S.EVALUATION_FAILED, _S.FAILED):
            _fail(state, each, workspace.clock, workspace.ids)
    lifecycle.turn(state, ExecutionState.ITERATION_COMPLETE, "an old plan was taken over")
    store.save(state, SavePoint.OPENED)
    return run


def _place(state: LoopState, step: Step, old: OldStep, lifecycle: Lifecycle, clock: Clock) -> None:
    for to, role in _WAYS[old.status]:
        lifecycle.move(state, step, to, role, old.because)
        if to is _S.IN_PROGRESS:
            identity = f"{state.run}/{step.id}/1"
            step.attempts.append(Attempt(identity, 1, step.meant, step.tool, step.model, clock.now()))
        elif to is _S.EXECUTED:
            step.attempts[-1].outcome, step.attempts[-1].ended_at = AttemptOutcome.SUCCEEDED, clock.now()
            step.output = old.output
        elif to in _VERDICTS:
            name, passed = _VERDICTS[to]
            setattr(step, name, passed)
            setattr(step.attempts[-1], name, passed)


def _fail(state: LoopState, old: OldStep, clock: Clock, ids: IdSource) -> None:
    """The failure an old plan tells of, so that recovery, or the end of the run, has its reason."""
    step = state.plan.step(old.meant.id)
    failure = raised_failure(state, step, old.because, clock, ids)
    if old.status is _S.FAILED:
        state.trace.add(clock.now(), f"failure {failure}", "unhandled", "terminal", Role.SYSTEM, old.because)
        state.failures[failure].mark_terminal()


def raised_failure(state: LoopState, step: Step, why: str, clock: Clock, ids: IdSource) -> str:
    """A failure of ``step`` in the books and in the trace; its id."""
    from loopx.loop.context import LoopContext

    settings = RunSettings()
    context = LoopContext(
        run=state.run, settings=settings, clock=clock, ids=ids, lifecycle=Lifecycle(settings, clock), project=""
    )
    return raised(state, context, FailureType.EVALUATION_FAILED, why, step).failure_id
