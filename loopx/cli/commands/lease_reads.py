"""The verbs of ``loopx lease`` that read: list and show."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL, TODO
from loopx.cli.request import Request, found
from loopx.cli.texts.leases import lease_lines, lease_row, listed_facts, shown_facts
from loopx.kernel.lease_standing import standing_of
from loopx.kernel.resolve import find_goal, find_todo

_LISTED = Listing("leases", ("TODO", "STATUS", "OWNER", "EPOCH", "UNTIL", "NO PROGRESS", "TITLE"), "no live leases")


@click.command("list", cls=Verb, epilog="  loopx lease list --goal beta\n  loopx lease list --all --json")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only leases of this Goal's Todos.")
@click.option("--owner", metavar="NAME", help="Only leases of this holder.")
@click.option("--all", "every", is_flag=True, help="Expired and released ones too.")
@reads
def listing(request: Request, goal: str | None, owner: str | None, every: bool) -> Answer:
    """List who executes what right now."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    standings = ((each, standing_of(each, view.at)) for each in view.state.leases(of_goal))
    chosen = [each for each in standings if (every or each[1].is_live) and owner in (None, each[0].owner)]
    return listed(_LISTED, view, chosen, lambda each: listed_facts(view, *each), lambda each: lease_row(view, *each))


@click.command("show", cls=Verb, epilog="  loopx lease show t-4k9x2m7q\n  loopx lease show t-4k9x2m7q --json")
@click.argument("todo_id", metavar="TODO", type=TODO)
@reads
def show(request: Request, todo_id: str) -> Answer:
    """Show the lease of a Todo: who executes it, until when, and whether anything comes of it."""
    view = request.view()
    facts = shown_facts(view, found(find_todo(view.state, todo_id)))
    return Answer(facts, lambda screen: lease_lines(facts, screen), view.revision, view.warnings)
