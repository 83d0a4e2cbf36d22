"""The verbs that hold a Todo, put it aside and back: claim, unclaim, block, defer, resume, archive."""

from __future__ import annotations

from typing import Any

from loopx.kernel.answering import accepted, headline, stamp
from loopx.kernel.claims import holder, holder_name
from loopx.kernel.commands import ArchiveTodo, BlockTodo, ClaimTodo, Command, DeferTodo, ResumeTodo, UnclaimTodo
from loopx.kernel.conditions import read_condition
from loopx.kernel.context import Context
from loopx.kernel.fencing import closed, excluded, held_by_another
from loopx.kernel.lease_standing import live_lease
from loopx.kernel.outcome import Archive, Change, Outcome, Refused, Update
from loopx.kernel.proving import with_the_lease
from loopx.kernel.resolve import find_todo
from loopx.kernel.state import State
from loopx.kernel.texts import bad_reason
from loopx.kernel.transitions import move, update
from loopx.kernel.wording import quoted, refuse
from loopx.model.kind import Kind
from loopx.model.todo import Todo, TodoStatus


def claim(state: State, command: ClaimTodo, context: Context) -> Outcome:
    """Say that the actor means to do it. One holder at a time; the first keeps it until its claim lapses."""
    todo = _unclosed(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    if refused := excluded(todo, context.actor) or held_by_another(state, todo, context):
        return refused
    return _answer(command, context, todo, update(todo, **claimed(state, todo, holder_name(context.actor), context)))


def unclaim(state: State, command: UnclaimTodo, context: Context) -> Outcome:
    """Give a claim up. A person may give up anybody's, an agent its own; one that goes with a live lease stays."""
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    lease = live_lease(state, todo.id, context.now)
    if lease is not None and lease.owner == todo.claimed_by:
        return with_the_lease(todo, lease, context)
    if not context.actor.is_human and (refused := held_by_another(state, todo, context)):
        return refused
    return _answer(command, context, todo, update(todo, claimed_by=None, claimed_at=None))


def block(state: State, command: BlockTodo, context: Context) -> Outcome:
    """Say that it cannot go on, and why."""
    todo = _touchable(state, command.todo, context)
    if isinstance(todo, Refused):
        return todo
    if refused := bad_reason(command.reason):
        return refused
    reason = command.reason.strip()
    change = _moved(todo, TodoStatus.BLOCKED, command.name, reason=reason, resume_when=None)
    return change if isinstance(change, Refused) else _answer(command, context, todo, change, body=reason)


def defer(state: State, command: DeferTodo, context: Context) -> Outcome:
    """Put it off until a condition comes true."""
    todo = _touchable(state, command.todo, context)
    if isinstance(todo, Refused):
        return todo
    condition = read_condition(state, command.until, todo.id)
    if isinstance(condition, Refused):
        return condition
    change = _moved(todo, TodoStatus.DEFERRED, command.name, resume_when=condition, reason=None)
    if isinstance(change, Refused):
        return change
    return _answer(command, context, todo, change, body=f"Until {condition}.")


def resume(state: State, command: ResumeTodo, context: Context) -> Outcome:
    """Put blocked or deferred work back among the open."""
    todo = _touchable(state, command.todo, context)
    if isinstance(todo, Refused):
        return todo
    change = _moved(todo, TodoStatus.OPEN, command.name, resume_when=None, reason=None)
    return change if isinstance(change, Refused) else _answer(command, context, todo, change)


def archive(state: State, command: ArchiveTodo, context: Context) -> Outcome:
    """Move a closed Todo out of the working folder."""
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    if not todo.status.is_closed:
        message = f"{todo.id} {quoted(todo.title)} is {todo.status}."
        return refuse("todo-not-closed", message, todo=todo.id, status=todo.status.value)
    return _answer(command, context, todo, Archive(Kind.TODO, todo.goal, todo.id, stamp(context)))


def claimed(state: State, todo: Todo, name: str, context: Context) -> dict[str, Any]:
    """The fields that make ``todo`` claimed by ``name``; a claim it holds already keeps its time."""
    still_holds = todo.claimed_at is not None and holder(state, todo, context.now) == name
    return {"claimed_by": name, "claimed_at": todo.claimed_at if still_holds else stamp(context)}


def _unclosed(state: State, typed: str) -> Todo | Refused:
    todo = find_todo(state, typed)
    if isinstance(todo, Refused):
        return todo
    return closed(todo) if todo.status.is_closed else todo


def _touchable(state: State, typed: str, context: Context) -> Todo | Refused:
    """The Todo ``typed`` names, unless it is closed or, for an agent, claimed by another."""
    todo = _unclosed(state, typed)
    if isinstance(todo, Refused) or context.actor.is_human:
        return todo
    return held_by_another(state, todo, context) or todo


def _moved(todo: Todo, to: TodoStatus, command: str, **values: str | None) -> Update | Refused:
    """The change to ``to``; where that is the status already, the new reason or condition alone."""
    return update(todo, **values) if todo.status is to else move(todo, to, command, **values)


def _answer(command: Command, context: Context, todo: Todo, change: Change, body: str = "") -> Outcome:
    is_nothing = isinstance(change, Update) and not change.fields
    changed = change.fields if isinstance(change, Update) else {}
    return accepted(
        command,
        context,
        subject=f"todo {todo.id}",
        goal=todo.goal,
        headline=headline("todo", command.name.split()[1], todo.id, todo.title),
        changes=[] if is_nothing else [change],
        body=body,
        result={
            "id": todo.id,
            "status": str(changed.get("status", todo.status)),
            "claimed_by": changed.get("claimed_by", todo.claimed_by),
            "already": is_nothing,
        },
    )
