"""The verbs of ``loopx turn`` that read: list and show."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL, TURN
from loopx.cli.request import Request, found
from loopx.cli.texts.turns import listed_facts, turn_facts, turn_lines, turn_row
from loopx.kernel.resolve import find_goal, folded_name
from loopx.kernel.turns.naming import find_turn
from loopx.kernel.turns.past import newest

_LISTED = Listing("turns", ("ID", "STATUS", "AGENT", "GOAL", "WORK", "OUTCOME", "SPENT", "AT"), "no turns")
_NEWEST = 20
"""How many are listed where nothing else was asked for."""


@click.command("list", cls=Verb, epilog="  loopx turn list --goal beta\n  loopx turn list --open")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only turns of this Goal.")
@click.option("--agent", metavar="AGENT", help="Only turns of this agent; people are human-NAME.")
@click.option("--open", "only_open", is_flag=True, help="Only turns that are open, however old they are.")
@click.option("--limit", type=click.IntRange(min=1), default=_NEWEST, show_default=True, help="How many at most.")
@reads
def listing(request: Request, goal: str | None, agent: str | None, only_open: bool, limit: int) -> Answer:
    """List turns, newest first."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    of_agent = folded_name(agent) if agent is not None else None
    chosen, is_all = newest(view.state, of_goal, of_agent, limit, only_open=only_open)
    notes = [] if is_all else [f"older ones with --limit {limit * 2}"]
    facts = (listed_facts(view, each) for each in chosen)
    return listed(_LISTED, view, facts, dict, turn_row, is_cut=not is_all, notes=notes)


@click.command("show", cls=Verb, epilog="  loopx turn show turn-4k9x2m7q")
@click.argument("turn_id", metavar="TURN", type=TURN)
@reads
def show(request: Request, turn_id: str) -> Answer:
    """Show a turn: what it was opened on, what it delivered, and what it spent."""
    view = request.view()
    facts = turn_facts(view, found(find_turn(view.state, turn_id)))
    return Answer(facts, lambda screen: turn_lines(facts, screen), view.revision, view.warnings)
