"""``loopx op``: what is known of an operation, read back under its id."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.documents import values
from loopx.cli.grammar import Noun
from loopx.cli.options import common
from loopx.cli.request import Request
from loopx.cli.texts.operations import operation_lines, operation_rows
from loopx.errors import Exit, LoopxError, Problem
from loopx.workspace.reports import OperationReport, OperationState


@click.group("op", cls=Noun)
def op() -> None:
    """Operations: what is known of one by its id."""


@op.command("list")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many at most.")
@common
def listing(request: Request, limit: int) -> Answer:
    """List the latest operations, newest first."""
    found = [each for each in request.door.log(limit=limit) if each.operation]
    facts = {"operations": [values(each) for each in found], "count": len(found)}
    return Answer(facts, lambda screen: operation_rows(found, screen))


@op.command("show", epilog="  loopx op show op-4k9x2m7q")
@click.argument("operation", metavar="OP")
@common
def show(request: Request, operation: str) -> Answer:
    """Read an operation back: committed, pending, absent or unknown."""
    report = _read_back(request, operation)
    return Answer(
        values(report), lambda screen: operation_lines(report, screen), report.revision, problem=_problem(report)
    )


def _read_back(request: Request, operation: str) -> OperationReport:
    """A workspace that is there and cannot be opened says nothing about the operation either."""
    from loopx.workspace.operations import unknown

    try:
        return request.door.operation(operation)
    except LoopxError as error:
        if error.exit is not Exit.UNAVAILABLE:
            raise
        return unknown(operation, str(error))


def _problem(report: OperationReport) -> Problem | None:
    """Committed is the only answer a script may take for a yes."""
    facts = {"operation": report.operation, "state": report.state.value, "recovery": report.recovery}
    match report.state:
        case OperationState.COMMITTED:
            return None
        case OperationState.RECEIPT_MISSING if report.receipt is not None:
            return None
        case OperationState.RECEIPT_MISSING:
            return Problem("outcome-unknown", f"What {report.operation} answered cannot be read.", facts=facts)
        case OperationState.ABSENT:
            return Problem("operation-unknown", f"No operation {report.operation} was committed.", facts=facts)
        case OperationState.PENDING | OperationState.UNKNOWN:
            return Problem("outcome-unknown", f"Whether {report.operation} happened is not known yet.", facts=facts)
