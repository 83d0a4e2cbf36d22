"""Who may record a run: whoever started it or proves to execute its Todo now, within a turn that is still open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel.authority import beyond
from loopx.kernel.claims import holder_name
from loopx.kernel.fencing import fence
from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import refuse

if TYPE_CHECKING:
    from loopx.kernel.context import Context
    from loopx.model.run import RunRecord


def may_not_write(
    state: State, run: RunRecord, context: Context, lease_key: str | None, turn: str | None
) -> Refused | None:
    """The refusal of whoever may not record ``run`` (any more)."""
    todo = state.todo(run.todo)
    if todo is None:
        return refuse("todo-unknown", f"There is no Todo {run.todo} any more.", todo=run.todo)
    if lease_key is None and str(context.actor) != run.started_by:
        return beyond(context, f"{run.id} was started by {run.started_by}, and no lease shows that you go on with it")
    return fence(state, todo, context, lease_key) or turn_over(state, turn, context)


def turn_over(state: State, turn: str | None, context: Context) -> Refused | None:
    """The refusal of work in a turn that has ended, or is another's; ``None`` for work in none."""
    if turn is None:
        return None
    found = state.turn(turn)
    if found is None:
        return refuse("turn-unknown", f"There is no turn {turn}.", turn=turn)
    if found.agent != holder_name(context.actor):
        return beyond(context, f"the turn {turn} is {found.agent}'s")
    if found.status == "open":
        return None
    code = "turn-voided" if found.status == "voided" else "turn-settled"
    return refuse(code, f"The turn {turn} is {found.status}.", turn=turn)
