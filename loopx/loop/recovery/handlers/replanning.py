"""REPLAN_STEP and REPLAN_REMAINING_TASK: a planner rewrites what is not done; what is done stays as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopx.loop.components.protocols import ComponentType
from loopx.loop.failure import FailureView
from loopx.loop.recovery.handler import RecoveryHandler
from loopx.loop.recovery.limits import only_with_a_person, replans_left
from loopx.loop.recovery.remainder import NO_DELTA, Remainder, free_id, meaning, new_step, rewritable
from loopx.loop.recovery.result import RecoveryResult
from loopx.loop.step import EVIDENCE, Step, StepView
from loopx.model.step import ExecutionState, Role, StepStatus

if TYPE_CHECKING:
    from loopx.loop.components.protocols import Planner
    from loopx.loop.context import LoopContext
    from loopx.loop.failure import Failure
    from loopx.loop.state import LoopState

REPLACEABLE = frozenset({StepStatus.EVALUATION_FAILED, StepStatus.VERIFICATION_FAILED, StepStatus.RECOVERY_PENDING})


def planner_of(context: LoopContext) -> Planner | None:
    """Who may revise the plan; ``None`` where nobody can, as with a plan a person wrote and no planner beside it."""
    planner: Planner | None = context.components.get(ComponentType.PLANNER)
    return planner if planner is not None and getattr(planner, "can_revise", True) else None


def raise_version(state: LoopState, context: LoopContext, cause: str) -> None:
    """The plan is another one now."""
    before, plan = state.plan.version, state.plan
    plan.version += 1
    state.plan_changed = True
    state.trace.add(context.clock.now(), "plan", str(before), str(plan.version), Role.RECOVERY, cause)


def changed_completed(before: LoopState, after: LoopState) -> list[str]:
    """Ids of completed steps that are not what they were. None ever may be."""
    return [
        each
        for each in before.plan.in_status(StepStatus.VERIFIED_COMPLETED)
        if each not in after.plan or not _is_same(before.plan.peek(each), after.plan.peek(each))
    ]


def _is_same(old: Step, new: Step) -> bool:
    return new is old or _facts(old) == _facts(new)


def _facts(step: Step) -> tuple[Any, ...]:
    verdicts = (step.evaluation_passed, step.verification_passed)
    times = (step.start_time, step.end_time)
    return step.meant, step.status, step.tool, step.model, step.output, step.retry_count, times, verdicts, step.attempts


class ReplanStep(RecoveryHandler):
    """A corrected version takes the place of a failed step; whoever waited for the old one waits for the new one."""

    def precondition(self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext) -> str | None:
        """The step was rejected or lost its end, somebody is there to plan, its lineage has replans left, and no
        person need say first."""
        if step is None or step.status not in REPLACEABLE:
            return "There is no failed step to replace."
        if planner_of(context) is None:
            return "Nobody is there to plan."
        if state.permitted != step.id and not replans_left(state, step.lineage, context.settings):
            return f"{step.lineage} was replanned as often as the limit allows."
        return only_with_a_person(step, state)

    async def execute(
        self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> RecoveryResult:
        """The planner's version takes the place of the step, under a new id and one version on, with the same
        dependencies; whoever waited for the old one waits for it; the old one is archived as FAILED. A version that
        says the same is refused."""
        planner = planner_of(context)
        if (why := self.precondition(failure, step, state, context)) is not None or step is None or planner is None:
            return RecoveryResult(False, message=why or "")
        seen = {"failure": failure.failure_id, "message": failure.message, "output": step.output}
        step.metadata[EVIDENCE] = seen
        wanted = await planner.revise_step(StepView.of(step), FailureView.of(failure), context)
        identity = free_id(state, wanted.id, step.version + 1)
        new = new_step(replace(wanted, id=identity, depends_on=step.dependencies), step)
        if replace(meaning(new.meant), id=step.id) == meaning(step.meant):
            return RecoveryResult(False, message="replan-no-delta: the step came back as it was")
        new.metadata[EVIDENCE] = seen
        if step.status is not StepStatus.RECOVERY_PENDING:
            context.lifecycle.move(state, step, StepStatus.RECOVERY_PENDING, Role.RECOVERY, failure.failure_id)
        context.lifecycle.move(state, step, StepStatus.FAILED, Role.RECOVERY, f"replaced by {new.id}")
        context.lifecycle.create(state, new, StepStatus.PENDING, Role.PLANNER, f"replaces {step.id}")
        state.changed.update(state.plan.dependents(step.id))
        state.plan.replace(step.id, new)
        count_replan(state, step.lineage)
        message = f"{step.id} is replaced by {new.id}"
        raise_version(state, context, message)
        return RecoveryResult(True, ExecutionState.REPLANNING, StepStatus.PENDING, message)

    def validate_postconditions(self, step: Step | None, state: LoopState) -> bool:
        """The new step is PENDING and carries the old one on, nobody waits for the old one, completed steps are as
        they were, and the plan's version rose by one."""
        return not self.violations(step, state)

    def violations(self, step: Step | None, state: LoopState) -> tuple[str, ...]:
        before = state.before
        if step is None or before is None:
            return ("there is no step",)
        identity = state.plan.current_id(step.lineage)
        new = None if identity is None else state.plan.peek(identity)
        found = []
        if new is None or new.id == step.id or new.status is not StepStatus.PENDING:
            found.append("the new step is not PENDING")
        elif new.dependencies != before.plan.peek(step.id).dependencies or new.version != step.version + 1:
            found.append("the new step does not carry the old one on")
        if any(step.id in state.plan.peek(each).dependencies for each in before.plan.dependents(step.id)):
            found.append("a step still waits for the one that was replaced")
        if state.plan.archived.get(step.id) is not step or step.status is not StepStatus.FAILED:
            found.append("the old step is not archived")
        return (*found, *_plan_violations(before, state))


class ReplanRemaining(RecoveryHandler):
    """The planner rewrites all that is not done. Completed steps come back unchanged, whatever it says of them."""

    def precondition(self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext) -> str | None:
        """Somebody is there to plan, replans are left, and open steps remain that no person need speak about; or there
        is no plan yet."""
        if planner_of(context) is None:
            return "Nobody is there to plan."
        if state.permitted is None and not replans_left(state, failure.lineage or "", context.settings):
            return "The rest was replanned as often as the limit allows."
        is_never_planned = not len(state.plan)
        return None if is_never_planned or rewritable(state) else "No open steps remain that may be planned anew."

    async def execute(
        self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> RecoveryResult:
        """The planner rewrites what is not done; done steps stay whatever it says of them, begun ones get new ids. A
        rest that comes back as it was is refused, and so is one that makes no plan."""
        planner = planner_of(context)
        if (why := self.precondition(failure, step, state, context)) is not None or planner is None:
            return RecoveryResult(False, message=why or "")
        views = [StepView.of(state.plan.peek(each)) for each in state.plan.ids]
        if views:
            wanted = await planner.revise_plan(views, FailureView.of(failure), context)
        else:
            wanted = await planner.create_plan(state.plan.objective, context)
        rest = Remainder(state, wanted.steps)
        if views and rest.is_no_delta():
            return RecoveryResult(False, message=NO_DELTA)
        if (problem := rest.problem()) is not None:
            return RecoveryResult(False, message=problem)
        if step is not None:
            step.metadata[EVIDENCE] = {"failure": failure.failure_id, "message": failure.message}
        rest.put_in(context, failure.failure_id)
        state.plan.objective = wanted.objective or state.plan.objective
        count_replan(state, failure.lineage or "")
        message = f"{len(rest.wanted)} steps are planned anew"
        raise_version(state, context, message)
        return RecoveryResult(True, ExecutionState.REPLANNING, message=message)

    def validate_postconditions(self, step: Step | None, state: LoopState) -> bool:
        """Completed steps are as they were, and the plan's version rose by one."""
        return not self.violations(step, state)

    def violations(self, step: Step | None, state: LoopState) -> tuple[str, ...]:
        return ("there is nothing to compare with",) if state.before is None else _plan_violations(state.before, state)


def count_replan(state: LoopState, lineage: str) -> None:
    """One more replan, of a lineage and of the run."""
    state.replans_of[lineage] = state.replans_of.get(lineage, 0) + 1
    state.counters.replans += 1


def _plan_violations(before: LoopState, after: LoopState) -> tuple[str, ...]:
    found = [f"completed step {each} changed" for each in changed_completed(before, after)]
    if after.plan.version != before.plan.version + 1:
        found.append("the plan's version did not rise by one")
    return tuple(found)
