"""The verbs of ``loopx vision`` that read: list and show."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.documents import document
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL
from loopx.cli.request import Request, found
from loopx.cli.texts.visions import vision_facts, vision_lines, vision_row
from loopx.errors import LoopxError
from loopx.kernel.resolve import find_goal
from loopx.model.ids import folded

_LISTED = Listing("visions", ("GOAL", "AGENT", "STATUS", "SUMMARY"), "no Visions")


@click.command("list", cls=Verb)
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only Visions for this Goal.")
@reads
def listing(request: Request, goal: str | None) -> Answer:
    """List Visions."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    return listed(_LISTED, view, view.state.visions(of_goal), document, vision_row)


@click.command("show", cls=Verb, epilog="  loopx vision show --goal beta --agent claude")
@click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal it leads to.")
@click.option("--agent", metavar="AGENT", required=True, help="Whose Vision.")
@reads
def show(request: Request, goal: str, agent: str) -> Answer:
    """Show one agent's Vision and how much of each budget it uses."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id
    known = view.state.vision(of_goal, folded(agent))
    if known is None:
        raise LoopxError("vision-unknown", f"{agent} has no Vision for {of_goal}.")
    facts = vision_facts(view, known)
    return Answer(facts, lambda screen: vision_lines(facts, screen), view.revision, view.warnings)
