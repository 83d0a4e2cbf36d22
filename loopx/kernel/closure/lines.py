"""The eight lines of the terminal audit, one function each: what is in the way of an end, over the whole state.

:mod:`loopx.kernel.closure.audit` puts them in their table. What cannot be known is an item like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from loopx.kernel.cadence import monitor_standing
from loopx.kernel.closure.record import AuditItem
from loopx.kernel.criteria import criterion_standing
from loopx.kernel.decision.commanding import quote
from loopx.kernel.effects import open_postconditions
from loopx.kernel.obligations.deriving import obligations
from loopx.kernel.obligations.record import Obligation, ObligationKind
from loopx.kernel.readbacks import stale
from loopx.kernel.standing import gate_standing
from loopx.kernel.state import State
from loopx.kernel.support import criterion_subject
from loopx.kernel.wording import quoted
from loopx.model.gate import DecisionScope, Gate, GateStatus
from loopx.model.goal import Criterion, Goal
from loopx.model.records import CriterionStatus
from loopx.model.todo import Todo, TodoClass, TodoStatus

Items = Iterator[AuditItem]

UNCLOSED = frozenset(each for each in TodoStatus if not each.is_closed)
_CLOSED = frozenset(TodoStatus) - UNCLOSED
_WAITING = (GateStatus.OPEN, GateStatus.DEFERRED)


def open_todos(state: State, goal: Goal, now: datetime) -> Items:
    """Todos of any class but monitor that are not done, superseded or cancelled: blocked and deferred ones too."""
    for each in state.todos(goal.id, UNCLOSED):
        if each.todo_class is not TodoClass.MONITOR:
            why = f"It is {each.status}."
            yield AuditItem(each.id, each.title, why, _finish(each))


def due_monitors(state: State, goal: Goal, now: datetime) -> Items:
    """Monitors whose time to be looked at has come."""
    for each in state.todos(goal.id, {TodoStatus.OPEN}):
        if each.todo_class is TodoClass.MONITOR and (found := monitor_standing(state, each, now)).is_due:
            step = f"loopx monitor poll {each.id} --target {quote(each.target or '…')} --seen …"
            yield AuditItem(each.id, each.title, found.why, step)


def unresolved_blocking_gates(state: State, goal: Goal, now: datetime) -> Items:
    """Questions nobody answered, and approvals that no longer cover work of this Goal that rests on them."""
    for each in state.gates(goal.id):
        found = gate_standing(state, each, now)
        if _is_needed(state, goal, each) if found.needs_reassessment else found.status in _WAITING:
            yield AuditItem(each.id, each.question, found.why, f"loopx gate show {each.id}")


def pending_successors(state: State, goal: Goal, now: datetime) -> Items:
    """What closed work and monitors left to others and is not closed, and work that owes a successor."""
    told: set[str] = set()
    for named, by in _carried_on(state, goal):
        todo = state.todo(named)
        if named in told or (todo is not None and todo.status.is_closed):
            continue
        told.add(named)
        if todo is None:
            yield AuditItem(named, "", f"It carries on {by} and cannot be found.", f"loopx todo show {by}")
        else:
            yield AuditItem(named, todo.title, f"It carries on {by} and is {todo.status}.", _finish(todo))
    yield from obliged(state, goal, now, frozenset({ObligationKind.SUCCESSOR}))


def replan_obligations(state: State, goal: Goal, now: datetime) -> Items:
    """Replans that are armed and not discharged."""
    yield from obliged(state, goal, now, frozenset({ObligationKind.REPLAN}))


def acceptance_gaps(state: State, goal: Goal, now: datetime) -> Items:
    """Criteria that are neither met on evidence that still applies nor waived."""
    for each in goal.acceptance:
        found = criterion_standing(state, goal, each, now)
        if found.status is CriterionStatus.OPEN:
            step = f"loopx goal meet {goal.id} {each.id} --evidence …"
            yield AuditItem(each.id, each.text, found.why, step)


def retryable_postconditions(state: State, goal: Goal, now: datetime) -> Items:
    """What must hold after a committed effect and was not seen to hold."""
    for each in open_postconditions(state, goal.id):
        step = f"loopx effect confirm {each.effect.id} {each.number} --evidence …"
        why = f"After {quoted(each.effect.summary)} nobody saw it hold."
        yield AuditItem(f"{each.effect.id}#{each.number}", each.postcondition.text, why, step)


def external_readbacks(state: State, goal: Goal, now: datetime) -> Items:
    """Outside facts that criteria rest on and that nobody read lately enough. A waived criterion rests on nothing."""
    for each in goal.acceptance:
        if each.readback is None or criterion_standing(state, goal, each, now).status is CriterionStatus.WAIVED:
            continue
        why = stale(state, goal, each, now)
        if why is not None:
            yield AuditItem(each.id, each.text, why, not_read_step(goal, each))


def not_read_step(goal: Goal, criterion: Criterion) -> str:
    """What reads back the outside fact a criterion rests on."""
    if criterion.check is not None:
        return f"loopx goal check {goal.id} {criterion.id}"
    return f"loopx evidence add {criterion_subject(goal, criterion)} … --kind readback"


def obliged(state: State, goal: Goal, now: datetime, kinds: frozenset[ObligationKind]) -> Items:
    """Obligations of these kinds, whoever owes them."""
    for each in obligations(state, goal, now):
        if each.kind in kinds:
            yield _owed(each)


def _owed(obligation: Obligation) -> AuditItem:
    why = f"{obligation.trigger}; {obligation.owner} owes it. {obligation.message}"
    return AuditItem(obligation.id, ", ".join(obligation.subjects), why, obligation.discharged_by)


def _finish(todo: Todo) -> str:
    """The command that gets a Todo out of the way in its present status."""
    if todo.todo_class is TodoClass.MONITOR:
        return f"loopx todo cancel {todo.id} --reason …"
    verb = "done" if todo.status is TodoStatus.OPEN else "resume"
    return f"loopx todo {verb} {todo.id}"


def _is_needed(state: State, goal: Goal, gate: Gate) -> bool:
    """Whether work of ``goal`` that counts, done or not, requires what ``gate`` covers."""
    try:
        scope = DecisionScope.parse(gate.scope)
    except ValueError:
        return True
    counting = UNCLOSED | {TodoStatus.DONE}
    return any(_covers(scope, need) for each in state.todos(goal.id, counting) for need in each.requires)


def _covers(scope: DecisionScope, need: str) -> bool:
    try:
        return scope.covers(DecisionScope.parse(need))
    except ValueError:
        return False


def _carried_on(state: State, goal: Goal) -> Iterator[tuple[str, str]]:
    """Ids of what carries work on, with the id of what left it."""
    for todo in state.todos(goal.id, _CLOSED):
        for each in (*todo.successors, *todo.superseded_by):
            yield each, todo.id
    for todo in state.todos(goal.id):
        log = state.monitor(todo.id) if todo.todo_class is TodoClass.MONITOR else None
        for poll in log.recent if log else ():
            for each in poll.successors:
                yield each, todo.id
