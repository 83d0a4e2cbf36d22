"""What a person's answer does to a run: applied once, on a working copy, by whichever process finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.loop.failing import give_up, noted
from loopx.loop.failure import RecoveryAction
from loopx.loop.recovering import executed, step_of
from loopx.loop.recovery.handlers.stopping import keep_partial_results
from loopx.loop.recovery.remainder import NOT_BEGUN
from loopx.model.step import ExecutionState, FailureStatus, RecoveryStrategy, Role, StepStatus
from loopx.model.times import parse_instant

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.failure import Failure
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step

ABORT = "abort"
_BY_STRATEGY = {
    "retry": RecoveryStrategy.RETRY,
    "replan": RecoveryStrategy.REPLAN_STEP,
    "change_tool": RecoveryStrategy.CHANGE_TOOL,
    "change_model": RecoveryStrategy.CHANGE_MODEL,
}
_UNJUDGED = (StepStatus.EXECUTED, StepStatus.EVALUATED)


async def answer(state: LoopState, option: str, by: str, context: LoopContext, *, is_in_time: bool = False) -> None:
    """Apply ``option`` to the failure a person was asked about.

    A rejected Gate and one that expired are an ``abort``, which ends the run. An answer that is known to have been
    given in time is taken after its deadline too. Raises :class:`LoopxError`, and leaves the run as it is:
    ``answer-not-awaited`` where nothing is asked or the answer came before or too late,
    ``answer-unknown`` for an option that was not offered, ``answer-impossible`` where it cannot be done.
    """
    failure = _awaiting(state)
    if option != ABORT and not is_in_time and is_overdue(state, context):
        message = f"the time to answer ended at {(state.question or {}).get('deadline')}"
        raise LoopxError("answer-not-awaited", message, facts={"run": state.run})
    offered = (state.question or {}).get("options", ())
    if option not in offered:
        raise LoopxError("answer-unknown", f"{option!r} was not offered", facts={"offered": list(offered)})
    said = f"{by} answered {option}"
    if option == "retry" and failure.is_judge_outage:
        _judge_again(state, failure, said, context)
    elif option in _BY_STRATEGY:
        await _carry_out(state, failure, option, said, context)
    elif option == "skip":
        _skip(state, failure, said, context)
    elif option == "abstain":
        state.abstention = f"{by} decided so: {failure.message}"
        _end(state, failure, ExecutionState.ABSTAINED, said, context)
    else:
        state.error = f"{by} ended it: {failure.message}"
        _end(state, failure, ExecutionState.FAILED, said, context)
    state.question = state.gate = None
    state.put_off.clear()


async def answer_or_ask_again(state: LoopState, option: str, by: str, context: LoopContext) -> None:
    """Apply an answer a person has given for good, and in time. Where it cannot be done they are asked again, and told
    why."""
    try:
        await answer(state, option, by, context, is_in_time=True)
    except LoopxError as error:
        if error.code != "answer-impossible" or context.human is None or state.question is None:
            raise
        failure = _awaiting(state)
        noted(state, failure, context, f"{by} answered {option}, which cannot be done: {error}")
        asked = state.question
        facts = {name: fact for name, fact in asked.items() if name not in ("failure", "question", "options")}
        again = f"{asked['question']} ({option} cannot be done: {error})"
        state.gate = context.human.ask(again, tuple(asked["options"]), facts)


def is_overdue(state: LoopState, context: LoopContext) -> bool:
    """Whether a person is asked and the time to answer is over. Without a deadline it never is."""
    deadline = (state.question or {}).get("deadline")
    return deadline is not None and context.clock.now() >= parse_instant(deadline)


async def expire(state: LoopState, context: LoopContext) -> None:
    """Nobody answered in time: the run is aborted, never approved."""
    await answer(state, ABORT, "nobody in time", context)


def _awaiting(state: LoopState) -> Failure:
    named = (state.question or {}).get("failure")
    failure = state.failures.get(named) if named else None
    if failure is None or failure.status is not FailureStatus.ESCALATED:
        raise LoopxError("answer-not-awaited", "nobody is asked anything by this run", facts={"run": state.run})
    return failure


def _judge_again(state: LoopState, failure: Failure, said: str, context: LoopContext) -> None:
    """The judge is back: the step stands where it was, and is judged as soon as the run goes on. Nothing counts."""
    noted(state, failure, context, said, failure.mark_recovered)
    _leave_waiting(state, ExecutionState.ITERATION_COMPLETE, said, context)


async def _carry_out(state: LoopState, failure: Failure, option: str, said: str, context: LoopContext) -> None:
    """Do what a strategy does, with the person's word instead of the limits that made the run ask."""
    from loopx.loop.configuring import recovery_parts

    _, registry = recovery_parts(None, None, context)
    strategy = _BY_STRATEGY[option]
    if strategy is RecoveryStrategy.REPLAN_STEP and _is_of_no_execution(state, failure):
        strategy = RecoveryStrategy.REPLAN_REMAINING_TASK
    action = RecoveryAction(context.ids.fresh("a"), failure.failure_id, strategy, {"by": "human"})
    draft = state.draft()
    _leave_waiting(draft, ExecutionState.WAITING_FOR_HUMAN, said, context)
    step = step_of(draft, failure)
    draft.permitted = step.id if step is not None else ""
    _hand_over(draft, step, failure, context)
    result = await executed(action, failure, step, draft, context, registry)
    if not result.success:
        raise LoopxError("answer-impossible", result.message, facts={"option": option})
    state.adopt(draft)
    failure.actions.append(action)  # no attempt of the machine's: a person's word does not use up its limit
    action.executed, action.success, action.message = True, True, result.message
    noted(state, failure, context, said, failure.mark_recovered, result.evidence)
    if state.execution_state is ExecutionState.REPLANNING:
        context.lifecycle.turn(state, ExecutionState.ITERATION_COMPLETE, "replanned")


def _is_of_no_execution(state: LoopState, failure: Failure) -> bool:
    """Whether the failure is of the plan, or of a step that was not begun: then the rest is planned anew."""
    step = step_of(state, failure)
    return step is None or step.status in NOT_BEGUN


def _skip(state: LoopState, failure: Failure, said: str, context: LoopContext) -> None:
    step = step_of(state, failure)
    if step is None:
        raise LoopxError("answer-impossible", "there is no step to skip", facts={"option": "skip"})
    _hand_over(state, step, failure, context)
    context.lifecycle.move(state, step, StepStatus.SKIPPED, Role.RECOVERY, failure.failure_id)
    noted(state, failure, context, said, failure.mark_recovered)
    _leave_waiting(state, ExecutionState.ITERATION_COMPLETE, said, context)


def _hand_over(state: LoopState, step: Step | None, failure: Failure, context: LoopContext) -> None:
    """A step nobody could judge is recovery's to deal with from here on."""
    if step is not None and step.status in _UNJUDGED:
        context.lifecycle.move(state, step, StepStatus.RECOVERY_PENDING, Role.RECOVERY, failure.failure_id)


def _end(state: LoopState, failure: Failure, end: ExecutionState, said: str, context: LoopContext) -> None:
    keep_partial_results(state)
    give_up(state, failure, context)
    noted(state, failure, context, said, failure.mark_terminal)
    _leave_waiting(state, ExecutionState.WAITING_FOR_HUMAN, said, context)
    context.lifecycle.turn(state, end, failure.failure_id)


def _leave_waiting(state: LoopState, to: ExecutionState, cause: str, context: LoopContext) -> None:
    """Bring the run to ``to`` from wherever independent steps have brought it since it asked."""
    if state.execution_state not in (to, ExecutionState.ITERATION_COMPLETE, ExecutionState.WAITING_FOR_HUMAN):
        context.lifecycle.turn(state, ExecutionState.ITERATION_COMPLETE, cause)
    if state.execution_state is not to:
        context.lifecycle.turn(state, to, cause)
