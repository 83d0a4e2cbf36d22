"""``loopx rollback`` and ``undo``: put documents back by a new commit; history itself is never rewritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from loopx.cli.answer import Answer
from loopx.cli.documents import values
from loopx.cli.grammar import Verb
from loopx.cli.options import operates
from loopx.cli.parameters import GOAL, TODO
from loopx.cli.request import Request
from loopx.cli.texts.packets import packet_lines, rolled_back_lines
from loopx.cli.texts.receipts import receipt_facts
from loopx.cli.usage import usage
from loopx.cli.writing import named, with_pages

if TYPE_CHECKING:
    from loopx.workspace.reports import RollbackPacket, RolledBack


@click.command(
    "rollback",
    cls=Verb,
    epilog='  loopx rollback HEAD~3 --plan\n  loopx rollback 3f2a1bc --todo t-4k9x2m7q --reason "Wrong file"',
)
@click.argument("revision", metavar="REV")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only the documents of this Goal.")
@click.option("--todo", metavar="TODO", type=TODO, help="Only this Todo.")
@click.option("--reason", help="Why, for the audit trail.")
@click.option("--plan", is_flag=True, help="Show what it would do, and do nothing.")
@operates
def rollback(
    request: Request, revision: str, goal: str | None, todo: str | None, reason: str | None, plan: bool
) -> Answer:
    """Put documents back to how they were at a revision."""
    if goal is not None and todo is not None:
        raise usage("--goal and --todo exclude each other.", "--todo")
    if plan:
        return _planned(request.door.plan_rollback(revision, goal=goal, todo=todo))
    if reason is None:
        raise usage("A rollback needs a reason; --plan shows what it would do.", "--reason")
    operation = request.op or request.door.fresh_operation()
    with named(request, operation):
        done = request.door.roll_back(revision, goal=goal, todo=todo, reason=reason, actor=request.who, op=operation)
    return _told(request, done)


@click.command("undo", cls=Verb, epilog="  loopx undo\n  loopx undo op-4k9x2m7q --plan")
@click.argument("operation", metavar="[OP]", required=False)
@click.option("--reason", help="Why, for the audit trail.")
@click.option("--and", "others", metavar="OP", multiple=True, help="Undo this later operation with it (repeatable).")
@click.option("--plan", is_flag=True, help="Show what it would do, and do nothing.")
@operates
def undo(request: Request, operation: str | None, reason: str | None, others: tuple[str, ...], plan: bool) -> Answer:
    """Take back the documents of one operation."""
    if plan:
        return _planned(request.door.plan_undo(operation, others))
    new = request.op or request.door.fresh_operation()
    with named(request, new):
        done = request.door.undo(operation, reason=reason, actor=request.who, and_operations=others, new_op=new)
    return _told(request, done)


def _planned(packet: RollbackPacket) -> Answer:
    return Answer(values(packet), lambda screen: packet_lines(packet, screen), packet.head)


def _told(request: Request, done: RolledBack) -> Answer:
    committed = with_pages(request, done.committed)
    proof = {"packet": values(done.packet), "digest": done.digest}
    facts = {**receipt_facts(committed), **proof, "compensation": list(done.compensation), "saved": list(done.saved)}
    return Answer(facts, lambda screen: rolled_back_lines(done, screen), committed.revision, committed.warnings)
