"""One request to a pass: how it is decided, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field, fields, replace
from typing import Any

from loopx.errors import LoopxError, Place, Problem
from loopx.kernel.commands import Command
from loopx.kernel.context import Context
from loopx.kernel.decide import as_of_now, decide
from loopx.kernel.digest import request_digest
from loopx.kernel.outcome import Accepted, Change, Receipt, Record, Refused
from loopx.model.actor import Actor, Origin
from loopx.model.defining import dataclass
from loopx.model.entities import identity, kind_of
from loopx.model.kind import Kind
from loopx.store.protocol import Signature
from loopx.workspace.results import Committed
from loopx.workspace.rows import receipt_of_row
from loopx.workspace.texts import apply_change
from loopx.workspace.undone import superseded_by
from loopx.workspace.unknown import lost, of_operation, records_of
from loopx.workspace.work import Link, Work

_SHORTEST_REVISION = 4


class RefusedError(LoopxError):
    """The kernel said no. Carries the :class:`loopx.kernel.outcome.Refused` as ``refused``."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.code, refused.message, place=refused.place, hint=refused.hint, facts=refused.facts)
        self.refused = refused


@dataclass(slots=True, kw_only=True)
class Proposal:
    """A command on its way through a pass."""

    command: Command
    actor: Actor
    author: Signature
    operation: str
    is_named: bool
    """The caller gave the operation id: even an empty change commits its receipt then."""
    origin: Origin = Origin.COMMAND
    expect_revision: str | None = None
    special: Callable[[Work, Proposal], Link | None] | None = None
    """Decides and writes what no plain command does (a rollback); the pass treats its link like any other."""
    link: Link | None = None
    receipt: Receipt | None = None
    replay: Committed | None = None
    error: LoopxError | None = None
    notices: tuple[Problem, ...] = ()
    result: Committed | None = field(default=None)

    def settle(self, work: Work) -> None:
        """Decide on ``work``'s state and put what is accepted on its chain. Never raises a :class:`LoopxError`."""
        try:
            with work.undoable():
                self.replay = _replay(work, self)
                if self.replay is None:
                    self._decide(work)
        except LoopxError as error:
            self.error = error

    def _decide(self, work: Work) -> None:
        _expect(work, self.expect_revision)
        if self.special is not None:
            self.link = self.special(work, self)
            self.receipt = self.link.receipt if self.link is not None else self.receipt
            return
        context = Context(self.actor, self.origin, self.operation, work.now, _Fresh(work))
        outcome = decide(work.state, _based(self.command, work.base), context)
        if isinstance(outcome, Refused):
            raise RefusedError(outcome)
        self.receipt, self.notices = outcome.receipt, outcome.notices
        if outcome.receipt.operation != self.operation:
            self._answered_before(work, outcome)
            return
        if not outcome.changes and not self.is_named:
            return
        _refuse_edited_leases(work, outcome.changes)
        self.link = Link(outcome.receipt, outcome.headline, outcome.body, self.author)
        work.links.append(self.link)
        for change in outcome.changes:
            apply_change(work, self.link, change)

    def _answered_before(self, work: Work, outcome: Accepted) -> None:
        """The kernel answered with the receipt of an earlier operation. That one is returned; under a name the caller
        gave, this one is committed too, so that it can be read back."""
        original = outcome.receipt
        row: Any = work.cache.operation(original.operation)
        self.replay = Committed(original, row.oid if row is not None else work.base, replayed=True)
        if not self.is_named:
            return
        receipt = replace(
            original,
            operation=self.operation,
            actor=self.actor,
            origin=self.origin,
            request=request_digest(self.command, self.actor),
            at=work.now,
            result={"id": original.result.get("id"), "already": True, "original": original.operation},
        )
        work.links.append(Link(receipt, outcome.headline, outcome.body, self.author))


@dataclass(frozen=True, slots=True)
class _Fresh:
    """Ids for the kernel that no document ever had."""

    work: Work

    def fresh(self, prefix: str) -> str:
        return self.work.fresh(prefix)


def _replay(work: Work, proposal: Proposal) -> Committed | None:
    """The original answer, when this operation is in history already. Looked up before any other check."""
    found: Any = work.cache.operation(proposal.operation)
    digest = request_digest(proposal.command, proposal.actor)
    for link in work.links:
        if link.receipt.operation == proposal.operation:
            _same_request(link.receipt, digest)
            return Committed(link.receipt, work.base, replayed=True)
    if found is None:
        if proposal.is_named:
            _refuse_unproven(work, proposal.operation)
        return None
    receipt = receipt_of_row(found)
    _same_request(receipt, digest)
    receipt = as_of_now(work.state, receipt, work.now)
    return Committed(receipt, found.oid, replayed=True, superseded_by=superseded_by(work.cache, found))


def _refuse_unproven(work: Work, operation: str) -> None:
    """An operation that records tell of was carried out, although its receipt is gone: never a second time."""
    told = records_of(work.cache, operation)
    if told:
        message = f"{told[0].path} tells of operation {operation}, but its receipt cannot be read."
        raise of_operation(lost(message), operation)


def _refuse_edited_leases(work: Work, changes: Iterable[Change]) -> None:
    """A lease whose file holds a hand edit is not written: what fences a Todo is neither overruled nor made anew in
    silence."""
    for each in changes:
        if not isinstance(each, Record) or kind_of(each.entity) is not Kind.LEASE:
            continue
        path = work.path_of(Kind.LEASE, identity(each.entity))
        if path is not None and path in work.held:
            message = f"{path} was changed or deleted by hand, so the lease of {identity(each.entity)} is in doubt."
            hint = f"A person puts the accepted version back with `loopx edit discard {path}`; then repeat the request."
            raise LoopxError("lease-file-edited", message, place=Place(path), hint=hint, facts={"path": path})


def _based(command: Command, revision: str | None) -> Command:
    """``command`` with the revision it is decided on, where it keeps one."""
    if "basis" not in {each.name for each in fields(command)}:
        return command
    return replace(command, basis=revision)  # type: ignore[call-arg]


def _same_request(receipt: Receipt, digest: str) -> None:
    if receipt.request != digest:
        raise LoopxError(
            "operation-reused",
            f"operation {receipt.operation} was a different request: {receipt.command} {receipt.subject}",
            facts={"operation": receipt.operation, "command": receipt.command},
        )


def _expect(work: Work, expected: str | None) -> None:
    if expected is None:
        return
    is_here = work.base is not None and len(expected) >= _SHORTEST_REVISION and work.base.startswith(expected)
    if not is_here or work.links:
        raise LoopxError(
            "revision-conflict",
            f"the workspace is at {(work.base or 'nothing')[:10]}"
            + (" with edits just taken in" if work.links else "")
            + f", not at {expected[:10]}",
            facts={"expected": expected, "found": work.base},
        )
