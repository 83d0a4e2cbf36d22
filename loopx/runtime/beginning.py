"""Opening a turn and saying at once what it was opened to: the turn, and the decision as it stands with it open.

The command line, the loop and Python callers begin work through here. The envelope they make of it is no permission:
every guard is asked again when the turn is settled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from loopx.errors import LoopxError
from loopx.kernel.decision.deciding import next_action
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import resolve
from loopx.kernel.turns.taking import actor_of
from loopx.model.defining import dataclass
from loopx.model.kind import Kind

if TYPE_CHECKING:
    from loopx.kernel.decision.record import Decision
    from loopx.model.goal import Goal
    from loopx.model.todo import Todo
    from loopx.model.turn import Turn
    from loopx.workspace import Workspace
    from loopx.workspace.proposal import Proposal
    from loopx.workspace.results import Committed

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn as it stands now, what it works on, and what is called for. The receipt tells how it was opened."""

    committed: Committed
    turn: Turn
    goal: Goal
    todo: Todo | None
    decision: Decision


def begin(workspace: Workspace, proposal: Proposal) -> Begun:
    """Carry a proposal to open a turn through. Raises what ``submit`` raises.

    Repeated under the same operation id it opens nothing, and tells how things stand today.
    """
    committed = workspace.settle(proposal)
    view = workspace.read(take_in=False)
    identity = resolve(view.state, Kind.TURN, str(committed.receipt.result["id"]))
    turn = view.state.turn(_found(identity))
    assert turn is not None
    goal = view.state.goal(turn.goal)
    if goal is None:
        raise LoopxError("goal-unknown", f"Goal {turn.goal}, in which {turn.id} was opened, is gone.")
    actor = actor_of(turn.agent, proposal.actor)
    decision = _found(next_action(view.state, goal.id, actor, view.at, view.revision))
    return Begun(committed, turn, goal, view.state.todo(turn.todo) if turn.todo else None, decision)


def _found(answer: T | Refused) -> T:
    if isinstance(answer, Refused):
        raise LoopxError.of(answer.problem)
    return answer
