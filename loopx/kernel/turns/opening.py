"""Opening a turn: every guard that lets a bounded piece of work begin, and what the turn remembers of that moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from loopx.kernel.agents import only_watches
from loopx.kernel.answering import accepted, fresh_id, headline, stamp
from loopx.kernel.commands import OpenTurn
from loopx.kernel.context import Context
from loopx.kernel.fencing import fence
from loopx.kernel.lease_standing import live_lease
from loopx.kernel.outcome import Outcome, Record, Refused
from loopx.kernel.premises import baseline_of
from loopx.kernel.quota import Window, window
from loopx.kernel.resolve import find_goal, find_todo
from loopx.kernel.state import State
from loopx.kernel.turns.owing import find_obligation
from loopx.kernel.turns.past import open_turn as turn_open
from loopx.kernel.turns.taking import as_taker, taker
from loopx.kernel.verdicts import verdict
from loopx.kernel.wording import cut, quoted, refuse
from loopx.model.goal import Goal, GoalStatus
from loopx.model.ids import TURN
from loopx.model.times import format_instant
from loopx.model.todo import Todo
from loopx.model.turn import Turn

SLOTS_AT_MOST = 1000
"""Slots a turn may ask for or spend: more is a slip of the hand."""


class Opening(NamedTuple):
    """What a turn is to be opened for."""

    goal: Goal
    agent: str
    todo: str | None
    obligation: str | None
    slots: int = 1
    lease_key: str | None = None
    basis: str | None = None


def open_turn(state: State, command: OpenTurn, context: Context) -> Outcome:
    """Begin one bounded piece of work on a Todo, or on an obligation."""
    goal = find_goal(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    agent = taker(state, goal.id, command.agent, context)
    if isinstance(agent, Refused):
        return agent
    asked = Opening(
        goal=goal,
        agent=agent,
        todo=command.todo,
        obligation=command.obligation,
        slots=command.slots,
        lease_key=command.lease_key,
        basis=command.basis,
    )
    turn = opened(state, asked, context)
    return turn if isinstance(turn, Refused) else _answer(state, command, context, turn)


def opened(state: State, asked: Opening, context: Context) -> Turn | Refused:
    """The turn as it begins, once nothing stands in its way.

    Quota holds back work on Todos only: what is owed may always be settled.
    """
    goal = asked.goal
    refused = _unfit(asked) or _goal_inactive(goal) or _open_already(state, goal, asked.agent)
    if refused:
        return refused
    turn = _begun(state, asked, context)
    if asked.obligation is not None:
        owed = find_obligation(state, goal, asked.agent, asked.obligation, context)
        return owed if isinstance(owed, Refused) else replace(turn, obligation=owed.id)
    todo = find_todo(state, asked.todo or "")
    if isinstance(todo, Refused):
        return todo
    refused = (
        _elsewhere(goal, todo)
        or _watches(asked, todo)
        or used_up(state, goal, context.now)
        or _not_runnable(state, asked, todo, context)
    )
    if refused:
        return refused
    lease = live_lease(state, todo.id, context.now)
    is_own = lease is not None and lease.owner == asked.agent
    return replace(turn, todo=todo.id, lease_epoch=lease.epoch if lease is not None and is_own else None)


def used_up(state: State, goal: Goal, now: datetime) -> Refused | None:
    """The refusal of work in a window whose slots are spent."""
    found = window(state, goal, now)
    if not found.is_used_up:
        return None
    facts: dict[str, Any] = {"spent": found.spent, "limit": found.limit, "goal": goal.id}
    if found.limit == 0:
        message = f"The quota of {goal.id} allows no slots at all."
        return refuse("quota-used-up", message, "A person sets another quota in goal.md.", **facts)
    when = format_instant(_whole(found.frees_at)) if found.frees_at else None
    message = f"{found.spent} of {found.limit} slots of {goal.id} are spent in this window."
    return refuse("quota-used-up", message, _until(found, when), frees_at=when, **facts)


def _begun(state: State, asked: Opening, context: Context) -> Turn:
    baseline = baseline_of(state, asked.goal.id, asked.agent)
    return Turn(
        id=fresh_id(state, context, TURN),
        agent=asked.agent,
        opened_at=stamp(context),
        opened_by=context.operation,
        basis=asked.basis,
        baseline=baseline.vision if baseline else None,
        slots=asked.slots,
        goal=asked.goal.id,
    )


def _unfit(asked: Opening) -> Refused | None:
    if (asked.todo is None) == (asked.obligation is None):
        named = "neither a Todo nor an obligation" if asked.todo is None else "both a Todo and an obligation"
        return refuse("turn-subject-missing", f"The turn names {named}.", goal=asked.goal.id)
    if not 1 <= asked.slots <= SLOTS_AT_MOST:
        message = f"A turn takes 1 to {SLOTS_AT_MOST} slots, not {asked.slots}."
        return refuse("field-value", message, "Ask for one, or for as many as the work takes.", field="slots")
    return None


def _goal_inactive(goal: Goal) -> Refused | None:
    if goal.status is GoalStatus.ACTIVE:
        return None
    if goal.status is GoalStatus.CLOSED:
        return refuse("goal-closed", f"Goal {goal.id} is closed, and so is its work.", goal=goal.id)
    return refuse("goal-not-active", f"Goal {goal.id} is {goal.status}.", goal=goal.id, status=goal.status.value)


def _open_already(state: State, goal: Goal, agent: str) -> Refused | None:
    turn = turn_open(state, goal.id, agent)
    if turn is None:
        return None
    message = f"{agent} has {turn.id} open on {turn.todo or turn.obligation} since {format_instant(turn.opened_at)}."
    facts: dict[str, Any] = {
        "turn": turn.id,
        "todo": turn.todo,
        "obligation": turn.obligation,
        "operation": turn.opened_by,
    }
    return refuse("turn-open-already", message, **facts)


def _elsewhere(goal: Goal, todo: Todo) -> Refused | None:
    if todo.goal == goal.id:
        return None
    message = f"{todo.id} belongs to {todo.goal}, not to {goal.id}."
    return refuse("turn-mismatch", message, f"Name --goal {todo.goal}.", todo=todo.id, goal=todo.goal)


def _watches(asked: Opening, todo: Todo) -> Refused | None:
    """The refusal of work to an agent that takes part to look at monitors."""
    if not only_watches(asked.goal, asked.agent):
        return None
    message = f"{asked.agent} only looks at monitors in {asked.goal.id}, and {todo.id} is work."
    hint = "Poll with `loopx monitor poll`; a person lets an agent work with `loopx agent edit`."
    return refuse("todo-not-runnable", message, hint, todo=todo.id, reasons=["monitor-only"])


def _not_runnable(state: State, asked: Opening, todo: Todo, context: Context) -> Refused | None:
    """The refusal of a Todo that the turn's agent may not work on, every reason named; then what fences it."""
    actor = as_taker(asked.agent, context)
    found = verdict(state, todo, actor, context.now)
    if not found.is_runnable:
        first = found.reasons[0].message if found.reasons else "No reason is known."
        message = f"{todo.id} {quoted(todo.title)} may not be worked on now. {cut(first, 140)}"
        codes = [each.code.value for each in found.reasons]
        return refuse("todo-not-runnable", message, f"See `loopx why {todo.id}`.", todo=todo.id, reasons=codes)
    return fence(state, todo, replace(context, actor=actor), asked.lease_key)


def _answer(state: State, command: OpenTurn, context: Context, turn: Turn) -> Outcome:
    todo = state.todo(turn.todo) if turn.todo else None
    title = todo.title if todo else f"for {turn.obligation}"
    return accepted(
        command,
        context,
        subject=f"turn {turn.id}",
        goal=turn.goal,
        headline=headline("turn", "open", turn.id, title),
        changes=[Record(turn)],
        body=f"By {turn.agent}.",
        result={
            "id": turn.id,
            "agent": turn.agent,
            **({"todo": turn.todo} if turn.todo else {"obligation": turn.obligation}),
            "slots": turn.slots,
        },
    )


def _until(found: Window, when: str | None) -> str:
    return f"A slot is free again at {when}; a person may raise the quota." if when else ""


def _whole(at: datetime) -> datetime:
    return at.replace(microsecond=0)
