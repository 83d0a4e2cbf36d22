"""Reading back an operation by its id: the way back after a lost answer is never a second attempt under a new id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.workspace import journal as journals
from loopx.workspace.reports import OperationReport, OperationState
from loopx.workspace.rows import receipt_of_row

if TYPE_CHECKING:
    from loopx.workspace.facade import Workspace


def report(ws: Workspace, operation: str) -> OperationReport:
    """What is known of ``operation``.

    Pending: its write was begun and not finished; the next command finishes or undoes it. Unknown: history cannot be
    read, which says nothing about the operation.
    """
    try:
        ws.reader.now(take_in=False)
        row = ws.cache.operation(operation)
    except LoopxError as error:
        return OperationReport(operation, OperationState.UNKNOWN, recovery=_recovery(operation, str(error)))
    if row is not None:
        return OperationReport(operation, OperationState.COMMITTED, receipt_of_row(row), row.oid, row.superseded_by)
    write = journals.read(ws.places)
    if write is not None and operation in write.operations:
        return OperationReport(
            operation, OperationState.PENDING, recovery=_recovery(operation, "a write is unfinished")
        )
    return OperationReport(operation, OperationState.ABSENT)


def _recovery(operation: str, why: str) -> dict[str, object]:
    return {
        "identity": operation,
        "why": why,
        "reread": ["history of .loopx/.git", "local/journal.json"],
        "entrypoint": f"loopx op show {operation}",
        "stop_when": "the answer is committed or absent",
        "owner": "the caller of the operation",
    }
