"""The verbs of ``loopx goal`` that read: list and show."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL, one_of
from loopx.cli.request import Request, found
from loopx.cli.texts.goals import Progress, goal_facts, goal_lines
from loopx.kernel.resolve import find_goal
from loopx.model.goal import GoalStatus

_LISTED = Listing(
    "goals", ("ID", "STATUS", "CRITERIA", "TODOS", "TITLE"), "no Goals here; make one with `loopx goal new`"
)


@click.command("list", cls=Verb)
@click.option("--status", multiple=True, type=one_of(GoalStatus), help="Only Goals of this status (repeatable).")
@reads
def listing(request: Request, status: tuple[str, ...]) -> Answer:
    """List Goals with their progress."""
    view = request.view()
    progress = Progress(view)
    chosen = (each for each in view.state.goals() if not status or each.status in status)
    return listed(_LISTED, view, chosen, progress.facts, progress.row)


@click.command("show", cls=Verb, epilog="  loopx goal show beta")
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@reads
def show(request: Request, goal_id: str) -> Answer:
    """Show a Goal with its criteria, Todos, Gates and Visions."""
    view = request.view()
    facts = goal_facts(view, found(find_goal(view.state, goal_id)))
    return Answer(facts, lambda screen: goal_lines(facts, screen), view.revision, view.warnings)
