"""The verbs of ``loopx agent`` that read: list and show."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL
from loopx.cli.request import Request, found
from loopx.cli.texts.agents import agent_facts, agent_lines, agent_row
from loopx.kernel.resolve import find_goal
from loopx.kernel.roster import known_agents, registered_name

_LISTED = Listing(
    "agents",
    ("ID", "CLAIMS", "LEASES", "GOALS", "CAPABILITIES"),
    "no agents here; a person adds one with `loopx agent add`",
)


@click.command("list", cls=Verb, epilog="  loopx agent list --goal beta")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only agents that may take part in this Goal.")
@reads
def listing(request: Request, goal: str | None) -> Answer:
    """List the agents that are registered here, with what each holds."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    told = [agent_facts(view, each) for each in known_agents(view.state, of_goal)]
    return listed(_LISTED, view, told, dict, agent_row)


@click.command("show", cls=Verb, epilog="  loopx agent show claude")
@click.argument("agent_id", metavar="AGENT")
@reads
def show(request: Request, agent_id: str) -> Answer:
    """Show an agent: what it can do, where it takes part, and what it holds."""
    view = request.view()
    facts = agent_facts(view, found(registered_name(view.state, agent_id)))
    return Answer(facts, lambda screen: agent_lines(facts, screen), view.revision, view.warnings)
