"""``loopx next``: what may happen now, for one agent or person, and how to go on."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.deciding import asker, decision_answer
from loopx.cli.grammar import Verb
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL
from loopx.cli.request import Request, found
from loopx.kernel.decision.choosing import next_anywhere
from loopx.kernel.decision.deciding import next_action


@click.command(
    "next",
    cls=Verb,
    epilog="  loopx next\n  loopx next --goal beta --agent bot\n  loopx next --goal beta --explain",
)
@click.option(
    "--goal",
    metavar="GOAL",
    type=GOAL,
    help="Decide about this Goal. Without it the active ones are tried by their most urgent Todo: the first in which "
    "something may be attempted is told, else the first that needs a person, else the first.",
)
@click.option("--agent", metavar="AGENT", help="Decide for this agent (default: the actor).")
@click.option("--explain", is_flag=True, help="Print every rule with what it said.")
@reads
def next_(request: Request, goal: str | None, agent: str | None, explain: bool) -> Answer:
    """Say what may happen now for one agent, and how to go on."""
    actor, view = asker(request, agent), request.view()
    if goal is None:
        decision = found(next_anywhere(view.state, actor, view.at, view.revision))
    else:
        decision = found(next_action(view.state, goal, actor, view.at, view.revision))
    return decision_answer(decision, view, explain)
