"""The verbs of ``loopx effect`` that read: list and show."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import EFFECT, GOAL, one_of
from loopx.cli.request import Request, found
from loopx.cli.texts.effects import effect_facts, effect_lines, effect_row
from loopx.kernel.acting import find_effect
from loopx.kernel.effects import is_unfinished
from loopx.kernel.resolve import find_goal
from loopx.model.effect import EffectStatus

_LISTED = Listing("effects", ("ID", "STATUS", "LEFT", "AGENT", "GOAL", "SUMMARY"), "no effects")


@click.command("list", cls=Verb, epilog="  loopx effect list --goal beta")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only effects of this Goal.")
@click.option("--status", multiple=True, type=one_of(EffectStatus), help="Only effects of this status (repeatable).")
@click.option("--all", "every", is_flag=True, help="Those with nothing left to find out, too.")
@reads
def listing(request: Request, goal: str | None, status: tuple[str, ...], every: bool) -> Answer:
    """List the effects whose outcome is unknown, or after which something must still be seen to hold."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    wanted = {EffectStatus(each) for each in status} or None
    chosen = [each for each in view.state.effects(of_goal, wanted) if wanted or every or is_unfinished(each)]
    return listed(_LISTED, view, chosen, effect_facts, effect_row)


@click.command("show", cls=Verb, epilog="  loopx effect show x-4k9x2m7q")
@click.argument("effect_id", metavar="EFFECT", type=EFFECT)
@reads
def show(request: Request, effect_id: str) -> Answer:
    """Show an effect: what was meant, what is known of it, and what must hold afterwards."""
    view = request.view()
    facts = effect_facts(found(find_effect(view.state, effect_id)))
    return Answer(facts, lambda screen: effect_lines(facts, screen), view.revision, view.warnings)
