"""Ending a turn without a delivery, and taking a spend back. Nothing is deleted: a compensating entry says so.

An agent ends its own open turns. What was spent is taken back by a person, since an agent that could would have no
quota.
"""

from __future__ import annotations

from dataclasses import replace

from loopx.kernel.answering import accepted, headline, stamp
from loopx.kernel.authority import person_only
from loopx.kernel.commands import VoidTurn
from loopx.kernel.context import Context
from loopx.kernel.outcome import Outcome, Record, Refused
from loopx.kernel.privacy import bad_text, is_shared
from loopx.kernel.state import State
from loopx.kernel.texts import bad_reason
from loopx.kernel.turns.checkpoint import passed_on
from loopx.kernel.turns.moving import moved
from loopx.kernel.turns.naming import find_turn
from loopx.kernel.turns.past import last_ended
from loopx.kernel.turns.taking import not_theirs
from loopx.model.turn import Turn, TurnStatus


def void(state: State, command: VoidTurn, context: Context) -> Outcome:
    """End an open turn, or take back the spend of a settled one. Done already is no error and changes nothing."""
    turn = find_turn(state, command.turn)
    if isinstance(turn, Refused):
        return turn
    refused = (
        not_theirs(turn.agent, context)
        or bad_reason(command.reason)
        or bad_text(command.reason, "reason", is_shared(state))
    )
    if refused:
        return refused
    if turn.status is TurnStatus.OPEN:
        return _answer(command, context, turn, _ended(state, turn, command, context))
    if turn.spend is None or turn.spend.voided_at is not None:
        return _answer(command, context, turn, None)
    return person_only(state, context, "taking back what a turn spent") or _answer(
        command, context, turn, _unspent(turn, command, context)
    )


def _ended(state: State, turn: Turn, command: VoidTurn, context: Context) -> Turn:
    last = last_ended(state, turn.goal, turn.agent)
    return replace(
        moved(turn, TurnStatus.VOIDED, command.name),
        settled_at=stamp(context),
        settled_by=context.operation,
        previous=last.id if last is not None else None,
        checkpoint=passed_on(state, last),
        note=command.reason.strip(),
    )


def _unspent(turn: Turn, command: VoidTurn, context: Context) -> Turn:
    assert turn.spend is not None
    spend = replace(
        turn.spend, voided_at=stamp(context), voided_by=context.operation, void_reason=command.reason.strip()
    )
    return replace(turn, spend=spend)


def _answer(command: VoidTurn, context: Context, turn: Turn, after: Turn | None) -> Outcome:
    is_spend = turn.status is TurnStatus.SETTLED
    freed = turn.spend.slots if after is not None and after.spend is not None and turn.spend is not None else 0
    what = f"the spend of {turn.agent}" if is_spend else f"by {turn.agent}"
    return accepted(
        command,
        context,
        subject=f"turn {turn.id}",
        goal=turn.goal,
        headline=headline("turn", "void", turn.id, what),
        changes=[] if after is None else [Record(after)],
        body=command.reason.strip(),
        result={"id": turn.id, "todo": turn.todo, "freed": freed, "already": after is None},
    )
