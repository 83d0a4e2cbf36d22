"""The answers to settling: what one settling did, and the answer to one that was done before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopx.kernel.answering import accepted, headline
from loopx.kernel.commands import SettleTurn
from loopx.kernel.context import Context
from loopx.kernel.digest import request_digest
from loopx.kernel.outcome import Accepted, Outcome
from loopx.kernel.state import State
from loopx.kernel.turns.scratch import Scratch
from loopx.kernel.turns.working import Worked
from loopx.kernel.wording import refuse
from loopx.model.turn import Turn, TurnStatus

if TYPE_CHECKING:
    from loopx.model.todo import Todo

_LISTED = 20
"""Ids of one sort that a receipt lists."""


def answer(
    command: SettleTurn,
    context: Context,
    turn: Turn,
    scratch: Scratch,
    todo: Todo | None,
    worked: Worked,
    why: str,
) -> Outcome:
    """Yes to a settling. ``why`` says what a claimed outcome lacked, where it was recorded lower."""
    title = todo.title if todo is not None else f"for {turn.obligation}"
    return accepted(
        command,
        context,
        subject=f"turn {turn.id}",
        goal=turn.goal,
        headline=headline("turn", "settle", turn.id, title),
        changes=scratch.changes,
        body=_told(turn, worked),
        result={name: value for name, value in _facts(turn, worked, why).items() if value not in (None, [], "")},
        notices=scratch.notices,
    )


def replay(state: State, turn: Turn, command: SettleTurn, context: Context) -> Outcome:
    """The answer to settling a turn that has ended: the receipt of then, where the request is the one of then."""
    if turn.status is TurnStatus.VOIDED:
        return refuse("turn-voided", f"{turn.id} was ended without a delivery: {turn.note}.", turn=turn.id)
    receipt = state.receipt(turn.settled_by) if turn.settled_by else None
    asked = {request_digest(each, context.actor) for each in (command, replace(command, turn=None))}
    if receipt is not None and receipt.request in asked:
        return Accepted((), receipt, f"{receipt.subject}: replay {receipt.operation}")
    message = f"{turn.id} was settled by {turn.settled_by} as {turn.outcome}, with something else."
    return refuse("turn-settled", message, turn=turn.id, operation=turn.settled_by, outcome=str(turn.outcome))


def _facts(turn: Turn, worked: Worked, why: str) -> dict[str, Any]:
    said = turn.checkpoint
    return {
        "id": turn.id,
        "todo": turn.todo,
        "obligation": turn.obligation,
        "became": worked.became,
        "outcome": turn.outcome.value if turn.outcome else None,
        "claimed": turn.claimed.value if turn.claimed else None,
        "why": why,
        "meets": list(turn.meets[:_LISTED]),
        "successors": list(worked.added[:_LISTED]),
        "evidence": list(turn.evidence[:_LISTED]),
        "checkpoint": said.result.value if said else None,
        "gap": said.gap if said else None,
        "discharges": [each.split()[0] for each in turn.discharges[:_LISTED]],
        "spent": turn.spend.slots if turn.spend else 0,
        "validated": turn.spend.validated if turn.spend else None,
    }


def _told(turn: Turn, worked: Worked) -> str:
    """What the commit says beyond its subject."""
    lowered = f" (claimed {turn.claimed})" if turn.claimed else ""
    lines = [f"By {turn.agent}: {turn.outcome}{lowered}."]
    if turn.todo and worked.became:
        lines.append(f"{turn.todo} is {worked.became}.")
    if turn.meets:
        lines.append(f"Met: {', '.join(turn.meets)}.")
    if turn.next_action:
        lines.append(f"Next: {turn.next_action}")
    return "\n".join(lines)
