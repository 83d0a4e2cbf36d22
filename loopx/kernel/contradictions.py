"""Where a document's stored status says one thing and the record that owns the fact says another.

Read by ``loopx doctor``. What counts is always what the record says, by the rules of the modules that judge it; nothing
here changes either side or decides which act would mend it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from loopx.kernel.standing import last_decision
from loopx.kernel.support import standing_completion
from loopx.kernel.wording import quoted
from loopx.model.defining import dataclass
from loopx.model.gate import GateStatus
from loopx.model.goal import GoalStatus
from loopx.model.kind import Kind
from loopx.model.lease import LeaseStatus
from loopx.model.todo import TodoStatus

if TYPE_CHECKING:
    from loopx.kernel.state import State
    from loopx.model.closure import Closure
    from loopx.model.gate import Gate
    from loopx.model.goal import Goal
    from loopx.model.lease import Lease
    from loopx.model.records import Completion
    from loopx.model.todo import Todo


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One document that contradicts the record that owns the fact. ``why`` is one sentence, ``next_step`` another."""

    kind: Kind
    id: str
    goal: str
    owner: Kind
    """The kind of the record that owns the fact; its identity is the document's own."""
    why: str
    next_step: str


def contradictions(state: State, now: datetime, goal: str | None = None) -> Iterator[Contradiction]:
    """Every contradiction in the workspace, or in one Goal."""
    for each in state.goals():
        if goal is None or each.id == goal:
            yield from _of_goal(state, each)
    for todo in state.todos(goal, [TodoStatus.DONE]):
        yield from _of_done(state, todo)
    yield from _completed_yet_not_done(state, goal)
    for gate in state.gates(goal):
        yield from _of_gate(state, gate)
    for lease in state.leases(goal, [LeaseStatus.ACTIVE]):
        yield from _of_lease(state, lease, now)


def _of_goal(state: State, goal: Goal) -> Iterator[Contradiction]:
    log = state.closure(goal.id)
    standing = _newest_standing(log.entries if log else ())
    if goal.status is GoalStatus.CLOSED and standing is None:
        why = f"Goal {goal.id} reads closed, and no end of it stands on record."
        step = (
            f"A person runs `loopx goal reopen {goal.id}`, then closes it when `loopx goal audit {goal.id}` is clean."
        )
        yield Contradiction(Kind.GOAL, goal.id, goal.id, Kind.CLOSURE, why, step)
    elif goal.status is not GoalStatus.CLOSED and standing is not None:
        why = f"Goal {goal.id} reads {goal.status}, and its end of {standing.at:%Y-%m-%d} ({standing.outcome}) stands."
        step = f"A person decides which of the two is meant: look at `loopx log {goal.id}`."
        yield Contradiction(Kind.GOAL, goal.id, goal.id, Kind.CLOSURE, why, step)
    elif standing is not None and goal.outcome is not standing.outcome:
        why = f"Goal {goal.id} reads {goal.outcome or 'without an outcome'}, and was closed as {standing.outcome}."
        step = f"A person runs `loopx goal reopen {goal.id}` and closes it again."
        yield Contradiction(Kind.GOAL, goal.id, goal.id, Kind.CLOSURE, why, step)


def _newest_standing(entries: Sequence[Closure]) -> Closure | None:
    return next((each for each in reversed(entries) if each.stands), None)


def _of_done(state: State, todo: Todo) -> Iterator[Contradiction]:
    if standing_completion(state, todo) is None:
        why = f"{todo.id} {quoted(todo.title)} reads done, and no completion of it stands on record."
        step = f"A person runs `loopx todo reopen {todo.id}`; then it is completed like any other."
        yield Contradiction(Kind.TODO, todo.id, todo.goal, Kind.COMPLETION, why, step)


def _completed_yet_not_done(state: State, goal: str | None) -> Iterator[Contradiction]:
    """Todos that are not done although nothing undid their last completion."""
    for todo in state.todos(goal, [each for each in TodoStatus if each is not TodoStatus.DONE]):
        log = state.completions(todo.id)
        completion: Completion | None = (
            next((each for each in reversed(log.entries) if each.stands), None) if log else None
        )
        if completion is not None:
            why = f"{todo.id} {quoted(todo.title)} reads {todo.status}, and was completed by {completion.by}."
            step = f"A person decides which is meant: `loopx log {todo.id}` tells how it came to this."
            yield Contradiction(Kind.TODO, todo.id, todo.goal, Kind.COMPLETION, why, step)


def _of_gate(state: State, gate: Gate) -> Iterator[Contradiction]:
    decision = last_decision(state, gate)
    recorded = GateStatus.OPEN if decision is None else decision.status
    if gate.status is recorded:
        return
    said = "nobody has decided it" if decision is None else f"{decision.by} decided {decision.status}"
    why = f"Gate {gate.id} {quoted(gate.question)} reads {gate.status}, and on record {said}."
    step = f"A person answers it again: `loopx gate show {gate.id}`."
    yield Contradiction(Kind.GATE, gate.id, gate.goal, Kind.DECISION, why, step)


def _of_lease(state: State, lease: Lease, now: datetime) -> Iterator[Contradiction]:
    from loopx.kernel.lease_standing import live_lease

    todo = state.todo(lease.todo)
    if todo is None or live_lease(state, lease.todo, now) is None:
        return
    if todo.status.is_closed:
        why = f"{todo.id} {quoted(todo.title)} is {todo.status}, and the lease of {lease.owner} on it still lives."
        step = f"{lease.owner} or an operator runs `loopx lease release {todo.id}`."
    elif todo.claimed_by is not None and todo.claimed_by != lease.owner:
        why = f"{todo.id} {quoted(todo.title)} is claimed by {todo.claimed_by}, and {lease.owner} holds its lease."
        step = f"{lease.owner} goes on, or hands over with `loopx lease transfer {todo.id}`."
    else:
        return
    yield Contradiction(Kind.TODO, todo.id, todo.goal, Kind.LEASE, why, step)
