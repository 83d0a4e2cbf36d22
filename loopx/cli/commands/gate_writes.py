"""The verbs of ``loopx gate`` that change one."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.inputs import text_or_stdin
from loopx.cli.listing import Listing
from loopx.cli.options import writes
from loopx.cli.parameters import EVIDENCE, GATE, GOAL
from loopx.cli.prompting import ask_yes, can_ask
from loopx.cli.request import Request, found
from loopx.cli.texts.gates import question_lines
from loopx.cli.writing import submit
from loopx.kernel.commands import DecideGate, OpenGate, WithdrawGate
from loopx.kernel.resolve import find_gate
from loopx.model.actor import Channel
from loopx.model.gate import GateStatus
from loopx.model.ids import folded

_LISTED = Listing("gates", ("ID", "STATUS", "GOAL", "SCOPE", "QUESTION"), "no Gates")
_WAITING = (GateStatus.OPEN, GateStatus.DEFERRED)


@click.command(
    "open",
    cls=Verb,
    epilog='  loopx gate open --goal beta --scope production:goal:deploy --question "May we deploy on Friday?"',
)
@click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal it belongs to.")
@click.option("--scope", required=True, metavar="SCOPE", help="What an approval covers: kind:granularity:key.")
@click.option("--question", required=True, help="What is asked, in one line.")
@click.option("--option", "options", multiple=True, help="An answer to choose from (repeatable).")
@click.option("--deadline", metavar="TIME", help="When an answer is needed; passing it approves nothing.")
@click.option("--valid-until", metavar="TIME", help="When an approval stops covering anything.")
@click.option("--evidence", metavar="E", multiple=True, type=EVIDENCE, help="Evidence it is asked on (repeatable).")
@click.option("--body", metavar="TEXT|-", default="", help="Background in full; - reads it from stdin.")
@writes
def opened(
    request: Request,
    goal: str,
    scope: str,
    question: str,
    options: tuple[str, ...],
    deadline: str | None,
    valid_until: str | None,
    evidence: tuple[str, ...],
    body: str,
) -> Answer:
    """Ask a person; Todos that require the scope wait for the answer."""
    command = OpenGate(
        goal=goal,
        scope=scope,
        question=question,
        options=options,
        deadline=deadline,
        valid_until=valid_until,
        evidence=evidence,
        body=text_or_stdin(body, "--body"),
    )
    return submit(request, command, "opened")


@click.command("approve", cls=Verb, epilog='  loopx gate approve g-4k9x2m7q --reason "The rehearsal went well"')
@click.argument("gate_id", metavar="GATE", type=GATE)
@click.option("--reason", required=True, help="Why.")
@click.option("--option", help="Which of the offered answers.")
@click.option("--confirm", metavar="GATE", help="The Gate's id again, where no terminal can ask.")
@writes
def approve(request: Request, gate_id: str, reason: str, option: str | None, confirm: str | None) -> Answer:
    """Answer yes."""
    return _decided(request, gate_id, "approve", reason, option, confirm, "approved")


@click.command("reject", cls=Verb)
@click.argument("gate_id", metavar="GATE", type=GATE)
@click.option("--reason", required=True, help="Why.")
@click.option("--option", help="Which of the offered answers.")
@click.option("--confirm", metavar="GATE", help="The Gate's id again, where no terminal can ask.")
@writes
def reject(request: Request, gate_id: str, reason: str, option: str | None, confirm: str | None) -> Answer:
    """Answer no."""
    return _decided(request, gate_id, "reject", reason, option, confirm, "rejected")


@click.command("defer", cls=Verb)
@click.argument("gate_id", metavar="GATE", type=GATE)
@click.option("--reason", required=True, help="Why, and what is missing for an answer.")
@click.option("--confirm", metavar="GATE", help="The Gate's id again, where no terminal can ask.")
@writes
def defer(request: Request, gate_id: str, reason: str, confirm: str | None) -> Answer:
    """Put the answer off; what waits goes on waiting."""
    return _decided(request, gate_id, "defer", reason, None, confirm, "deferred")


@click.command("withdraw", cls=Verb)
@click.argument("gate_id", metavar="GATE", type=GATE)
@click.option("--reason", help="Why nobody need answer any more.")
@writes
def withdraw(request: Request, gate_id: str, reason: str | None) -> Answer:
    """Take the question back."""
    return submit(request, WithdrawGate(gate=gate_id, reason=reason), "withdrawn")


def _decided(
    request: Request, gate_id: str, verb: str, reason: str, option: str | None, confirm: str | None, done: str
) -> Answer:
    channel, confirmed = _confirmation(request, gate_id, verb, confirm)
    command = DecideGate(gate=gate_id, verb=verb, reason=reason, option=option, channel=channel, confirmed=confirmed)
    return submit(request, command, done)


def _confirmation(request: Request, gate_id: str, verb: str, confirm: str | None) -> tuple[Channel, bool]:
    """By which channel the answer comes and whether it is confirmed there; the kernel judges what follows from it."""
    if confirm is None and not (can_ask() and request.who.is_human):
        return Channel.SCRIPT, False
    asked = found(find_gate(request.door.read().state, gate_id))
    if confirm is not None:
        return Channel.SCRIPT, folded(confirm) == asked.id
    agreed = ask_yes(question_lines(asked), f"{verb.capitalize()} it?")
    return (Channel.TERMINAL, True) if agreed else (Channel.SCRIPT, False)
