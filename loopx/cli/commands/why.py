"""``loopx why``: every rule that bears on one Todo, Gate, Goal or obligation, and what it found."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.documents import values
from loopx.cli.grammar import Verb
from loopx.cli.options import reads
from loopx.cli.request import Request, found
from loopx.cli.texts.reasons import reason_lines
from loopx.kernel.why import explain


@click.command(
    "why", cls=Verb, epilog="  loopx why t-4k9x2m7q --actor agent:bot\n  loopx why o-4k9x2m7q4k\n  loopx why beta"
)
@click.argument("item", metavar="ID")
@reads
def why(request: Request, item: str) -> Answer:
    """Explain why one item is as it is."""
    view = request.view()
    told = found(explain(view.state, item, view.at, request.claimed_actor))
    return Answer(values(told), lambda screen: reason_lines(told, screen), view.revision, view.warnings)
