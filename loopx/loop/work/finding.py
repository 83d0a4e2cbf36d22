"""Which plan a Todo is carried out by, which Todo a request means, and whether the kernel's decision lets it begin.

Pure look-ups over one state; called by :mod:`loopx.loop.work.running`, and by the command line for its dry runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from loopx.errors import LoopxError
from loopx.kernel.claims import PERSON_PREFIX
from loopx.kernel.decision.deciding import next_action
from loopx.kernel.decision.record import Decision, Mode
from loopx.kernel.plans.finding import find_run, plan_of_todo
from loopx.kernel.plans.planning import over
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_goal, find_todo, folded_name
from loopx.kernel.wording import quoted
from loopx.model.gate import GateStatus
from loopx.model.ids import RUN, TODO, folded
from loopx.model.todo import TodoStatus
from loopx.model.turn import TurnStatus

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from loopx.kernel.state import State
    from loopx.model.actor import Actor
    from loopx.model.gate import Gate
    from loopx.model.plan import PlanDocument
    from loopx.model.run import RunRecord
    from loopx.model.todo import Todo

T = TypeVar("T")

_LETS_A_NAMED_ONE = frozenset(
    {Mode.DELIVER, Mode.SETTLE, Mode.OBSERVE, Mode.ASK_USER, Mode.WAIT, Mode.WAIT_FOR_PEERS, Mode.REPAIR_CAPABILITY}
)
"""Decisions about a Goal that speak against no Todo in particular: whether the one that was named may begin is then
for the guards of its turn to say."""

_ANSWERED = frozenset({GateStatus.APPROVED, GateStatus.REJECTED, GateStatus.WITHDRAWN})


class Target(NamedTuple):
    """What a request means: a Goal whose decision chooses, or one Todo, perhaps by one plan of it."""

    goal: str
    todo: Todo | None = None
    plan: PlanDocument | None = None


def target_of(state: State, typed: str) -> Target:
    """What ``typed`` names: a Goal, a Todo, or a run. Raises what speaks of an id that is unknown or ambiguous."""
    if state.goal(folded_name(typed)) is not None:
        return Target(folded_name(typed))
    if folded(typed).startswith(f"{TODO}-"):
        todo = _found(find_todo(state, typed))
        return Target(todo.goal, todo)
    found = find_run(state, typed)
    if isinstance(found, Refused):
        goal = find_goal(state, typed)
        if found.code != "id-ambiguous" and not folded(typed).startswith(f"{RUN}-"):
            return Target(_found(goal).id)
        raise LoopxError.of(found.problem)
    return Target(found.goal, _found(find_todo(state, found.todo)), found)


def plan_of(state: State, todo: Todo) -> PlanDocument:
    """The plan to carry ``todo`` out by: of the run that is on, else the one that nobody began. Raises ``run-unknown``
    where there is none, ``run-over`` where its last run has ended, and ``id-ambiguous`` where several are fresh."""
    plan = _found(plan_of_todo(state, todo.id))
    run = state.run(plan.run)
    if run is not None and run.status.is_terminal:
        raise LoopxError.of(over(run).problem)
    return plan


def unsettled(state: State, todo: Todo, holder: str) -> PlanDocument | None:
    """The plan of a run that has ended and whose turn was never settled: its process ended in between."""
    for run in state.runs_of(todo.id):
        turn = state.turn(run.turn) if run.status.is_terminal and run.turn is not None else None
        if turn is not None and turn.agent == holder and turn.status is TurnStatus.OPEN:
            return state.plan(run.id)
    return None


def asked_by(state: State, run: str, todo: Todo) -> Gate | None:
    """The Gate of ``run`` that its deferred Todo waits for; ``None`` where it waits for none of this run's."""
    name, _, identity = (todo.resume_when or "").partition(":")
    if todo.status is not TodoStatus.DEFERRED or name != "gate_approved":
        return None
    gate, plan = state.gate(identity), state.plan(run)
    if gate is None or plan is None:
        return None
    record = state.run(run)
    target = gate.scope.rpartition(":")[2]
    is_its_own = target == run or target.startswith(f"{run}/") or (record is not None and record.gate == gate.id)
    return gate if is_its_own or any(gate.scope in each.requires for each in plan.steps) else None


def is_answered(state: State, todo: Todo) -> bool:
    """Whether ``todo`` waits for a question of a run of its own that was answered, either way: whoever carries the run
    on next finds the answer, and an answer no decision waits for any more ends the run."""
    asked = (asked_by(state, each.id, todo) for each in state.runs_of(todo.id) if not each.status.is_terminal)
    return any(each is not None and each.status in _ANSWERED for each in asked)


def refuse_ended(state: State, target: Target, holder: str) -> None:
    """Raise ``todo-closed`` or ``run-over`` where nothing is left to carry out of the Todo or run that was named."""
    todo, plan = target.todo, target.plan
    if todo is None or unsettled(state, todo, holder) is not None:
        return
    run = state.run(plan.run) if plan is not None else None
    if run is not None and run.status.is_terminal:
        raise LoopxError.of(over(run).problem)
    if todo.status.is_closed:
        message = f"{todo.id} {quoted(todo.title)} is {todo.status}; nothing is left to carry out."
        raise LoopxError("todo-closed", message, facts={"todo": todo.id, "status": todo.status.value})


def left(state: State) -> list[tuple[Todo, PlanDocument]]:
    """Todos whose run has not ended, or has and was never settled, with its plan: left by a process that ended, or on
    purpose."""
    found = []
    for run in (*state.open_runs(), *_ended_in_open_turns(state)):
        todo, plan = state.todo(run.todo), state.plan(run.id)
        if todo is not None and plan is not None:
            found.append((todo, plan))
    return found


def _ended_in_open_turns(state: State) -> Iterator[RunRecord]:
    for turn in state.open_turns():
        runs = state.runs_of(turn.todo) if turn.todo is not None else ()
        yield from (each for each in runs if each.turn == turn.id and each.status.is_terminal)


def decided(state: State, target: Target, actor: Actor, now: datetime, revision: str | None) -> Decision:
    """The kernel's decision about the Goal of ``target``. Raises what keeps it from deciding."""
    return _found(next_action(state, target.goal, actor, now, revision))


def chosen(state: State, target: Target, decision: Decision) -> Todo | None:
    """The Todo to carry out now; ``None`` where the decision calls for something else."""
    if target.todo is not None:
        # what is owed keeps an agent from other work; a person who names a Todo has weighed that
        is_weighed = decision.mode is Mode.REPLAN and decision.agent.startswith(PERSON_PREFIX)
        may = is_weighed or decision.mode in _LETS_A_NAMED_ONE or is_answered(state, target.todo)
        return target.todo if may else None
    if decision.mode is Mode.REPLAN and (answered := _answered(state, target.goal)) is not None:
        return answered
    selected = decision.selected
    if selected is None or decision.mode not in (Mode.DELIVER, Mode.SETTLE):
        return None
    if selected.kind == "todo":
        return state.todo(selected.id) if decision.mode is Mode.DELIVER else None
    turn = state.turn(selected.id) if selected.kind == "turn" else None
    todo = state.todo(turn.todo) if turn is not None and turn.todo is not None else None
    return todo if todo is not None and _is_underway(state, todo) else None


def _answered(state: State, goal: str) -> Todo | None:
    waiting = state.todos(goal, (TodoStatus.DEFERRED,))
    return next((each for each in waiting if is_answered(state, each)), None)


def _is_underway(state: State, todo: Todo) -> bool:
    return any(not each.status.is_terminal for each in state.runs_of(todo.id))


def _found(answer: T | Refused) -> T:
    if isinstance(answer, Refused):
        raise LoopxError.of(answer.problem)
    return answer
