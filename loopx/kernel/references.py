"""Whether what a Todo names is there: prerequisites, criteria, decision scopes. Adding, editing and hand edits ask.

``read_…`` functions turn what a command typed into full ids; :func:`bad_references` judges an entity whose ids are
already written out, as in a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace

from loopx.kernel.cycles import no_circle
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_criterion, find_goal, find_todo
from loopx.kernel.state import State
from loopx.kernel.texts import read_scopes
from loopx.kernel.wording import refuse
from loopx.model.goal import Goal, GoalStatus
from loopx.model.todo import Todo, TodoStatus


def goal_taking_work(state: State, typed: str) -> Goal | Refused:
    """The Goal ``typed`` names, if it may get new work."""
    goal = find_goal(state, typed)
    if isinstance(goal, Refused):
        return goal
    if goal.status in (GoalStatus.STOPPED, GoalStatus.CLOSED):
        return refuse("goal-closed", f"Goal {goal.id} is {goal.status} and takes no new work.", goal=goal.id)
    return goal


def read_todos(state: State, typed: Iterable[str]) -> tuple[str, ...] | Refused:
    """Full ids of the Todos ``typed`` names, each once, in the order given."""
    found: dict[str, None] = {}
    for each in typed:
        todo = find_todo(state, each)
        if isinstance(todo, Refused):
            return todo
        found[todo.id] = None
    return tuple(found)


def read_criteria(goal: Goal, typed: Iterable[str]) -> tuple[str, ...] | Refused:
    """Ids of the criteria of ``goal`` that ``typed`` names, each once."""
    found: dict[str, None] = {}
    for each in typed:
        criterion = find_criterion(goal, each)
        if isinstance(criterion, Refused):
            return criterion
        found[criterion.id] = None
    return tuple(found)


def bad_references(state: State, todo: Todo, goal: Goal, changed: Set[str]) -> Refused | None:
    """The first refusal of what the ``changed`` fields (attribute names) of ``todo`` refer to."""
    if "depends_on" in changed and (refused := _bad_prerequisites(state, todo)):
        return refused
    if "acceptance" in changed and isinstance(found := read_criteria(goal, todo.acceptance), Refused):
        return found
    if "requires" in changed and isinstance(found := read_scopes(todo.requires, "requires"), Refused):
        return found
    if changed & {"status", "resume_when"} and todo.status is TodoStatus.DEFERRED:
        return _bad_condition(state, todo)
    return None


def _bad_prerequisites(state: State, todo: Todo) -> Refused | None:
    for each in todo.depends_on:
        if each != todo.id and state.todo(each) is None:
            found = find_todo(state, each)
            if isinstance(found, Refused):
                return replace(found, facts={**found.facts, "field": "depends_on"})
            message = f"depends_on names {each}; in a file an id is written out."
            return refuse("todo-unknown", message, f"Write {found.id}.", field="depends_on", nearest=found.id)
    return no_circle(state, todo.id, todo.depends_on)


def _bad_condition(state: State, todo: Todo) -> Refused | None:
    from loopx.kernel.conditions import read_condition  # adding and finishing work never need it

    found = read_condition(state, todo.resume_when or "", todo.id)
    return found if isinstance(found, Refused) else None
