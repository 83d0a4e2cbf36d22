"""The controlled writeback: one turn settled in one commit, or nothing written at all.

Evidence, Vision, Todo, criteria, outcome, checkpoint, obligations and spend are judged one after the other, each on
the state the parts before it left. The workspace runs validations and checks outside the lock and asks again with what
they found, as it does for ``todo done``.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from loopx.kernel.answering import stamp
from loopx.kernel.commands import SettleTurn
from loopx.kernel.context import Context
from loopx.kernel.fencing import fence
from loopx.kernel.obligations.discharging import settlement_of
from loopx.kernel.outcome import Outcome, Record, Refused
from loopx.kernel.resolve import find_goal, find_todo
from loopx.kernel.state import State
from loopx.kernel.turns import checkpoint, delta, weighing, working
from loopx.kernel.turns.answering import answer, replay
from loopx.kernel.turns.citing import cite, with_more
from loopx.kernel.turns.moving import moved
from loopx.kernel.turns.naming import named_turn, unreadable
from loopx.kernel.turns.opening import Opening, opened
from loopx.kernel.turns.owing import owed_by
from loopx.kernel.turns.past import last_ended, open_turn
from loopx.kernel.turns.scratch import Scratch
from loopx.kernel.turns.taking import as_taker, taker
from loopx.kernel.wording import refuse
from loopx.model.goal import GoalStatus
from loopx.model.turn import TurnStatus

if TYPE_CHECKING:
    from loopx.kernel.obligations.record import Obligation
    from loopx.kernel.turns.weighing import Weighed
    from loopx.model.goal import Goal
    from loopx.model.todo import Todo
    from loopx.model.turn import Spend, Turn

_LOOKING_BACK = timedelta(days=1)
"""How far back what happened belongs to a turn that is opened and settled at once."""


class Case(NamedTuple):
    """One settling: what is settled, and by which command."""

    state: State
    goal: Goal
    turn: Turn
    todo: Todo | None
    last: Turn | None
    """The agent's turn that ended before it."""
    command: SettleTurn
    context: Context


def settle(state: State, command: SettleTurn, context: Context) -> Outcome:
    """Settle a turn; one that was settled by the same request before is answered as it was then."""
    state = state.looked_up_once()
    goal = find_goal(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    turn = _turn(state, goal, command, context)
    if isinstance(turn, Refused):
        return turn
    if turn.status is not TurnStatus.OPEN:
        return replay(state, turn, command, context)
    todo = state.todo(turn.todo) if turn.todo else None
    case = Case(state, goal, turn, todo, last_ended(state, goal.id, turn.agent), command, context)
    return _stands_in_the_way(case) or _settled(case)


def _turn(state: State, goal: Goal, command: SettleTurn, context: Context) -> Turn | Refused:
    """The turn named, the agent's open one, or a new one that begins and ends here."""
    if command.turn is not None:
        return named_turn(state, goal, command.turn, context)
    agent = taker(state, goal.id, command.agent, context)
    if isinstance(agent, Refused):
        return agent
    found = open_turn(state, goal.id, agent)
    if found is not None:
        return found
    asked = Opening(
        goal=goal,
        agent=agent,
        todo=command.todo,
        obligation=command.obligation,
        lease_key=command.lease_key,
        basis=command.basis,
    )
    return opened(state, asked, context)


def _stands_in_the_way(case: Case) -> Refused | None:
    return _ended_goal(case) or _mismatch(case) or _fenced(case) or unreadable(case.state, case.command)


def _settled(case: Case) -> Outcome:
    command, goal, turn = case.command, case.goal, case.turn
    scratch = Scratch(case.state, case.context)
    armed = owed_by(case.state, goal, turn.agent, case.context.now, is_person=case.context.actor.is_human)
    if refused := checkpoint.unsupported(case.state, goal, turn, command.vision, armed, case.context):
        return refused
    cited = cite(scratch, turn, command)
    if isinstance(cited, Refused):
        return cited
    became = checkpoint.write(scratch, goal, turn, command.vision)
    if isinstance(became, Refused):
        return became
    worked = working.work(scratch, turn, case.todo, command)
    if isinstance(worked, Refused):
        return worked
    met = working.meet_criteria(scratch, goal, command, cited, worked, case.todo)
    if isinstance(met, Refused):
        return met
    ran = [each for each in (command.validation, *command.checks) if each is not None]
    cited = with_more(case.state, turn, cited, *(each for each in ran if scratch.state.evidence(each.id) is not None))
    done = delta.Settled(
        cited=cited, worked=worked, met=met, vision=became, nothing_follows=command.settlement.no_follow_up is not None
    )
    return _concluded(case, scratch, done, armed)


def _concluded(case: Case, scratch: Scratch, done: delta.Settled, armed: tuple[Obligation, ...]) -> Outcome:
    """Everything but the verdicts is known: outcome, checkpoint, obligations, spend, and the record of them all."""
    command, turn, context = case.command, case.turn, case.context
    shown = delta.entries(scratch.state, turn, context, done)
    weighed = weighing.weigh(command.outcome, shown, done.cited)
    course = checkpoint.Course(
        moved=weighed.moves_the_objective,
        is_continued=case.todo is not None and done.worked.became is None and not case.todo.status.is_closed,
        met=bool(done.met),
        path=command.path_delta,
        last=case.last,
    )
    said = checkpoint.judged(scratch, case.goal, turn, command.vision, done.vision, course)
    if said.result == "unchanged":
        shown = (*shown, f"vision:unchanged:{turn.agent}")
    discharges, refused = settlement_of(armed, shown, turn.obligation)
    if refused is not None:
        return refused
    told = weighing.Shown(shown, done.cited, _since(case))
    spend = weighing.spend_of(scratch.state, turn, case.todo, command.spend, told, context)
    if isinstance(spend, Refused):
        return spend
    settled = replace(
        _recorded(case, weighed, spend),
        delta=shown,
        evidence=done.cited.ids,
        meets=done.met,
        discharges=discharges,
        checkpoint=said,
    )
    scratch.put(Record(settled))
    return answer(command, context, settled, scratch, case.todo, done.worked, weighed.why)


def _recorded(case: Case, weighed: Weighed, spend: Spend | None) -> Turn:
    """The turn with everything that was plainly said about it."""
    command, turn, context = case.command, case.turn, case.context
    return replace(
        moved(turn, TurnStatus.SETTLED, command.name),
        settled_at=stamp(context),
        settled_by=context.operation,
        previous=case.last.id if case.last is not None else None,
        scale=command.scale,
        outcome=weighed.outcome,
        claimed=command.outcome if command.outcome is not weighed.outcome else None,
        no_follow_up=command.settlement.no_follow_up,
        next_action=command.next_action,
        spend=spend,
        note=command.note,
    )


def _ended_goal(case: Case) -> Refused | None:
    if case.goal.status is not GoalStatus.CLOSED:
        return None
    message = f"Goal {case.goal.id} is closed, and nothing more is written for it."
    return refuse("goal-closed", message, f"End the turn with `loopx turn void {case.turn.id}`.", turn=case.turn.id)


def _mismatch(case: Case) -> Refused | None:
    """The refusal of a settling that names other work than the turn's."""
    turn, command = case.turn, case.command
    if command.todo is not None:
        named = find_todo(case.state, command.todo)
        if isinstance(named, Refused):
            return named
        if named.id != turn.todo:
            message = f"{turn.id} was opened for {turn.todo or turn.obligation}, not for {named.id}."
            return refuse("turn-mismatch", message, turn=turn.id, opened_for=turn.todo, named=named.id)
    if command.obligation is not None and command.obligation.strip().lower() != turn.obligation:
        message = f"{turn.id} was opened for {turn.todo or turn.obligation}, not for {command.obligation}."
        return refuse("turn-mismatch", message, turn=turn.id, opened_for=turn.obligation, named=command.obligation)
    if turn.todo is not None and case.todo is None:
        message = f"{turn.todo}, which {turn.id} was opened for, is gone."
        return refuse("turn-mismatch", message, f"End it with `loopx turn void {turn.id}`.", turn=turn.id)
    return None


def _fenced(case: Case) -> Refused | None:
    """The refusal of a late finisher: its lease passed on, or somebody else holds the Todo now."""
    turn, todo = case.turn, case.todo
    if todo is None:
        return None
    lease = case.state.lease(todo.id)
    if turn.lease_epoch is not None and (lease is None or lease.epoch != turn.lease_epoch):
        found = f"at epoch {lease.epoch} now" if lease is not None else "gone"
        message = f"{turn.id} was opened at epoch {turn.lease_epoch} of the lease of {todo.id}, which is {found}."
        facts = {"opened_at": turn.lease_epoch, "found": lease.epoch if lease is not None else None}
        return refuse("turn-fenced", message, f"End it with `loopx turn void {turn.id}`.", turn=turn.id, epochs=facts)
    if todo.status.is_closed:
        return None
    actor = as_taker(turn.agent, case.context)
    return fence(case.state, todo, replace(case.context, actor=actor), case.command.lease_key)


def _since(case: Case) -> datetime:
    """Since when what happened to the Todo belongs to the turn: its opening; for one that is opened only now, since the
    one before it ended."""
    turn, last = case.turn, case.last
    if turn.opened_by != case.context.operation:
        return turn.opened_at
    earliest = turn.opened_at - _LOOKING_BACK
    return max(last.settled_at, earliest) if last is not None and last.settled_at is not None else earliest
