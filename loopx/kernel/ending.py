"""How a Goal ends, and how one that ended is taken up again.

``achieved`` and ``no_followup`` rest on a clean terminal audit, which is kept as the basis of the entry in the Goal's
closure record; closing ends the monitors that only watch. ``abandoned`` is a person's word: see
:mod:`loopx.kernel.abandoning`. Reopening is a new decision: the entry stays and says by whom and why it was undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from loopx.kernel.answering import accepted, headline, stamp
from loopx.kernel.closure.audit import audit
from loopx.kernel.closure.record import Audit, AuditLine
from loopx.kernel.commands import CloseGoal, Command, ReopenGoal
from loopx.kernel.context import Context
from loopx.kernel.criteria import criterion_status
from loopx.kernel.outcome import Change, Outcome, Record, Refused, Update
from loopx.kernel.resolve import find_goal
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line, bad_reason
from loopx.kernel.transitions import move
from loopx.kernel.wording import cut, listed, quoted, refuse
from loopx.model.closure import AuditCount, Closure, ClosureLog
from loopx.model.goal import Goal, GoalOutcome, GoalStatus
from loopx.model.records import CriterionStatus
from loopx.model.todo import Todo, TodoClass, TodoStatus


def close(state: State, command: CloseGoal, context: Context) -> Outcome:
    """End a Goal. Saying again what holds already changes nothing."""
    goal = find_goal(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    if command.outcome not in set(GoalOutcome):
        message = f"{quoted(command.outcome)} is no way for a Goal to end."
        return refuse("field-value", message, f"Use {listed(GoalOutcome)}.", field="outcome")
    outcome = GoalOutcome(command.outcome)
    if goal.status is GoalStatus.CLOSED and goal.outcome is outcome:
        return answer(command, context, goal, [], {"status": goal.status.value, "outcome": outcome.value})
    if outcome is GoalOutcome.ABANDONED:
        from loopx.kernel.abandoning import abandon  # makes Todos, which no other end does

        return abandon(state, goal, command, context)
    return _ended(state, goal, outcome, command, context)


def reopen(state: State, command: ReopenGoal, context: Context) -> Outcome:
    """Take a closed Goal up again. What closing retired stays retired; a person reopens what is to be watched again."""
    goal = find_goal(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    if refused := bad_reason(command.reason):
        return refused
    if goal.status is GoalStatus.ACTIVE:
        return answer(command, context, goal, [], {"status": goal.status.value})
    change = move(goal, GoalStatus.ACTIVE, command.name, outcome=None, reason=None)
    if isinstance(change, Refused):
        return change
    reason = command.reason.strip()
    changes: list[Change] = [change, *_undone(state, goal, context, reason)]
    return answer(command, context, goal, changes, {"status": GoalStatus.ACTIVE.value}, reason)


def standing_closure(state: State, goal_id: str) -> Closure | None:
    """The newest end of a Goal that nothing undid."""
    log = state.closure(goal_id)
    return next((each for each in reversed(log.entries if log else ()) if each.stands), None)


def closed_with(state: State, goal: Goal, entry: Closure, command: CloseGoal) -> list[Change] | Refused:
    """What ending ``goal`` as ``entry`` tells writes: its status, its record, and the monitors that only watched."""
    change = move(goal, GoalStatus.CLOSED, command.name, outcome=entry.outcome, reason=entry.reason)
    if isinstance(change, Refused):
        return change
    log = state.closure(goal.id)
    record = ClosureLog(entries=(*(log.entries if log else ()), entry), goal=goal.id)
    retired = _retired(state, goal, command)
    return retired if isinstance(retired, Refused) else [change, Record(record), *retired]


def basis(found: Audit) -> tuple[AuditCount, ...]:
    """An audit as a closure keeps it."""
    return tuple(AuditCount(name=each.key, count=len(each.items)) for each in (*found.lines, *found.others))


def is_retired_by_closing(todo: Todo | None) -> bool:
    """Whether ``todo`` is a monitor that only watches, and so ends with its Goal."""
    if todo is None or todo.status.is_closed:
        return False
    return todo.todo_class is TodoClass.MONITOR and todo.watch_only


def answer(
    command: Command, context: Context, goal: Goal, changes: Sequence[Change], result: dict[str, Any], body: str = ""
) -> Outcome:
    """Yes, with ``result`` in the receipt."""
    return accepted(
        command,
        context,
        subject=f"goal {goal.id}",
        goal=goal.id,
        headline=headline("goal", command.name.split()[1], goal.id, goal.title),
        changes=changes,
        body=body,
        result={"id": goal.id, **result, "already": not changes},
    )


def _ended(state: State, goal: Goal, outcome: GoalOutcome, command: CloseGoal, context: Context) -> Outcome:
    refused = _bad_words(outcome, command) or _not_active(goal, command)
    if refused:
        return refused
    found = audit(state, goal, context.now)
    refused = _not_clean(goal, found) or _not_achieved(state, goal, outcome, context)
    if refused:
        return refused
    entry = Closure(
        outcome=outcome,
        at=stamp(context),
        by=str(context.actor),
        operation=context.operation,
        reason=command.reason.strip() if command.reason else None,
        basis=basis(found),
    )
    changes = closed_with(state, goal, entry, command)
    if isinstance(changes, Refused):
        return changes
    retired = [each.id for each in changes if isinstance(each, Update) and each.id != goal.id]
    result = {"status": GoalStatus.CLOSED.value, "outcome": outcome.value, "retired": retired}
    return answer(command, context, goal, changes, result, _told(entry))


def _bad_words(outcome: GoalOutcome, command: CloseGoal) -> Refused | None:
    if command.compensations or command.compensate_in is not None:
        message = "Only a Goal that is abandoned leaves effects for others to make good."
        return refuse("field-value", message, "Leave --compensate and --in out.", field="compensations")
    if outcome is GoalOutcome.NO_FOLLOWUP:
        return bad_reason(command.reason)
    return bad_line(command.reason, "reason") if command.reason is not None else None


def _not_active(goal: Goal, command: CloseGoal) -> Refused | None:
    """Pausing or stopping a Goal is no completion, and only active ones complete."""
    if goal.status is GoalStatus.ACTIVE:
        return None
    found = move(goal, GoalStatus.CLOSED, command.name)
    if isinstance(found, Refused):
        return found
    message = f"Goal {goal.id} is {goal.status}, which is no end: only an active one ends as {command.outcome}."
    hint = f"Activate it with `loopx goal activate {goal.id}`, or give it up with --as abandoned."
    return refuse("transition-illegal", message, hint, field="status", id=goal.id, status=goal.status.value)


def _not_clean(goal: Goal, found: Audit) -> Refused | None:
    """The refusal that names every line in the way with its count, and the first item with its next step."""
    failing = [each for each in (*found.lines, *found.others) if not each.holds]
    if not failing:
        return None
    first = failing[0].items[0]
    message = f"Goal {goal.id} is not finished: {'; '.join(map(_failing, failing[:4]))}{_more(failing[4:])}."
    hint = f"`loopx goal audit {goal.id}` lists everything. First {first.id}: {first.next_step}"
    counts = {each.key: len(each.items) for each in failing}
    return refuse("goal-not-closable", message, hint, goal=goal.id, failing=counts)


def _failing(line: AuditLine) -> str:
    name = line.name.removesuffix(" = 0")
    return f"{name} {len(line.items)} ({cut(line.items[0].id, 40)})"


def _more(failing: Sequence[AuditLine]) -> str:
    return f"; and {len(failing)} more lines" if failing else ""


def _not_achieved(state: State, goal: Goal, outcome: GoalOutcome, context: Context) -> Refused | None:
    """An achievement rests on a criterion met by evidence: not on there being none, nor on their being waived."""
    if outcome is not GoalOutcome.ACHIEVED:
        return None
    if any(criterion_status(state, goal, each) is CriterionStatus.MET for each in goal.acceptance):
        return None
    why = "all its criteria are waived" if goal.acceptance else "it has no acceptance criteria"
    return refuse("goal-not-achieved", f"Nothing shows that {goal.id} was achieved: {why}.", goal=goal.id)


def _retired(state: State, goal: Goal, command: CloseGoal) -> list[Change] | Refused:
    """The monitors that only watch end with their Goal. Whoever claims one loses nothing: nobody works on it."""
    found: list[Change] = []
    for each in state.todos(goal.id):
        if is_retired_by_closing(each):
            reason = f"Watching ended with the Goal, which was closed as {command.outcome}."
            change = move(each, TodoStatus.CANCELLED, command.name, reason=reason, resume_when=None)
            if isinstance(change, Refused):
                return change
            found.append(change)
    return found


def _undone(state: State, goal: Goal, context: Context, reason: str) -> list[Record]:
    log = state.closure(goal.id)
    if log is None:
        return []
    marks: dict[str, Any] = {"reopened_at": stamp(context), "reopened_by": str(context.actor), "reopen_reason": reason}
    entries = tuple(replace(each, **marks) if each.stands else each for each in log.entries)
    return [Record(ClosureLog(entries=entries, goal=goal.id))]


def _told(entry: Closure) -> str:
    """What the commit says beyond its subject."""
    counts = ", ".join(f"{each.name} {each.count}" for each in entry.basis)
    return "\n".join(each for each in (entry.reason or "", f"Terminal audit: {counts}.") if each)
