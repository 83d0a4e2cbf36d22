"""Giving a Goal up: a person's decision, with a reason and a list of what stays open.

Giving up work makes no effect on the outside go away. Where an effect's outcome is unknown, or what must hold after it
was not seen to hold, abandoning is refused until that is settled or carried on: a compensation Todo names the effects,
what is to be read again and who accepts. A Goal that was given up takes no work, so such a Todo goes to another Goal,
named with it, which still takes some; the effect points to it. Done there, it is closed out; that the other side got
it is a read-back, and that it is enough is said by whoever accepts: three facts, none of which stands for another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loopx.kernel.answering import fresh_id, stamp
from loopx.kernel.authority import person_only
from loopx.kernel.closure.audit import audit
from loopx.kernel.closure.record import Audit
from loopx.kernel.commands import CloseGoal
from loopx.kernel.context import Context
from loopx.kernel.effects import open_postconditions, unknown_effects
from loopx.kernel.ending import answer, basis, closed_with, is_retired_by_closing
from loopx.kernel.outcome import Change, Create, Outcome, Record, Refused, Update
from loopx.kernel.references import goal_taking_work
from loopx.kernel.state import State
from loopx.kernel.texts import bad_lines, bad_reason
from loopx.kernel.wording import cut, listed, refuse
from loopx.model.closure import Closure
from loopx.model.effect import Effect, EffectStatus
from loopx.model.goal import Goal, GoalOutcome, GoalStatus
from loopx.model.ids import TODO
from loopx.model.todo import Priority, Todo

_OWED = "o-"
"""How ids of obligations begin: they are worked out, and end with the Goal."""

_LINE = 200
"""Characters of a line that names what stays open."""


def abandon(state: State, goal: Goal, command: CloseGoal, context: Context) -> Outcome:
    """Give ``goal`` up."""
    refused = person_only(state, context, "abandoning a Goal") or bad_reason(command.reason)
    if refused:
        return refused
    unsettled = _unsettled(state, goal)
    todos = _compensations(state, goal, unsettled, command, context)
    if isinstance(todos, Refused):
        return todos
    entry = _entry(state, goal, todos, command, context)
    changes = closed_with(state, goal, entry, command)
    if isinstance(changes, Refused):
        return changes
    effects = [replace(each, compensation=todos[0].id) for each in unsettled if each.compensation is None and todos]
    every: list[Change] = [*changes, *map(Create, todos), *map(Record, effects)]
    result = {
        "status": GoalStatus.CLOSED.value,
        "outcome": entry.outcome.value,
        "retired": [each.id for each in changes if isinstance(each, Update) and each.id != goal.id],
        "left_open": len(entry.left_open),
        "compensations": list(entry.compensations),
    }
    return answer(command, context, goal, every, result, _told(entry))


def _unsettled(state: State, goal: Goal) -> list[Effect]:
    """Effects of which something is still to be found out, each once, in order of identity."""
    found = [*unknown_effects(state, goal.id), *(each.effect for each in open_postconditions(state, goal.id))]
    return list({each.id: each for each in sorted(found, key=lambda each: each.id)}.values())


def _compensations(
    state: State, goal: Goal, unsettled: Sequence[Effect], command: CloseGoal, context: Context
) -> list[Todo] | Refused:
    """The Todos that make effects good, in the Goal named for them."""
    if not command.compensations:
        uncarried = [each for each in unsettled if each.compensation is None]
        return _needed(goal, uncarried) if uncarried else []
    if refused := bad_lines(command.compensations, "compensations"):
        return refused
    home = _home(state, goal, command)
    if isinstance(home, Refused):
        return home
    made: list[Todo] = []
    for title in dict.fromkeys(each.strip() for each in command.compensations):
        made.append(
            Todo(
                id=fresh_id(state, context, TODO, {each.id for each in made}),
                title=title,
                priority=Priority.P1,
                created_at=stamp(context),
                goal=home.id,
                body=_task(state, goal, unsettled, command, context),
            )
        )
    return made


def _home(state: State, goal: Goal, command: CloseGoal) -> Goal | Refused:
    if command.compensate_in is None:
        message = f"{goal.id} takes no work once it is given up, and no other Goal was named for what makes it good."
        return refuse("field-missing", message, "Name one with --in GOAL.", field="compensate_in")
    home = goal_taking_work(state, command.compensate_in)
    if not isinstance(home, Refused) and home.id == goal.id:
        message = f"{goal.id} is the Goal that is given up."
        return refuse("field-value", message, "Name another Goal with --in.", field="compensate_in")
    return home


def _needed(goal: Goal, unsettled: Sequence[Effect]) -> Refused:
    named = listed(f"{each.id} ({each.status})" for each in unsettled)
    message = f"Giving {goal.id} up would leave effects nobody settled: {named}."
    return refuse("compensation-required", message, goal=goal.id, effects=[each.id for each in unsettled])


def _task(state: State, goal: Goal, unsettled: Sequence[Effect], command: CloseGoal, context: Context) -> str:
    """What a compensation Todo says: what happened, what to read again, who accepts."""
    happened = [each for each in state.effects(goal.id) if each.status is EffectStatus.CONFIRMED]
    named = {each.id: each for each in (*unsettled, *happened)}
    lines = [f"Goal {goal.id} was given up: {(command.reason or '').strip()}", "", "What was done outside:", ""]
    for each in named.values():
        readback = f"; read back: {each.readback}" if each.readback else ""
        lines.append(f"- {each.id} {each.summary} ({each.status}{readback})")
        lines += [f"  - re-read: {one.text}" for one in each.postconditions if one.confirmed_at is None]
    lines += ["", f"Accepted by: {context.actor}, after reading back that it holds.", ""]
    return "\n".join(lines)


def _entry(state: State, goal: Goal, todos: Sequence[Todo], command: CloseGoal, context: Context) -> Closure:
    found = audit(state, goal, context.now)
    return Closure(
        outcome=GoalOutcome.ABANDONED,
        at=stamp(context),
        by=str(context.actor),
        operation=context.operation,
        reason=(command.reason or "").strip(),
        basis=basis(found),
        left_open=_left_open(state, found),
        compensations=tuple(each.id for each in todos),
    )


def _left_open(state: State, found: Audit) -> tuple[str, ...]:
    """What stays open, each thing once: neither what ends with the Goal, nor what was owed to it and is no more."""
    items: dict[str, str] = {}
    for line in (*found.lines, *found.others):
        for each in line.items:
            if not each.id.startswith(_OWED):
                items.setdefault(each.id, cut(f"{each.id} {each.title or each.why}", _LINE))
    return tuple(text for name, text in items.items() if not is_retired_by_closing(state.todo(name)))


def _told(entry: Closure) -> str:
    """What the commit says beyond its subject."""
    lines = [entry.reason or "", f"Left open: {len(entry.left_open)}.", *(f"- {each}" for each in entry.left_open[:20])]
    if entry.compensations:
        lines.append(f"Made good by {', '.join(entry.compensations)}.")
    return "\n".join(lines)
