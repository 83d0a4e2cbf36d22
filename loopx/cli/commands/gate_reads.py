"""The verbs of ``loopx gate`` that read: list and show."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GATE, GOAL, one_of
from loopx.cli.request import Request, found
from loopx.cli.texts.gates import gate_facts, gate_lines, gate_row, standing_facts
from loopx.kernel.resolve import find_gate, find_goal
from loopx.kernel.standing import gate_standing
from loopx.model.gate import GateStatus

_LISTED = Listing("gates", ("ID", "STATUS", "GOAL", "SCOPE", "QUESTION"), "no Gates")
_WAITING = (GateStatus.OPEN, GateStatus.DEFERRED)


@click.command("list", cls=Verb, epilog="  loopx gate list --goal beta")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only Gates of this Goal.")
@click.option("--status", multiple=True, type=one_of(GateStatus), help="Only Gates of this status (repeatable).")
@click.option("--all", "every", is_flag=True, help="Answered and withdrawn Gates too.")
@reads
def listing(request: Request, goal: str | None, status: tuple[str, ...], every: bool) -> Answer:
    """List the Gates that wait for an answer."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    standings = ((each, gate_standing(view.state, each, view.at)) for each in view.state.gates(of_goal))
    wanted = status or (tuple(GateStatus) if every else _WAITING)
    chosen = (each for each in standings if each[1].status in wanted)
    return listed(_LISTED, view, chosen, lambda each: standing_facts(*each), lambda each: gate_row(*each))


@click.command("show", cls=Verb, epilog="  loopx gate show g-4k9x2m7q")
@click.argument("gate_id", metavar="GATE", type=GATE)
@reads
def show(request: Request, gate_id: str) -> Answer:
    """Show a Gate: the question, what an approval covers, and every answer so far."""
    view = request.view()
    facts = gate_facts(view, found(find_gate(view.state, gate_id)))
    return Answer(facts, lambda screen: gate_lines(facts, screen), view.revision, view.warnings)
