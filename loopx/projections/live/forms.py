"""Which forms a view offers: told from facts alone. The kernel has the last word on what is sent."""

from __future__ import annotations

from loopx.model.gate import GateStatus
from loopx.model.goal import GoalStatus
from loopx.projections.facts import GateFacts, GoalFacts, TodoFacts

ANSWERS_TO_A_RUN = {
    "retry": "carry the step out again",
    "replan": "have it planned anew",
    "skip": "go on without it",
    "change_tool": "try again with another tool",
    "change_model": "try again with another model",
    "abstain": "stop, and keep what is done",
    "abort": "end the run as failed",
}
"""What the options of a run's question mean."""


def is_waiting(gate: GateFacts) -> bool:
    """Whether the Gate waits for an answer, or for a better one than "later"."""
    return gate.status in (GateStatus.OPEN, GateStatus.DEFERRED)


def may_be_done(todo: TodoFacts) -> bool:
    """Whether a Todo can still be completed."""
    return not todo.status.is_closed


def takes_work(goal: GoalFacts) -> bool:
    """Whether a Todo may be added to the Goal."""
    return goal.status is not GoalStatus.CLOSED
