"""Adding Todos: by command, as successors of finished work, and as heirs of superseded work."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import cast

from loopx.kernel.answering import accepted, fresh_id, headline, stamp
from loopx.kernel.commands import AddTodo
from loopx.kernel.context import Context
from loopx.kernel.outcome import Create, Outcome, Refused
from loopx.kernel.references import goal_taking_work, read_criteria, read_todos
from loopx.kernel.resolve import find_todo
from loopx.kernel.state import State
from loopx.kernel.texts import bad_agent, bad_line, bad_lines, read_instant, read_scopes
from loopx.kernel.watching import ONLY_MONITORS, bad_monitor
from loopx.kernel.wording import refuse
from loopx.model.goal import Goal
from loopx.model.ids import TODO, TODO_PATTERN, folded, normalised_title
from loopx.model.times import format_instant
from loopx.model.todo import Todo, TodoClass, Validation


def add(state: State, command: AddTodo, context: Context) -> Outcome:
    """Add a Todo, or point to the one of that title that is still open in the Goal."""
    goal = goal_taking_work(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    if refused := bad_line(command.title, "title") or bad_lines(command.tags, "tags"):
        return refused
    known = next(iter(state.open_todos_titled(goal.id, command.title)), None)
    todo = known or _made(state, command, context, goal)
    if isinstance(todo, Refused):
        return todo
    return accepted(
        command,
        context,
        subject=f"todo {todo.id}",
        goal=goal.id,
        headline=headline("todo", "add", todo.id, todo.title),
        changes=[] if known else [Create(todo)],
        result={"id": todo.id, "added": known is None},
    )


def named_or_new(
    state: State, context: Context, texts: Sequence[str], like: Todo, *, guards: bool
) -> tuple[list[Todo], list[Todo]] | Refused:
    """The Todos that ``texts`` name by id or title: first all of them, then those that had to be made.

    New ones take over the priority and criteria of ``like`` and, with ``guards``, everything that guarded it.
    """
    found: list[Todo] = []
    made: list[Todo] = []
    for text in texts:
        todo = _named(state, text) or _titled(state, context, text, like, made, guards)
        if isinstance(todo, Refused):
            return todo
        if todo.id in {each.id for each in found}:
            continue
        found.append(todo)
        if state.todo(todo.id) is None:
            made.append(todo)
    return found, made


def bad_validation(validation: Validation | None) -> Refused | None:
    """The refusal of a validation that names no program or leaves no time."""
    if validation is None:
        return None
    if not validation.argv or not all(each for each in validation.argv):
        return refuse("field-value", "A validation needs a program to run.", "Name one.", field="validation")
    if validation.timeout_seconds <= 0:
        return refuse("field-value", "A time limit is at least one second.", "Give more.", field="validation")
    return None


def _made(state: State, command: AddTodo, context: Context, goal: Goal) -> Todo | Refused:
    depends_on = read_todos(state, command.depends_on)
    if isinstance(depends_on, Refused):
        return depends_on
    acceptance = read_criteria(goal, command.acceptance)
    if isinstance(acceptance, Refused):
        return acceptance
    requires = read_scopes(command.requires, "requires")
    if isinstance(requires, Refused):
        return requires
    if refused := bad_validation(command.validation) or _bad_executor(command):
        return refused
    made = Todo(
        id=fresh_id(state, context, TODO),
        title=command.title.strip(),
        todo_class=command.todo_class,
        priority=command.priority,
        tags=command.tags,
        depends_on=depends_on,
        requires=requires,
        acceptance=acceptance,
        validation=command.validation,
        excluded_agents=tuple(dict.fromkeys(command.excluded_agents)),
        capabilities=tuple(dict.fromkeys(each.strip() for each in command.capabilities)),
        write_scopes=tuple(dict.fromkeys(each.strip() for each in command.write_scopes)),
        created_at=stamp(context),
        goal=goal.id,
        body=command.body,
    )
    return _watching(made, command, context)


def _bad_executor(command: AddTodo) -> Refused | None:
    """The refusal of what is said of who may do it, with what abilities, and where."""
    refused = bad_lines(command.capabilities, "capabilities") or bad_lines(command.write_scopes, "write_scopes")
    return refused or next((found for each in command.excluded_agents if (found := bad_agent(each))), None)


def _watching(made: Todo, command: AddTodo, context: Context) -> Todo | Refused:
    """``made`` with what it watches, where it is a monitor."""
    said = [each for each in ONLY_MONITORS if getattr(command, each)]
    if command.todo_class is not TodoClass.MONITOR:
        if not said:
            return made
        message = f"{said[0]} says something about a monitor, and this is none."
        return refuse("field-value", message, "Add it with --class monitor.", field=said[0])
    refused = next((found for each in ("target", "material") if (found := _bad_optional(command, each))), None)
    expires_at = read_instant(command.expires_at, "expires_at")
    if refused or isinstance(expires_at, Refused):
        return refused or cast("Refused", expires_at)
    if expires_at is not None and expires_at <= context.now:
        message = f"Watching would end at {format_instant(expires_at)}, which is over."
        return refuse("field-value", message, "Name a time to come.", field="expires_at")
    monitor = replace(
        made,
        target=command.target,
        cadence=command.cadence,
        expires_at=expires_at,
        material=command.material,
        watch_only=command.watch_only,
    )
    return bad_monitor(monitor, frozenset({"todo_class"})) or monitor


def _bad_optional(command: AddTodo, name: str) -> Refused | None:
    value = getattr(command, name)
    return bad_line(value, name) if value is not None else None


def _named(state: State, text: str) -> Todo | Refused | None:
    """The Todo whose id ``text`` has the form of; ``None`` for a title."""
    return find_todo(state, text) if re.fullmatch(TODO_PATTERN, folded(text)) else None


def _titled(
    state: State, context: Context, title: str, like: Todo, made: Sequence[Todo], guards: bool
) -> Todo | Refused:
    if refused := bad_line(title, "title"):
        return refused
    key = normalised_title(title)
    same = [each for each in (*made, *state.open_todos_titled(like.goal, title)) if normalised_title(each.title) == key]
    others = [each for each in same if each.id != like.id]
    return others[0] if others else _successor(state, context, title, like, {each.id for each in made}, guards)


def _successor(
    state: State, context: Context, title: str, like: Todo, taken: Collection[str], guards: bool
) -> Todo | Refused:
    goal = goal_taking_work(state, like.goal)
    if isinstance(goal, Refused):
        return goal
    known = {each.id for each in goal.acceptance}
    return Todo(
        id=fresh_id(state, context, TODO, taken),
        title=title.strip(),
        priority=like.priority,
        acceptance=tuple(each for each in like.acceptance if each in known),
        depends_on=like.depends_on if guards else (),
        requires=like.requires if guards else (),
        validation=like.validation if guards else None,
        excluded_agents=like.excluded_agents if guards else (),
        created_at=stamp(context),
        goal=goal.id,
    )
