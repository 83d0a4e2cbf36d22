"""The verbs of ``loopx todo`` that read: list and show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL, TODO, one_of
from loopx.cli.request import Request, found
from loopx.cli.texts.todos import Verdicts, todo_facts, todo_lines
from loopx.kernel.resolve import find_goal, find_todo
from loopx.model.todo import Todo, TodoStatus

if TYPE_CHECKING:
    from loopx.workspace.results import View

_NONE = "no Todos here; add one with `loopx todo add`"
_ONE_GOAL = Listing("todos", ("ID", "PRI", "STATUS", "RUNS", "TITLE"), _NONE)
_ALL_GOALS = Listing("todos", ("ID", "PRI", "STATUS", "RUNS", "GOAL", "TITLE"), _NONE)
_UNFINISHED = tuple(each for each in TodoStatus if not each.is_closed)
_HISTORY = 5
"""Commits shown with a Todo."""


@click.command(
    "list", cls=Verb, epilog="  loopx todo list --goal beta\n  loopx todo list --runnable --actor agent:claude --json"
)
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only Todos of this Goal.")
@click.option("--status", multiple=True, type=one_of(TodoStatus), help="Only Todos of this status (repeatable).")
@click.option("--runnable", is_flag=True, help="Only what may be taken up now, by the actor if one is named.")
@click.option("--all", "every", is_flag=True, help="Done, superseded and cancelled ones too.")
@click.option("--limit", type=click.IntRange(min=1), help="How many at most; the rest is counted.")
@reads
def listing(
    request: Request, goal: str | None, status: tuple[str, ...], runnable: bool, every: bool, limit: int | None
) -> Answer:
    """List Todos: what is not finished, unless told otherwise."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    verdicts = Verdicts(view, request.claimed_actor)
    chosen = _chosen(view, of_goal, status, every, runnable)
    if runnable:
        chosen = [each for each in chosen if verdicts.is_runnable(each)]
    shape, row = (_ONE_GOAL, verdicts.row) if of_goal else (_ALL_GOALS, verdicts.row_with_goal)
    notes = [] if status or every or runnable else _closed_note(view, of_goal)
    return listed(shape, view, chosen[:limit], verdicts.facts, row, total=len(chosen), notes=notes)


@click.command("show", cls=Verb, epilog="  loopx todo show t-4k9x2m7q")
@click.argument("todo_id", metavar="TODO", type=TODO)
@reads
def show(request: Request, todo_id: str) -> Answer:
    """Show a Todo: its fields, whether it may run and why not, and its latest history."""
    view = request.view()
    known = found(find_todo(view.state, todo_id))
    history = [] if view.is_past else request.door.log(id=known.id, limit=_HISTORY)
    facts = todo_facts(view, known, request.claimed_actor, history)
    return Answer(facts, lambda screen: todo_lines(facts, history, screen), view.revision, view.warnings)


def _chosen(view: View, goal: str | None, status: tuple[str, ...], every: bool, runnable: bool) -> list[Todo]:
    """Those asked for, most urgent first, and the oldest first among equals."""
    statuses: tuple[TodoStatus, ...] | None = tuple(map(TodoStatus, status)) or _UNFINISHED
    if runnable and not status:
        statuses = (TodoStatus.OPEN,)
    elif every and not status:
        statuses = None
    return sorted(view.state.todos(goal, statuses), key=_order)


def _order(known: Todo) -> tuple[bool, str, float, str]:
    age = known.created_at.timestamp() if known.created_at else 0.0
    return (known.status.is_closed, known.priority, age, known.id)


def _closed_note(view: View, goal: str | None) -> list[str]:
    tally = view.state.tally()
    counts = [tally.get(goal, {})] if goal else list(tally.values())
    closed = sum(count for each in counts for status, count in each.items() if status.is_closed)
    return [f"{closed} finished not shown: --all"] if closed else []
