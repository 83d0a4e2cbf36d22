"""The verbs of ``loopx proposal`` that write one down or decide on it."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.inputs import text_or_stdin
from loopx.cli.options import writes
from loopx.cli.parameters import GOAL, PROPOSAL
from loopx.cli.request import Request
from loopx.cli.writing import submit
from loopx.kernel.commands import AcceptProposal, AddProposal, RejectProposal


@click.command(
    "add", cls=Verb, epilog='  loopx proposal add "Try a queue" --goal beta --body "It would smooth the peaks."'
)
@click.argument("title")
@click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal it is for.")
@click.option("--body", metavar="TEXT|-", default="", help="The idea in full; - reads it from stdin.")
@writes
def add(request: Request, title: str, goal: str, body: str) -> Answer:
    """Write a direction down; nothing follows from it until a person accepts it."""
    return submit(request, AddProposal(goal=goal, title=title, body=text_or_stdin(body, "--body")), "added")


@click.command("accept", cls=Verb, epilog="  loopx proposal accept p-4k9x2m7q")
@click.argument("proposal_id", metavar="PROPOSAL", type=PROPOSAL)
@writes
def accept(request: Request, proposal_id: str) -> Answer:
    """Make it a Todo of its Goal; only a person may."""
    return submit(request, AcceptProposal(proposal=proposal_id), "accepted")


@click.command("reject", cls=Verb, epilog='  loopx proposal reject p-4k9x2m7q --reason "Too early"')
@click.argument("proposal_id", metavar="PROPOSAL", type=PROPOSAL)
@click.option("--reason", required=True, metavar="TEXT", help="Why.")
@writes
def reject(request: Request, proposal_id: str, reason: str) -> Answer:
    """Put it aside."""
    return submit(request, RejectProposal(proposal=proposal_id, reason=reason), "rejected")
