"""The other ways out of open, and the way back: supersede, cancel, reopen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from loopx.errors import Problem
from loopx.kernel.adding import named_or_new
from loopx.kernel.answering import accepted, headline, stamp
from loopx.kernel.authority import is_operator
from loopx.kernel.commands import CancelTodo, Command, ReopenTodo, SupersedeTodo
from loopx.kernel.context import Context
from loopx.kernel.cycles import no_circle
from loopx.kernel.fencing import closed, fence
from loopx.kernel.lease_record import endings
from loopx.kernel.outcome import Accepted, Change, Create, Outcome, Record, Refused, Update
from loopx.kernel.proving import expected_version
from loopx.kernel.resolve import find_todo
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line, bad_reason
from loopx.kernel.transitions import move, update
from loopx.kernel.wording import listed, refuse
from loopx.model.goal import GoalStatus
from loopx.model.records import CompletionLog
from loopx.model.todo import Todo, TodoStatus


def supersede(state: State, command: SupersedeTodo, context: Context) -> Outcome:
    """Replace a Todo by others, which take on what it required; new ones take on everything that guarded it."""
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    if refused := _may_leave(state, todo, command, context) or _bad_heirs(command):
        return refused
    found = named_or_new(state, context, command.by, todo, guards=True)
    if isinstance(found, Refused):
        return found
    heirs, made = found
    if refused := _no_heir(state, todo, heirs):
        return refused
    return _superseded(state, command, context, todo, heirs, made)


def cancel(state: State, command: CancelTodo, context: Context) -> Outcome:
    """Give a Todo up, for a reason. An operator always may, so that nothing is stuck for ever."""
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    if todo.status is TodoStatus.CANCELLED:
        return _answer(command, context, todo, [], already=True)
    return judge_cancellation(state, todo, command, context)


def judge_cancellation(state: State, todo: Todo, command: CancelTodo, context: Context) -> Outcome:
    """Cancel ``todo`` as given: as it stands, or (a hand edit) as its file now reads."""
    refused = closed(todo) if todo.status.is_closed else bad_reason(command.reason)
    refused = refused or expected_version(todo, state.lease(todo.id), command.expect_lease_version)
    if refused is None and not is_operator(state, context.actor):
        refused = fence(state, todo, context, command.lease_key)
    if refused:
        return refused
    change = move(todo, TodoStatus.CANCELLED, command.name, reason=command.reason.strip(), resume_when=None)
    if isinstance(change, Refused):
        return change
    changes: list[Change] = [change, *endings(state, todo.id, context, "cancelled")]
    return _answer(command, context, todo, changes, body=command.reason, notices=_left_waiting(state, todo))


def reopen(state: State, command: ReopenTodo, context: Context) -> Outcome:
    """Take a closed Todo up again. Its completion stays on record, marked as undone."""
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    if refused := bad_reason(command.reason):
        return refused
    if todo.status is TodoStatus.OPEN:
        return _answer(command, context, todo, [], already=True)
    return judge_reopening(state, todo, command, context)


def judge_reopening(state: State, todo: Todo, command: ReopenTodo, context: Context) -> Outcome:
    """Reopen ``todo``, unclaimed: refused where it would now wait for itself, and in a Goal that is closed."""
    goal = state.goal(todo.goal)
    if goal is not None and goal.status is GoalStatus.CLOSED:
        return refuse("goal-closed", f"Goal {goal.id} is closed, and so is its work.", goal=goal.id)
    fresh: dict[str, Any] = {"reason": command.reason.strip(), "superseded_by": None}
    change = move(todo, TodoStatus.OPEN, command.name, **fresh, claimed_by=None, claimed_at=None)
    if isinstance(change, Refused):
        return change
    if refused := no_circle(state, todo.id, todo.depends_on):
        return refused
    changes: list[Change] = [change, *_released(state, todo), *_undone(state, todo, context)]
    return _answer(command, context, todo, changes, body=command.reason)


def _may_leave(state: State, todo: Todo, command: SupersedeTodo, context: Context) -> Refused | None:
    if todo.status.is_closed:
        return closed(todo)
    unexpected = expected_version(todo, state.lease(todo.id), command.expect_lease_version)
    return unexpected or fence(state, todo, context, command.lease_key)


def _bad_heirs(command: SupersedeTodo) -> Refused | None:
    if not command.by:
        return refuse("field-missing", "Nothing was named that replaces it.", "Name a Todo or a title with --by.")
    return bad_line(command.reason, "reason") if command.reason is not None else None


def _no_heir(state: State, todo: Todo, heirs: Sequence[Todo]) -> Refused | None:
    """The refusal of heirs that are closed, or that lead back to what they replace."""
    for each in heirs:
        if each.status.is_closed:
            return replace(closed(each), hint="Name a Todo that is still to be done, or the title of a new one.")
        if each.id == todo.id:
            return refuse("supersede-cycle", f"{todo.id} cannot replace itself.", cycle=[todo.id, todo.id])
    waiting = [dependency for each in heirs if state.todo(each.id) is None for dependency in each.depends_on]
    known = [each.id for each in heirs if state.todo(each.id) is not None]
    return no_circle(state, todo.id, (*known, *waiting), "supersede-cycle")


def _superseded(
    state: State, command: SupersedeTodo, context: Context, todo: Todo, heirs: Sequence[Todo], made: Sequence[Todo]
) -> Outcome:
    ids = tuple(each.id for each in heirs)
    change = move(todo, TodoStatus.SUPERSEDED, command.name, superseded_by=ids, reason=command.reason, resume_when=None)
    if isinstance(change, Refused):
        return change
    fresh = {each.id for each in made}
    changes: list[Change] = [change, *endings(state, todo.id, context, "superseded")]
    for each in heirs:
        if each.id in fresh:
            changes.append(Create(replace(each, supersedes=(todo.id,))))
        else:
            changes.append(_inherited(each, todo))
    return _answer(command, context, todo, changes, body=f"By {', '.join(ids)}.", by=list(ids))


def _inherited(heir: Todo, todo: Todo) -> Update:
    """What an heir that was there before takes on: the link back, and the decisions ``todo`` required."""
    requires = (*heir.requires, *(each for each in todo.requires if each not in heir.requires))
    supersedes = heir.supersedes if todo.id in heir.supersedes else (*heir.supersedes, todo.id)
    return update(heir, supersedes=supersedes, requires=requires)


def _left_waiting(state: State, todo: Todo) -> list[Problem]:
    waiting = [each for each in state.dependants(todo.id) if (found := state.todo(each)) and not found.status.is_closed]
    if not waiting:
        return []
    message = f"{listed(waiting)} still wait for {todo.id}, which was cancelled."
    return [Problem("dependency-dead", message, facts={"todos": waiting[:5]})]


def _released(state: State, todo: Todo) -> list[Update]:
    """The heirs of a superseded Todo lose the link back; what they took on stays theirs."""
    heirs = [found for each in todo.superseded_by if (found := state.todo(each)) is not None]
    return [
        update(each, supersedes=tuple(old for old in each.supersedes if old != todo.id))
        for each in heirs
        if todo.id in each.supersedes
    ]


def _undone(state: State, todo: Todo, context: Context) -> list[Record]:
    log = state.completions(todo.id)
    if log is None or not any(each.stands for each in log.entries):
        return []
    at = stamp(context)
    entries = tuple(replace(each, reopened_at=at) if each.stands else each for each in log.entries)
    return [Record(CompletionLog(todo=todo.id, entries=entries, goal=log.goal))]


def _answer(
    command: Command,
    context: Context,
    todo: Todo,
    changes: Sequence[Change],
    *,
    body: str = "",
    already: bool = False,
    notices: Sequence[Problem] = (),
    by: Sequence[str] = (),
) -> Accepted:
    result: dict[str, object] = {"id": todo.id, "already": already}
    if by:
        result["by"] = list(by)
    return accepted(
        command,
        context,
        subject=f"todo {todo.id}",
        goal=todo.goal,
        headline=headline("todo", command.name.split()[1], todo.id, todo.title),
        changes=changes,
        body=body,
        result=result,
        notices=notices,
    )
