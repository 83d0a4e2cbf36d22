"""The verbs of ``loopx vision`` that change one."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.inputs import text_or_stdin
from loopx.cli.options import writes
from loopx.cli.parameters import GOAL, one_of
from loopx.cli.request import Request
from loopx.cli.writing import submit
from loopx.kernel.commands import RetireVision, SetVision
from loopx.model.vision import Advancement, VisionStatus

_ENDS = [VisionStatus.RETIRED.value, *(each.value for each in VisionStatus if each not in ("active", "retired"))]


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


@click.command(
    "retire",
    cls=Verb,
    epilog="  loopx vision retire --goal beta --agent claude\n"
    '  loopx vision retire --goal beta --agent claude --as no_followup --reason "The rest is a person\'s"',
)
@click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal it leads to.")
@click.option("--agent", metavar="AGENT", required=True, help="Whose Vision.")
@click.option("--as", "to", type=click.Choice(_ENDS), default=_ENDS[0], show_default=True, help="How it ends.")
@click.option("--reason", help="Why.")
@writes
def retire(request: Request, goal: str, agent: str, to: str, reason: str | None) -> Answer:
    """End an agent's Vision: it holds no longer, another replaces it, its part is reached, or nothing follows."""
    command = RetireVision(goal=goal, agent=agent, to=to, reason=reason)
    return submit(request, command, f"ended as {to}" if to != _ENDS[0] else to)
