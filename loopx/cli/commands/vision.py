"""``loopx vision``: the route each agent takes towards a Goal, within its budgets."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.documents import document
from loopx.cli.grammar import Noun
from loopx.cli.inputs import text_or_stdin
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads, writes
from loopx.cli.parameters import GOAL, one_of
from loopx.cli.request import Request, found
from loopx.cli.texts.visions import vision_facts, vision_lines, vision_row
from loopx.cli.writing import submit
from loopx.errors import LoopxError
from loopx.kernel.commands import RetireVision, SetVision
from loopx.kernel.resolve import find_goal
from loopx.model.ids import folded
from loopx.model.vision import Advancement

_LISTED = Listing("visions", ("GOAL", "AGENT", "STATUS", "SUMMARY"), "no Visions")


@click.group("vision", cls=Noun)
def vision() -> None:
    """Visions: each agent's route to a Goal."""


@vision.command("list")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only Visions for this Goal.")
@reads
def listing(request: Request, goal: str | None) -> Answer:
    """List Visions."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    return listed(_LISTED, view, view.state.visions(of_goal), document, vision_row)


@vision.command("show", epilog="  loopx vision show --goal beta --agent claude")
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
    facts = vision_facts(known)
    return Answer(facts, lambda screen: vision_lines(facts, screen), view.revision, view.warnings)


@vision.command("set", epilog='  loopx vision set --goal beta --agent claude --summary "Docs first, then the demo"')
@click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal it leads to.")
@click.option("--agent", metavar="AGENT", required=True, help="Whose Vision.")
@click.option("--summary", metavar="TEXT|-", help="The route, up to 420 characters; - reads it from stdin.")
@click.option("--role-scope", help="What this agent is for, up to 280 characters.")
@click.option("--acceptance", help="How it tells that it arrived, up to 420 characters.")
@click.option("--advancement", type=one_of(Advancement), help="How it goes on.")
@click.option("--replan-trigger", help="What would change the route, up to 240 characters.")
@click.option("--dreaming", help="Directions without authority, up to 240 characters.")
@click.option("--last-patch", help="What changed last, up to 240 characters.")
@writes
def put(request: Request, goal: str, agent: str, summary: str | None, **fields: str | None) -> Answer:
    """Write an agent's Vision, or change the fields given."""
    text = None if summary is None else text_or_stdin(summary, "--summary").strip()
    command = SetVision(goal=goal, agent=agent, summary=text, **fields)
    return submit(request, command, "set")


@vision.command("retire")
@click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal it leads to.")
@click.option("--agent", metavar="AGENT", required=True, help="Whose Vision.")
@click.option("--reason", help="Why it no longer holds.")
@writes
def retire(request: Request, goal: str, agent: str, reason: str | None) -> Answer:
    """Retire an agent's Vision."""
    command = RetireVision(goal=goal, agent=agent, reason=reason)
    return submit(request, command, "retired")
