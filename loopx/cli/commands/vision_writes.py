"""The verbs of ``loopx vision`` that change one."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.inputs import text_or_stdin
from loopx.cli.listing import Listing
from loopx.cli.options import writes
from loopx.cli.parameters import GOAL, one_of
from loopx.cli.request import Request
from loopx.cli.writing import submit
from loopx.kernel.commands import RetireVision, SetVision
from loopx.model.vision import Advancement

_LISTED = Listing("visions", ("GOAL", "AGENT", "STATUS", "SUMMARY"), "no Visions")


@click.command(
    "set", cls=Verb, epilog='  loopx vision set --goal beta --agent claude --summary "Docs first, then the demo"'
)
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


@click.command("retire", cls=Verb)
@click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal it leads to.")
@click.option("--agent", metavar="AGENT", required=True, help="Whose Vision.")
@click.option("--reason", help="Why it no longer holds.")
@writes
def retire(request: Request, goal: str, agent: str, reason: str | None) -> Answer:
    """Retire an agent's Vision."""
    command = RetireVision(goal=goal, agent=agent, reason=reason)
    return submit(request, command, "retired")
