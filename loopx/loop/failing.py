"""What goes wrong, as failures: rejected work, lost outcomes, broken judges, budgets foreseen, plans that are stuck."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from loopx.loop.components.protocols import Acted, Verdict
from loopx.loop.failure import Failure
from loopx.loop.step import EVIDENCE, Step
from loopx.model.step import AttemptOutcome, ExecutionState, FailureType, Role, StepStatus

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.state import LoopState

FORECAST = "forecast"
"""Evidence of a failure that was foreseen: nothing was spent yet."""
REFUSED = "refused"
"""Evidence of a step that a person does not allow: it was not begun, and is not tried again as it is."""
DEADLOCK = "deadlock"
"""Evidence of a plan nothing in which can run."""
_KEPT = 4096
"""Characters of an output that are kept with what went wrong."""
_TO_GIVE_UP = frozenset(
    {
        StepStatus.EVALUATION_FAILED,
        StepStatus.VERIFICATION_FAILED,
        StepStatus.RECOVERY_PENDING,
        StepStatus.RETRY_PENDING,
    }
)
_UNJUDGED = frozenset({StepStatus.EXECUTED, StepStatus.EVALUATED})


def raised(
    state: LoopState,
    context: LoopContext,
    kind: FailureType,
    message: str,
    step: Step | None = None,
    evidence: str | None = None,
) -> Failure:
    """A new failure, with a new id, in the run's books and trace."""
    failure = Failure(
        context.ids.fresh("f"),
        kind,
        message,
        context.clock.now(),
        step_id=step.id if step else None,
        lineage=step.lineage if step else None,
        evidence=evidence,
    )
    state.failures[failure.failure_id] = failure
    facts = {"type": kind.value, "step": failure.step_id}
    entity = f"failure {failure.failure_id}"
    state.trace.add(failure.raised_at, entity, None, failure.status, Role.SYSTEM, message, None, facts)
    if step is not None:
        state.changed.add(step.id)
    return failure


def rejected(state: LoopState, step: Step, kind: FailureType, verdict: Verdict, context: LoopContext) -> None:
    """A judge said no."""
    evidence = in_words(verdict.evidence) or None
    failure = raised(state, context, kind, verdict.message or f"{step.id} was rejected", step, evidence)
    step.attempts[-1].failure = failure.failure_id
    said = verdict.evidence.get("output") or step.output
    said = said[-_KEPT:] if isinstance(said, str) else said
    step.metadata[EVIDENCE] = {"failure": failure.failure_id, "message": failure.message, "output": said}


def in_words(evidence: Mapping[str, Any]) -> str:
    """What a judge saw, as people read it: each judgement with what it said, then whatever else it told."""
    judged = [each for each in evidence.get("judges", ()) if isinstance(each, Mapping)]
    told = ("judges", "failed") if judged else ()
    return "; ".join(
        (
            *map(_judgement, judged),
            *(f"{name}: {_in_text(value)}" for name, value in evidence.items() if name not in told),
        )
    )


def _in_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _judgement(told: Mapping[str, Any]) -> str:
    if "broken" in told:
        return f"{told.get('judge')} broke: {told['broken']}"
    said = f": {told['message']}" if told.get("message") else ""
    return f"{told.get('judge')} {'passed' if told.get('passed') else 'rejected'}{said}"


def lost(state: LoopState, step: Step, acted: Acted, context: LoopContext) -> None:
    """An execution did not come to an end that can be judged: the step waits for a decision, and what is not known is
    said so."""
    kind = acted.failure or FailureType.EXECUTION_ERROR
    context.lifecycle.move(state, step, StepStatus.RECOVERY_PENDING, Role.SYSTEM, acted.message or kind.value)
    failure = raised(state, context, kind, acted.message or f"{step.id} has no known end", step)
    failure.is_outcome_unknown = step.attempts[-1].outcome is AttemptOutcome.UNKNOWN
    step.attempts[-1].failure = failure.failure_id


def redefined(state: LoopState, step: Step, context: LoopContext) -> None:
    """A step was edited while it was carried out. Its outcome is kept, and speaks of what it was before."""
    message = f"{step.id} was edited while it was carried out"
    failure = raised(state, context, FailureType.INTERRUPTED, message, step)
    step.attempts[-1].failure = failure.failure_id
    context.lifecycle.move(state, step, StepStatus.RECOVERY_PENDING, Role.RECOVERY, message)


def judge_broken(state: LoopState, step: Step, reason: str, context: LoopContext) -> None:
    """A judge broke each time it was asked. That says nothing against the step: it stays where it is, no counter of it
    is touched, and it can be judged as soon as somebody says so."""
    failure = raised(state, context, FailureType.INTERRUPTED, f"no verdict on {step.id}: {reason}", step)
    failure.is_judge_outage = True


def is_affordable(state: LoopState, step: Step, reserved: float, context: LoopContext) -> bool:
    """Whether what the step is expected to cost fits into what is left beside ``reserved``."""
    limit = context.settings.budgets.cost
    return limit is None or state.counters.cost + reserved + step.meant.cost <= limit


def forecast(state: LoopState, step: Step, reserved: float, context: LoopContext) -> None:
    """The next step would pass the budget."""
    left = (context.settings.budgets.cost or 0.0) - state.counters.cost - reserved
    message = f"{step.id} is expected to cost {step.meant.cost:g}, and {left:g} is left"
    raised(state, context, FailureType.BUDGET_EXCEEDED, message, step, FORECAST)


def refused(state: LoopState, step: Step, message: str, context: LoopContext) -> None:
    """A person does not allow what the step does. That is a no to the plan as it is: it is planned anew, or a person
    says what becomes of it. Nothing is raised while that is open."""
    if not refusals(state, step):
        raised(state, context, FailureType.PLANNING_FAILURE, message, step, REFUSED)


def refusals(state: LoopState, step: Step) -> list[Failure]:
    """Open failures of the step because a person does not allow it."""
    own = state.failures.of_lineage(step.lineage) if state.failures else []
    return [each for each in own if each.evidence == REFUSED and each.status.is_open]


def deadlocked(state: LoopState, context: LoopContext) -> None:
    """Nothing can ever run: offered to recovery once in the life of a run, and the end the second time."""
    is_again = any(each.evidence == DEADLOCK for each in state.failures.of_lineage(None))
    left = [each for each in state.plan.ids if not state.plan.status(each).is_terminal]
    message = f"nothing can run any more; left: {', '.join(left) or 'nothing'}"
    failure = raised(state, context, FailureType.PLANNING_FAILURE, message, evidence=DEADLOCK)
    if is_again or not context.settings.enable_recovery:
        end_terminally(state, failure, context)


def is_moot(state: LoopState, failure: Failure) -> bool:
    """Whether nothing is left of a failure: the recovery of another one, or a person, put its step aside or anew."""
    if failure.step_id is None or failure.lineage is None:
        return False
    identity = state.plan.current_id(failure.lineage)
    if identity is None:
        return True
    status = state.plan.status(identity)
    if failure.evidence in (FORECAST, REFUSED):
        return status.is_terminal
    return not (status in _TO_GIVE_UP or (status in _UNJUDGED and failure.is_judge_outage))


def settle_moot(state: LoopState, failure: Failure, context: LoopContext) -> None:
    """Nothing is left of ``failure``; a question asked about it is withdrawn."""
    noted(state, failure, context, "nothing is left of it", failure.mark_recovered)
    if (state.question or {}).get("failure") == failure.failure_id:
        if state.gate is not None:
            context.withdraw(state.gate)
        state.question = state.gate = None
        state.put_off.clear()


def end_terminally(state: LoopState, failure: Failure, context: LoopContext) -> None:
    """Nothing is left to try: the failure is terminal and the run has ended because of it."""
    state.error = failure.message
    give_up(state, failure, context)
    noted(state, failure, context, "terminal", failure.mark_terminal)
    context.lifecycle.turn(state, end_of(failure), failure.failure_id)


def end_of(failure: Failure) -> ExecutionState:
    """What a run ends in because of ``failure``."""
    is_hijacked = failure.type is FailureType.GOAL_HIJACKING
    return ExecutionState.POLICY_TERMINATED if is_hijacked else ExecutionState.FAILED


def give_up(state: LoopState, failure: Failure, context: LoopContext) -> None:
    """Bring the step of a failure that ends the run to its own end, where it was begun."""
    step = state.plan.current(failure.lineage) if failure.lineage else None
    if step is None:
        return
    if step.status in _UNJUDGED:
        context.lifecycle.move(state, step, StepStatus.FAILED, Role.SYSTEM, failure.failure_id)
    elif step.status in _TO_GIVE_UP:
        role = Role.RECOVERY if context.settings.enable_recovery else Role.SYSTEM
        context.lifecycle.move(state, step, StepStatus.FAILED, role, failure.failure_id)


def unrecovered(state: LoopState, failure: Failure, context: LoopContext) -> None:
    """Recovery is switched off: an open failure is the end."""
    if state.execution_state is not ExecutionState.ITERATION_COMPLETE:
        context.lifecycle.turn(state, ExecutionState.ITERATION_COMPLETE)
    end_terminally(state, failure, context)


def noted(
    state: LoopState,
    failure: Failure,
    context: LoopContext,
    cause: str,
    turn: Callable[[], None] | None = None,
    evidence: Mapping[str, Any] | None = None,
) -> None:
    """Move a failure on by ``turn`` and say so in the trace."""
    before = failure.status
    if turn is not None:
        turn()
    entity = f"failure {failure.failure_id}"
    state.trace.add(context.clock.now(), entity, before, failure.status, Role.RECOVERY, cause, None, evidence)
    if failure.step_id is not None:
        state.changed.add(state.plan.current_id(failure.lineage or "") or failure.step_id)
