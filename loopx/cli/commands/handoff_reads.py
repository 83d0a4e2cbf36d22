"""The verbs of ``loopx handoff`` that read: list and show."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.documents import document
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL, HANDOFF
from loopx.cli.request import Request, found
from loopx.cli.texts.handoffs import handoff_lines, handoff_row
from loopx.kernel.handoffs import find_handoff, packet
from loopx.kernel.resolve import find_goal
from loopx.model.handoff import HandoffStatus

_LISTED = Listing("handoffs", ("ID", "STATUS", "FROM", "TO", "TODOS", "NEXT"), "no handoffs")


@click.command("list", cls=Verb, epilog="  loopx handoff list --goal beta --to claude")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only handoffs of this Goal.")
@click.option("--to", metavar="AGENT", help="Only those for this agent, or for anybody.")
@click.option("--all", "every", is_flag=True, help="Answered ones too.")
@reads
def listing(request: Request, goal: str | None, to: str | None, every: bool) -> Answer:
    """List the handoffs that wait for an answer."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    handoffs = view.state.handoffs(of_goal, None if every else {HandoffStatus.OFFERED})
    chosen = [each for each in handoffs if to is None or each.receiver in (None, to)]
    return listed(_LISTED, view, chosen, document, handoff_row)


@click.command("show", cls=Verb, epilog="  loopx handoff show h-4k9x2m7q")
@click.argument("handoff_id", metavar="HANDOFF", type=HANDOFF)
@reads
def show(request: Request, handoff_id: str) -> Answer:
    """Show a packet: the next step, when to stop, what it names as it stands now, and what was left out."""
    view = request.view()
    facts = packet(view.state, found(find_handoff(view.state, handoff_id)), view.at)
    return Answer(facts, lambda screen: handoff_lines(facts, screen), view.revision, view.warnings)
