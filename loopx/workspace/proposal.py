"""One request to a pass: how it is decided, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from loopx.errors import LoopxError, Problem
from loopx.kernel.commands import Command
from loopx.kernel.context import Context
from loopx.kernel.decide import decide
from loopx.kernel.digest import request_digest
from loopx.kernel.outcome import Receipt, Refused
from loopx.model.actor import Actor, Origin
from loopx.store.protocol import Signature
from loopx.workspace.results import Committed
from loopx.workspace.rows import receipt_of_row
from loopx.workspace.texts import apply_change
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
        outcome = decide(work.state, self.command, context)
        if isinstance(outcome, Refused):
            raise RefusedError(outcome)
        self.receipt, self.notices = outcome.receipt, outcome.notices
        if not outcome.changes and not self.is_named:
            return
        self.link = Link(outcome.receipt, outcome.headline, outcome.body, self.author)
        work.links.append(self.link)
        for change in outcome.changes:
            apply_change(work, self.link, change)


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
        return None
    receipt = receipt_of_row(found)
    _same_request(receipt, digest)
    return Committed(receipt, found.oid, replayed=True, superseded_by=found.superseded_by)


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
