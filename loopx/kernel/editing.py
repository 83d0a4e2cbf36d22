"""Editing the fields people own on a Todo, by command and (through :func:`judge_edit`) by hand.

Whatever guards a Todo may be tightened by anybody and loosened by a person only.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

from loopx.errors import Problem
from loopx.kernel.adding import bad_validation
from loopx.kernel.authority import person_only
from loopx.kernel.commands import EditTodo
from loopx.kernel.context import Context
from loopx.kernel.fencing import closed
from loopx.kernel.outcome import Outcome, Refused
from loopx.kernel.rebinding import changed_fields, edited, named_fields, rebound
from loopx.kernel.references import bad_references, read_criteria, read_todos
from loopx.kernel.resolve import find_todo
from loopx.kernel.state import State
from loopx.kernel.texts import read_scopes
from loopx.kernel.watching import bad_monitor
from loopx.kernel.wording import listed, refuse
from loopx.model.todo import Todo

_ONLY_TIGHTER = ("depends_on", "requires", "excluded_agents")
"""Lists that guard a Todo: taking something out loosens it."""
_WHEN_CLOSED = frozenset({"title", "priority", "tags", "body", "reason", "repository"})
"""What may still be corrected on a Todo that is done, superseded or cancelled."""


def edit(state: State, command: EditTodo, context: Context) -> Outcome:
    """Change fields; ids in lists may be shortened, as everywhere."""
    before = find_todo(state, command.todo)
    if isinstance(before, Refused):
        return before
    after = _edited(state, before, command)
    if isinstance(after, Refused):
        return after
    notices = judge_edit(state, before, after, context)
    if isinstance(notices, Refused):
        return notices
    return edited(command, context, before, after, notices)


def judge_edit(state: State, before: Todo, after: Todo, context: Context) -> Refused | list[Problem]:
    """Whether the actor may turn ``before`` into ``after``, lifecycle apart; notices when so."""
    changed = set(changed_fields(before, after)) - {"status", "claimed_by"}
    if before.status.is_closed and after.status.is_closed and changed - _WHEN_CLOSED:
        field = sorted(changed - _WHEN_CLOSED)[0]
        return replace(closed(before), facts={"todo": before.id, "field": field})
    refused = _loosened(state, before, after, context) or _bad_values(state, after, changed)
    if refused:
        return refused
    return equal_titles(state, after) if "title" in changed else []


def loosened_fields(before: Todo, after: Todo) -> list[str]:
    """The fields in which ``after`` is less guarded than ``before``."""
    found = [name for name in _ONLY_TIGHTER if set(getattr(before, name)) - set(getattr(after, name))]
    if before.validation is not None and before.validation != after.validation:
        found.append("validation")
    if before.write_scopes and not (after.write_scopes and set(after.write_scopes) <= set(before.write_scopes)):
        found.append("write_scopes")
    if before.todo_class is not after.todo_class:
        found.append("todo_class")
    return found


def equal_titles(state: State, todo: Todo) -> list[Problem]:
    """A notice when another open Todo of the Goal has the same title."""
    others = [each.id for each in state.open_todos_titled(todo.goal, todo.title) if each.id != todo.id]
    if not others or todo.status.is_closed:
        return []
    message = f"{todo.id} has the same title as {listed(others)}."
    return [Problem("title-equal", message, facts={"todo": todo.id, "same": others[:5]})]


def _edited(state: State, before: Todo, command: EditTodo) -> Todo | Refused:
    fields = named_fields(before, command.fields)
    for name in (*command.add, *command.remove):
        items = _merged(before, fields, name, command)
        if isinstance(items, Refused):
            return items
        fields[name] = items
    resolved = _resolved(state, before, fields)
    if isinstance(resolved, Refused):
        return resolved
    after = rebound(before, resolved) if resolved else before
    if isinstance(after, Refused) or command.body is None:
        return after
    return replace(after, body=command.body)


def _merged(before: Todo, fields: dict[str, Any], name: str, command: EditTodo) -> list[Any] | Refused:
    """A list field with items added and taken out, each item once."""
    now = fields.get(name, getattr(before, name, None))
    if not isinstance(now, (list, tuple)):
        return refuse("field-value", f"{name} is not a list.", "Set it as a whole.", field=name)
    gone = set(command.remove.get(name, ()))
    kept = [each for each in now if each not in gone]
    return [*kept, *(each for each in dict.fromkeys(command.add.get(name, ())) if each not in kept)]


def _resolved(state: State, before: Todo, fields: dict[str, Any]) -> dict[str, Any] | Refused:
    """``fields`` with the ids and scopes that people may write short in their one written form."""
    goal = state.goal(before.goal)
    readers: dict[str, Any] = {
        "depends_on": lambda typed: read_todos(state, typed),
        "requires": lambda typed: read_scopes(typed, "requires"),
        "acceptance": lambda typed: read_criteria(goal, typed) if goal else tuple(typed),
    }
    found = dict(fields)
    for name, read in readers.items():
        if not _is_texts(found.get(name)):
            continue
        items = read(found[name])
        if isinstance(items, Refused):
            return items
        found[name] = list(items)
    return found


def _is_texts(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(each, str) for each in value)


def _loosened(state: State, before: Todo, after: Todo, context: Context) -> Refused | None:
    found = loosened_fields(before, after)
    if not found:
        return None
    refused = person_only(state, context, f"loosening {listed(found)} of {before.id}")
    return replace(refused, facts={**refused.facts, "field": found[0]}) if refused else None


def _bad_values(state: State, after: Todo, changed: Set[str]) -> Refused | None:
    goal = state.goal(after.goal)
    if goal is None:
        return refuse("goal-unknown", f"There is no Goal {after.goal}.", goal=after.goal)
    if "validation" in changed and (refused := bad_validation(after.validation)):
        return refused
    return bad_monitor(after, changed) or bad_references(state, after, goal, changed)
