"""The verbs of ``loopx monitor`` that read: list and show."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL, TODO
from loopx.cli.request import Request, found
from loopx.cli.texts.monitors import monitor_facts, monitor_lines, monitor_row
from loopx.kernel.cadence import find_monitor, schedule
from loopx.kernel.resolve import find_goal

_LISTED = Listing("monitors", ("ID", "DUE", "UNCHANGED", "DEAD", "GOAL", "TITLE"), "no monitors")


@click.command("list", cls=Verb, epilog="  loopx monitor list --due")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only monitors of this Goal.")
@click.option("--due", is_flag=True, help="Only those that are due now.")
@click.option("--all", "every", is_flag=True, help="Closed ones too.")
@reads
def listing(request: Request, goal: str | None, due: bool, every: bool) -> Answer:
    """List the monitors, those that are due first."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    chosen = schedule(view.state, view.at, of_goal, only_due=due, closed=every)
    return listed(_LISTED, view, [monitor_facts(view, *each) for each in chosen], dict, monitor_row)


@click.command("show", cls=Verb, epilog="  loopx monitor show t-4k9x2m7q")
@click.argument("todo_id", metavar="TODO", type=TODO)
@reads
def show(request: Request, todo_id: str) -> Answer:
    """Show a monitor: what it watches, when it is due, and what the newest looks found."""
    view = request.view()
    facts = monitor_facts(view, *found(find_monitor(view.state, todo_id, view.at)))
    return Answer(facts, lambda screen: monitor_lines(facts, screen), view.revision, view.warnings)
