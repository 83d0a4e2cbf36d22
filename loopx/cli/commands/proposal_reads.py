"""The verbs of ``loopx proposal`` that read: list and show."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.documents import document
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL, PROPOSAL, one_of
from loopx.cli.request import Request, found
from loopx.cli.texts.proposals import proposal_lines, proposal_row
from loopx.kernel.proposals import find_proposal
from loopx.kernel.resolve import find_goal
from loopx.model.proposal import ProposalStatus

_LISTED = Listing("proposals", ("ID", "STATUS", "BY", "GOAL", "TITLE"), "no proposals")


@click.command("list", cls=Verb, epilog="  loopx proposal list --goal beta")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only proposals for this Goal.")
@click.option("--status", multiple=True, type=one_of(ProposalStatus), help="Only those of this status (repeatable).")
@click.option("--all", "every", is_flag=True, help="Accepted and rejected ones too.")
@reads
def listing(request: Request, goal: str | None, status: tuple[str, ...], every: bool) -> Answer:
    """List the proposals that wait for a person's word."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    wanted = status or (tuple(ProposalStatus) if every else (ProposalStatus.PROPOSED,))
    chosen = view.state.proposals(of_goal, {ProposalStatus(each) for each in wanted})
    return listed(_LISTED, view, chosen, document, proposal_row)


@click.command("show", cls=Verb, epilog="  loopx proposal show p-4k9x2m7q")
@click.argument("proposal_id", metavar="PROPOSAL", type=PROPOSAL)
@reads
def show(request: Request, proposal_id: str) -> Answer:
    """Show a proposal in full."""
    view = request.view()
    facts = document(found(find_proposal(view.state, proposal_id)), body=True)
    return Answer(facts, lambda screen: proposal_lines(facts, screen), view.revision, view.warnings)
