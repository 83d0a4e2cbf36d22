"""The verbs of ``loopx turn`` that change one: open and void. ``loopx refresh-state`` settles it."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.keys import execution_key
from loopx.cli.options import writes
from loopx.cli.parameters import GOAL, TODO, TURN
from loopx.cli.request import Request
from loopx.cli.texts.turns import begun_facts, begun_lines
from loopx.cli.writing import named, proposal, submit, with_pages
from loopx.kernel.commands import OpenTurn, VoidTurn


@click.command(
    "open",
    cls=Verb,
    epilog="  loopx turn open --goal beta --todo t-4k9x2m7q --actor agent:bot\n"
    "  loopx turn open --goal beta --obligation o-4k9x2m7q4k --json",
)
@click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal it is for.")
@click.option("--todo", metavar="TODO", type=TODO, help="The Todo it works on.")
@click.option("--obligation", metavar="O", help="The obligation it discharges, instead of a Todo.")
@click.option("--agent", metavar="AGENT", help="Whose turn it is (default: the actor); a person may name an agent.")
@click.option("--slots", type=click.IntRange(min=1), default=1, show_default=True, help="Slots it may take.")
@click.option("--lease", metavar="KEY", help="The execution key of the lease (default: $LOOPX_LEASE_KEY).")
@writes
def opened(
    request: Request,
    goal: str,
    todo: str | None,
    obligation: str | None,
    agent: str | None,
    slots: int,
    lease: str | None,
) -> Answer:
    """Begin one bounded piece of work; prints the envelope it is done in."""
    from loopx.runtime.beginning import begin

    command = OpenTurn(
        goal=goal,
        todo=todo,
        obligation=obligation,
        agent=agent,
        slots=slots,
        lease_key=execution_key(request, lease),
    )
    proposed = proposal(request, command)
    with named(request, proposed.operation):
        begun = begin(request.door, proposed)
    told = with_pages(request, begun.committed)
    return Answer(
        lambda: begun_facts(begun, told), lambda screen: begun_lines(begun, told, screen), told.revision, told.warnings
    )


@click.command(
    "void",
    cls=Verb,
    epilog='  loopx turn void turn-4k9x2m7q --reason "The host went away"',
)
@click.argument("turn_id", metavar="TURN", type=TURN)
@click.option("--reason", required=True, help="Why.")
@writes
def void(request: Request, turn_id: str, reason: str) -> Answer:
    """End an open turn without a delivery; of a settled one, a person takes back what it spent."""
    return submit(request, VoidTurn(turn=turn_id, reason=reason), "voided")
