"""The verbs of ``loopx effect`` that record an act and what became of it."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.inputs import seconds
from loopx.cli.keys import execution_key
from loopx.cli.options import writes
from loopx.cli.parameters import EFFECT, EVIDENCE, GOAL, TODO
from loopx.cli.request import Request
from loopx.cli.writing import submit
from loopx.kernel.commands import ConfirmPostcondition, OpenEffect, SettleEffect


@click.command(
    "open",
    cls=Verb,
    epilog='  loopx effect open "Publish 1.0" --goal beta --todo t-4k9x2m7q \\\n'
    '    --readback "pip index versions example" --postcondition "The page shows 1.0"',
)
@click.argument("summary")
@click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal it belongs to.")
@click.option("--todo", metavar="TODO", type=TODO, help="The Todo it is done for.")
@click.option("--agent", metavar="AGENT", help="Who does it, where a person records it for an agent.")
@click.option("--readback", metavar="TEXT", help="How its outcome is read back.")
@click.option("--readback-after", metavar="LENGTH", help="How long until that is worth trying, such as 10m.")
@click.option("--write-scope", metavar="GLOB", multiple=True, help="Paths it may touch (repeatable).")
@click.option("--postcondition", metavar="TEXT", multiple=True, help="What must hold afterwards (repeatable).")
@click.option("--lease", "lease_key", metavar="KEY", help="The execution key, where you hold the Todo's lease.")
@writes
def opened(
    request: Request,
    summary: str,
    goal: str,
    todo: str | None,
    agent: str | None,
    readback: str | None,
    readback_after: str | None,
    write_scope: tuple[str, ...],
    postcondition: tuple[str, ...],
    lease_key: str | None,
) -> Answer:
    """Record what is about to be done outside; its id is the idempotency key to hand over there."""
    command = OpenEffect(
        goal=goal,
        summary=summary,
        todo=todo,
        agent=agent,
        readback=readback,
        readback_after_seconds=0 if readback_after is None else seconds(readback_after, "--readback-after"),
        write_scopes=write_scope,
        postconditions=postcondition,
        lease_key=execution_key(request, lease_key) if todo else None,
    )
    return submit(request, command, "opened")


@click.command(
    "settle",
    cls=Verb,
    epilog='  loopx effect settle x-4k9x2m7q --status confirmed --evidence "The registry lists 1.0"\n'
    "  loopx effect settle x-4k9x2m7q --status absent --evidence e-4k9x2m7q",
)
@click.argument("effect_id", metavar="EFFECT", type=EFFECT)
@click.option(
    "--status",
    required=True,
    type=click.Choice(["confirmed", "absent", "compensated"]),
    help="It happened, it did not, or it happened and was made good.",
)
@click.option(
    "--evidence",
    metavar="E|TEXT",
    multiple=True,
    type=EVIDENCE,
    help="Evidence by its id, or in words what was read back (repeatable).",
)
@click.option("--reason", metavar="TEXT", help="What was found, in one line.")
@writes
def settle(request: Request, effect_id: str, status: str, evidence: tuple[str, ...], reason: str | None) -> Answer:
    """Record what became of an effect."""
    command = SettleEffect(effect=effect_id, status=status, evidence=evidence, reason=reason)
    return submit(request, command, "settled")


@click.command("confirm", cls=Verb, epilog='  loopx effect confirm x-4k9x2m7q 1 --evidence "I looked at the page"')
@click.argument("effect_id", metavar="EFFECT", type=EFFECT)
@click.argument("number", metavar="NUMBER", type=int)
@click.option("--evidence", metavar="E|TEXT", type=EVIDENCE, help="Evidence by its id, or in words what was seen.")
@writes
def confirm(request: Request, effect_id: str, number: int, evidence: str | None) -> Answer:
    """Record that something that must hold after an effect was seen to hold."""
    return submit(request, ConfirmPostcondition(effect=effect_id, number=number, evidence=evidence), "confirmed")
