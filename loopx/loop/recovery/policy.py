"""Which strategy comes next for a failure: a ladder by its type, one rung a failure of the lineage. Pure.

A rung whose precondition does not hold, whose limit is reached or which this failure has tried is passed over.
Replans, roll-backs and reductions are tried once a lineage, so that no failure goes round in circles; a person may be
asked again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from loopx.loop.failure import Failure, RecoveryAction
from loopx.loop.recovery.limits import attempts_left, only_with_a_person, retries_left
from loopx.model.step import FailureType, RecoveryStrategy

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step
    from loopx.model.plan import RunSettings

_S = RecoveryStrategy
ABOVE_RETRIES = (_S.REPLAN_STEP, _S.REPLAN_REMAINING_TASK, _S.REQUEST_HUMAN, _S.TERMINATE)
"""The rungs once nothing is left to be tried again."""
ASKING = (_S.REQUEST_HUMAN, _S.TERMINATE)
"""Where only a person can say: an outcome nobody knows, a judge that broke, work that cannot be undone."""
ENDING = (_S.TERMINATE,)
BY_TYPE = {
    FailureType.PLANNING_FAILURE: (_S.REPLAN_REMAINING_TASK, _S.REQUEST_HUMAN, _S.TERMINATE),
    FailureType.SEMANTIC_DRIFT: (_S.ROLLBACK, *ABOVE_RETRIES),
    FailureType.BUDGET_EXCEEDED: (_S.REDUCE_SCOPE, _S.ABSTAIN, _S.TERMINATE),
}
"""Ladders without retries, by the type of failure."""
ALWAYS_ENDING = frozenset({FailureType.GOAL_HIJACKING, FailureType.RECOVERY_EXHAUSTED})
"""Types nothing is tried for, whatever ladder a plan asks for."""
_ONCE_A_LINEAGE = frozenset({_S.REPLAN_STEP, _S.REPLAN_REMAINING_TASK, _S.ROLLBACK, _S.REDUCE_SCOPE})


class Ladder:
    """The policy that comes with LoopX."""

    def choose(self, failure: Failure, state: LoopState, context: LoopContext) -> RecoveryAction | None:
        """The next strategy for ``failure``; ``None`` when none is left."""
        if not attempts_left(failure, context.settings):
            return None
        identity = state.plan.current_id(failure.lineage) if failure.lineage else None
        step = None if identity is None else state.plan.peek(identity)
        tried = {each.strategy for each in failure.actions}
        climbed = _climbed(failure, state) & _ONCE_A_LINEAGE
        for strategy in self.rungs(failure, step, state, context):
            if strategy in tried or strategy in climbed:
                continue
            if _stands_open(strategy, failure, step, state, context):
                return RecoveryAction(context.ids.fresh("a"), failure.failure_id, strategy)
        return None

    def rungs(
        self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> Iterator[RecoveryStrategy]:
        """The strategies for this failure, in order. What is not known, and what is not allowed, comes before any
        ladder a plan asks for."""
        if failure.type in ALWAYS_ENDING:
            yield from ENDING
        elif _only_a_person_knows(failure, step, state):
            yield from ASKING
        elif context.settings.ladder:
            yield from context.settings.ladder
        elif failure.type in BY_TYPE:
            yield from BY_TYPE[failure.type]
        else:
            if step is not None:
                yield from _again(failure, step, context)
            yield from ABOVE_RETRIES

    def strategies(self, settings: RunSettings) -> tuple[RecoveryStrategy, ...]:
        """Every strategy this policy may choose: each needs a handler."""
        return (*settings.ladder, *ASKING) if settings.ladder else tuple(RecoveryStrategy)


def _again(failure: Failure, step: Step, context: LoopContext) -> Iterator[RecoveryStrategy]:
    """Trying once more: at once for the first, later for the others, and the last with something else."""
    left = retries_left(step, context.settings)
    if not left:
        return
    if left == 1:
        yield from (_S.CHANGE_TOOL, _S.CHANGE_MODEL)
    is_first = step.retry_count == 0 and failure.type is not FailureType.TIMEOUT
    yield _S.RETRY if is_first else _S.RETRY_WITH_BACKOFF


def _only_a_person_knows(failure: Failure, step: Step | None, state: LoopState) -> bool:
    if failure.is_judge_outage:
        return True
    if step is None or failure.type is FailureType.BUDGET_EXCEEDED:
        return False
    return only_with_a_person(step, state) is not None


def _climbed(failure: Failure, state: LoopState) -> set[RecoveryStrategy]:
    """Strategies that succeeded for earlier failures of the same lineage."""
    return {
        action.strategy
        for other in state.failures.of_lineage(failure.lineage)
        if other is not failure
        for action in other.actions
        if action.success
    }


def _stands_open(
    strategy: RecoveryStrategy, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
) -> bool:
    handler = context.registry.handler(strategy) if context.registry is not None else None
    return handler is not None and handler.precondition(failure, step, state, context) is None
