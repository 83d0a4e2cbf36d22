"""What is known of an operation, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from loopx.cli.columns import shown, table
from loopx.cli.screen import Screen
from loopx.cli.texts.history import when, who
from loopx.cli.texts.receipts import short
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.workspace.reports import LogEntry, OperationReport

_HEADER = ("OPERATION", "REVISION", "WHEN", "WHO", "WHAT")


def operation_rows(entries: Sequence[LogEntry], screen: Screen) -> Iterable[str]:
    """The latest operations, newest first."""
    rows = [
        (each.operation or "", short(each.revision), when(each), who(each), each.command or each.headline)
        for each in entries
    ]
    return table(_HEADER, rows, screen) or ["no operations yet"]


def operation_lines(report: OperationReport, screen: Screen) -> Iterator[str]:
    """One operation: its state first, then its receipt."""
    yield f"{shown(report.operation)} is {screen.paint(report.state, 'bold')}"
    receipt = report.receipt
    if receipt is not None:
        yield f"  {receipt.command} {shown(receipt.subject)}".rstrip()
        yield f"  by {shown(str(receipt.actor))} at {format_instant(receipt.at)}, revision {short(report.revision)}"
        yield from (f"  {name}: {shown(str(value))}" for name, value in receipt.result.items())
    if report.superseded_by is not None:
        yield f"  undone since by {report.superseded_by}"
    for name, value in report.recovery.items():
        yield f"  {name}: {shown(', '.join(map(str, value)) if isinstance(value, list | tuple) else str(value))}"
