"""The verbs of ``loopx handoff`` that offer work and answer an offer."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.options import writes
from loopx.cli.parameters import EVIDENCE, GOAL, HANDOFF, TODO
from loopx.cli.request import Request
from loopx.cli.writing import submit
from loopx.kernel.commands import AcceptHandoff, CreateHandoff, DeclineHandoff


@click.command(
    "create",
    cls=Verb,
    epilog="  loopx handoff create --goal beta --todo t-4k9x2m7q --to claude \\\n"
    '    --next-action "Write chapter two" --omitted "The interview notes: ask Ann"',
)
@click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal the work belongs to.")
@click.option("--todo", "todos", metavar="TODO", multiple=True, type=TODO, help="A Todo handed over (repeatable).")
@click.option("--to", metavar="AGENT", help="For whom; anybody who works here, where it names nobody.")
@click.option("--next-action", required=True, metavar="TEXT", help="What to do next, in one line.")
@click.option("--stop-condition", metavar="TEXT", help="When to stop, in one line.")
@click.option("--evidence", metavar="E", multiple=True, type=EVIDENCE, help="Evidence to start from (repeatable).")
@click.option("--omitted", metavar="TEXT", multiple=True, help="What was left out, and how to get it (repeatable).")
@writes
def create(
    request: Request,
    goal: str,
    todos: tuple[str, ...],
    to: str | None,
    next_action: str,
    stop_condition: str | None,
    evidence: tuple[str, ...],
    omitted: tuple[str, ...],
) -> Answer:
    """Offer work to another; nothing moves until they accept it."""
    command = CreateHandoff(
        goal=goal,
        todos=todos,
        to=to,
        next_action=next_action,
        stop_condition=stop_condition,
        evidence=evidence,
        omitted=omitted,
    )
    return submit(request, command, "offered")


@click.command("accept", cls=Verb, epilog="  loopx handoff accept h-4k9x2m7q --actor agent:claude")
@click.argument("handoff_id", metavar="HANDOFF", type=HANDOFF)
@writes
def accept(request: Request, handoff_id: str) -> Answer:
    """Take the work on, if today's guards let you: its claims are yours from now on."""
    return submit(request, AcceptHandoff(handoff=handoff_id), "accepted")


@click.command("decline", cls=Verb, epilog='  loopx handoff decline h-4k9x2m7q --reason "No time this week"')
@click.argument("handoff_id", metavar="HANDOFF", type=HANDOFF)
@click.option("--reason", required=True, metavar="TEXT", help="Why.")
@writes
def decline(request: Request, handoff_id: str, reason: str) -> Answer:
    """Turn the work down, or take your offer back."""
    return submit(request, DeclineHandoff(handoff=handoff_id, reason=reason), "declined")
