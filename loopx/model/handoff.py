"""A Handoff: a bounded packet with which work changes hands. No transcript, nothing private."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import machine
from loopx.model.forms import (
    ActorName,
    AgentId,
    EvidenceId,
    GateId,
    GoalId,
    HandoffId,
    Instant,
    Line,
    OperationId,
    ProviderRevision,
    TodoId,
)
from loopx.model.kind import Kind


class HandoffStatus(StrEnum):
    """Where a Handoff is in its life."""

    OFFERED = "offered"
    ACCEPTED = "accepted"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """``handoffs/<handoff>.yaml``: what the receiver needs to go on, and nothing else."""

    KIND: ClassVar[Kind] = Kind.HANDOFF

    id: HandoffId = machine("identity")
    status: HandoffStatus = machine("offered, accepted or declined", default=HandoffStatus.OFFERED)
    sender: ActorName = machine("who hands over")
    receiver: AgentId | None = machine("to whom; anybody when absent", default=None)
    todos: tuple[TodoId, ...] = machine("Todos handed over", default=())
    gates: tuple[GateId, ...] = machine("Gates that bear on them", default=())
    evidence: tuple[EvidenceId, ...] = machine("evidence to start from", default=())
    revision: ProviderRevision | None = machine(
        "the revision of the workspace it was made on; absent when unknown", default=None
    )
    next_action: Line = machine("what to do next")
    stop_condition: Line | None = machine("when to stop", default=None)
    omitted: tuple[Line, ...] = machine("what was left out, and the legal way to get it", default=())
    created_at: Instant = machine("when it was made")
    created_by: OperationId = machine("the operation that made it")
    answered_at: Instant | None = machine("when it was answered", default=None)
    answered_by: ActorName | None = machine("who answered", default=None)
    reason: str | None = machine("why it was declined", default=None)
    goal: GoalId = field(default="", metadata={"from_path": True})
