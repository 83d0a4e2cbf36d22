"""Reading back an operation by its id: the way back after a lost answer is never a second attempt under a new id.

Asked by ``loopx op show`` and, for ids that callers gave, before anything is decided. It reads history, the journal and
the records; it never writes, and it says *absent* only when no write was under way while it looked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.workspace import journal as journals
from loopx.workspace import trailers, undone
from loopx.workspace.recover import has_happened
from loopx.workspace.reports import OperationReport, OperationState
from loopx.workspace.rows import receipt_of_row
from loopx.workspace.unknown import records_of, recovery

if TYPE_CHECKING:
    from loopx.workspace.journal import Journal
    from loopx.workspace.opened import OpenWorkspace


def report(ws: OpenWorkspace, operation: str) -> OperationReport:
    """What is known of ``operation``. Unknown: something could not be read, which says nothing about the operation."""
    try:
        return _known(ws, operation) or _when_nobody_writes(ws, operation)
    except (LoopxError, OSError) as error:
        return unknown(operation, str(error))


def unknown(operation: str, why: str) -> OperationReport:
    """Nothing is known of ``operation``, because of ``why``."""
    return OperationReport(operation, OperationState.UNKNOWN, recovery=recovery(operation, why))


def _known(ws: OpenWorkspace, operation: str) -> OperationReport | None:
    """What history, the journal and the records say; ``None`` when none of them knows the operation."""
    ws.reader.now(take_in=False)
    row = ws.cache.operation(operation)
    if row is not None:
        by = undone.superseded_by(ws.cache, row)
        return OperationReport(operation, OperationState.COMMITTED, receipt_of_row(row), row.oid, by)
    write = journals.read(ws.places)
    if write is not None and operation in write.operations:
        return _in_journal(ws, write, operation)
    return _without_receipt(ws, operation)


def _in_journal(ws: OpenWorkspace, write: Journal, operation: str) -> OperationReport:
    """A write that was begun: once main holds it, it is committed, and its commit tells the receipt."""
    if not has_happened(ws.store, write):
        why = "a write was begun and is not part of history yet; the next command finishes or undoes it"
        return OperationReport(operation, OperationState.PENDING, recovery=recovery(operation, why))
    for commit in ws.store.history(write.commit, write.base):
        receipt = trailers.receipt_of(trailers.parse(commit.message))
        if receipt is not None and receipt.operation == operation:
            return OperationReport(operation, OperationState.RECEIPT_MISSING, receipt, commit.oid)
    return _unproven(operation, write.commit, "its commit does not tell its receipt", ())


def _without_receipt(ws: OpenWorkspace, operation: str) -> OperationReport | None:
    """Traces of an operation whose receipt is not part of the accepted history."""
    told = records_of(ws.cache, operation)
    if told:
        versions = ws.cache.versions(told[0].path)
        revision = next((each.oid for each in reversed(versions) if each.blob == told[0].blob), None)
        return _unproven(operation, revision, "records tell of it", tuple(each.path for each in told))
    claimed = ws.cache.claiming(operation)
    if claimed is not None:
        return _claimed(operation, claimed.oid)
    waiting = _not_accepted_yet(ws, operation)
    if waiting is not None:
        why = f"commit {waiting[:10]} claims to be it and is not judged yet; any command that writes judges it"
        return OperationReport(operation, OperationState.PENDING, revision=waiting, recovery=recovery(operation, why))
    return None


def _not_accepted_yet(ws: OpenWorkspace, operation: str) -> str | None:
    head, accepted = ws.store.head(), ws.cache.get_meta("revision")
    if head is None or head == accepted:
        return None
    for commit in ws.store.history(head, accepted):
        if trailers.parse(commit.message).get("Operation") == operation:
            return commit.oid
    return None


def _unproven(operation: str, revision: str | None, why: str, paths: tuple[str, ...]) -> OperationReport:
    reread = (*(() if revision is None else (f"revision {revision}",)), *paths[:5])
    way = recovery(operation, f"{why}, but its receipt cannot be read", reread)
    way["stop_when"] = "what it did is confirmed from these; it is never carried out again under this id"
    return OperationReport(operation, OperationState.RECEIPT_MISSING, revision=revision, recovery=way)


def _claimed(operation: str, revision: str) -> OperationReport:
    """Anybody may write anything into a commit message, and what of such a commit was accepted is another question."""
    why = f"commit {revision[:10]}, made with plain Git, claims to be it"
    way = recovery(operation, why, (f"revision {revision}", f"loopx show {revision[:10]}"))
    way["stop_when"] = "that revision shows whether what was asked for is there; asked again, it is decided anew"
    return OperationReport(operation, OperationState.UNKNOWN, revision=revision, recovery=way)


def _when_nobody_writes(ws: OpenWorkspace, operation: str) -> OperationReport:
    """Look once more while no write can be under way: what is not there then is absent."""
    try:
        with ws.store.lock(0, "op show"):
            return _known(ws, operation) or OperationReport(operation, OperationState.ABSENT)
    except LoopxError as error:
        if error.code == "lock-held":
            why = f"it is not in history, and another command is writing: {error}"
            return OperationReport(operation, OperationState.PENDING, recovery=recovery(operation, why))
        if error.code != "disk-refused":
            raise
    return OperationReport(operation, OperationState.ABSENT)  # where nothing can be written, nothing is being written
