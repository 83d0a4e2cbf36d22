"""REDUCE_SCOPE: what is optional is given up, so that what is required can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.loop.failure import FailureView
from loopx.loop.recovery.handler import RecoveryHandler
from loopx.loop.recovery.handlers.replanning import (
    REPLACEABLE,
    changed_completed,
    planner_of,
    raise_version,
)
from loopx.loop.recovery.remainder import Remainder, rewritable
from loopx.loop.recovery.result import RecoveryResult
from loopx.loop.step import StepView
from loopx.model.plan import ReducedScope
from loopx.model.step import ExecutionState, Role, SkipPolicy, StepStatus

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.failure import Failure
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step

_SKIPPABLE = frozenset(
    {
        StepStatus.PENDING,
        StepStatus.READY,
        StepStatus.BLOCKED,
        StepStatus.EVALUATION_FAILED,
        StepStatus.VERIFICATION_FAILED,
        StepStatus.RECOVERY_PENDING,
        StepStatus.RETRY_PENDING,
    }
)


class ReduceScope(RecoveryHandler):
    """Optional steps no required one needs are skipped. The Goal's own document stays as it is."""

    def precondition(self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext) -> str | None:
        """The plan allows it, and something optional is left that no required step needs. Where a step that is needed
        has failed, somebody is there to plan it anew."""
        if not context.settings.allow_partial:
            return "The plan does not allow its scope to be reduced."
        dropped = dispensable(state)
        if not dropped:
            return "Nothing optional is left to give up."
        if planner_of(context) is None and step is not None and step.id not in dropped and step.status in REPLACEABLE:
            return f"{step.id} is needed, and nobody is there to plan it anew."
        return None

    async def execute(
        self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> RecoveryResult:
        """Those steps become SKIPPED, the objective says what it goes without, what is left may be planned anew, and
        the plan keeps what it was, what was dropped and why. The Goal's own document stays as it is."""
        if (why := self.precondition(failure, step, state, context)) is not None:
            return RecoveryResult(False, message=why)
        dropped, plan = dispensable(state), state.plan
        for identity in dropped:
            _skip(state, plan.step(identity), context, failure.failure_id)
        original = plan.scope.original_objective if plan.scope else plan.objective
        gone = (*(plan.scope.dropped if plan.scope else ()), *dropped)
        plan.scope = ReducedScope(original_objective=original, dropped=gone, reason=failure.message)
        plan.objective = f"{original} (without {', '.join(gone)})"
        problem = await _rest_replanned(failure, state, context)
        if problem is not None:
            return RecoveryResult(False, message=problem)
        failed = plan.current(failure.lineage) if failure.lineage is not None else None
        if failed is not None and failed.status in REPLACEABLE:
            return RecoveryResult(False, message=f"{failed.id} is needed, and was not planned anew.")
        message = f"given up: {', '.join(dropped)}"
        raise_version(state, context, message)
        evidence = {"original_objective": original, "dropped": list(gone), "reason": failure.message}
        return RecoveryResult(True, ExecutionState.REPLANNING, message=message, evidence=evidence)

    def validate_postconditions(self, step: Step | None, state: LoopState) -> bool:
        """A step was given up, objective and reason are on record, completed steps are as they were, and the plan's
        version rose by one."""
        return not self.violations(step, state)

    def violations(self, step: Step | None, state: LoopState) -> tuple[str, ...]:
        before, scope = state.before, state.plan.scope
        if before is None or scope is None:
            return ("the reduced scope is not documented",)
        found = []
        newly = scope.dropped[len(before.plan.scope.dropped) if before.plan.scope else 0 :]
        if not newly or any(state.plan.status(each) is not StepStatus.SKIPPED for each in newly):
            found.append("no step was given up")
        if not scope.reason or not scope.original_objective or state.plan.objective == before.plan.objective:
            found.append("the reduced scope is not documented")
        if changed_completed(before, state):
            found.append("a completed step changed")
        if state.plan.version != before.plan.version + 1:
            found.append("the plan's version did not rise by one")
        return tuple(found)


def dispensable(state: LoopState) -> list[str]:
    """Optional steps that are open, that no required step needs, and whose skipping holds nothing up, in order."""
    plan, needed = state.plan, set[str]()
    for identity in plan.ids:
        each = plan.peek(identity)
        if not each.meant.optional and not each.status.is_terminal:
            _need(state, identity, needed)
    looks = (plan.peek(each) for each in plan.ids if each not in needed)
    return [
        each.id
        for each in looks
        if each.meant.optional and each.status in _SKIPPABLE and each.skip_policy is not SkipPolicy.BLOCK
    ]


def _need(state: LoopState, identity: str, needed: set[str]) -> None:
    """Add everything ``identity`` waits for, near and far."""
    waiting = [identity]
    while waiting:
        for each in state.plan.peek(waiting.pop()).dependencies:
            if each not in needed and each in state.plan:
                needed.add(each)
                waiting.append(each)


def _skip(state: LoopState, step: Step, context: LoopContext, cause: str) -> None:
    state.waiting.pop(step.id, None)
    if step.status is StepStatus.RETRY_PENDING:
        context.lifecycle.move(state, step, StepStatus.PENDING, Role.RECOVERY, cause)
    context.lifecycle.move(state, step, StepStatus.SKIPPED, Role.RECOVERY, cause)


async def _rest_replanned(failure: Failure, state: LoopState, context: LoopContext) -> str | None:
    """Let a planner, where there is one, plan what is left; why that cannot be, in a sentence. It may leave it as it
    is: giving things up is change enough."""
    planner = planner_of(context)
    if planner is None or not rewritable(state):
        return None
    views = [StepView.of(state.plan.peek(each)) for each in state.plan.ids]
    wanted = await planner.revise_plan(views, FailureView.of(failure), context)
    rest = Remainder(state, wanted.steps)
    if rest.is_no_delta():
        return None
    problem = rest.problem()
    if problem is None:
        rest.put_in(context, failure.failure_id)
    return problem
