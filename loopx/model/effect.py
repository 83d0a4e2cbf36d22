"""An Effect: something done outside LoopX whose intent is on record before and whose outcome afterwards.

While the intent is the newest fact, the outcome is *unknown*, which is not another spelling of failed.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import machine
from loopx.model.forms import ActorName, AgentId, EffectId, EvidenceId, GoalId, Instant, Line, OperationId, TodoId
from loopx.model.kind import Kind


class EffectStatus(StrEnum):
    """What is known of an effect."""

    UNKNOWN = "unknown"
    CONFIRMED = "confirmed"
    """It happened."""
    ABSENT = "absent"
    """It is proven that it did not happen."""
    COMPENSATED = "compensated"
    """It happened and was made good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Postcondition:
    """A follow-up of an effect that must be seen to hold."""

    text: Line = machine("what must hold")
    confirmed_at: Instant | None = machine("when it was seen to hold", default=None)
    confirmed_by: ActorName | None = machine("who saw it", default=None)
    evidence: EvidenceId | None = machine("what shows it", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """``effects/<effect>.yaml``: one act on the outside world."""

    KIND: ClassVar[Kind] = Kind.EFFECT

    id: EffectId = machine("identity; handed to the outside as idempotency key")
    summary: Line = machine("what is done")
    status: EffectStatus = machine("unknown, confirmed, absent or compensated", default=EffectStatus.UNKNOWN)
    agent: AgentId = machine("who does it")
    todo: TodoId | None = machine("the Todo it is done for", default=None)
    readback: Line | None = machine("how its outcome is read back", default=None)
    readback_due_at: Instant = machine("when its outcome should be read back")
    write_scopes: tuple[Line, ...] = machine("path patterns it may touch", default=())
    postconditions: tuple[Postcondition, ...] = machine("what must hold afterwards", default=())
    opened_at: Instant = machine("when the intent was recorded")
    opened_by: OperationId = machine("the operation that recorded it")
    settled_at: Instant | None = machine("when its outcome was recorded", default=None)
    settled_by: OperationId | None = machine("the operation that recorded the outcome", default=None)
    evidence: tuple[EvidenceId, ...] = machine("what shows the outcome", default=())
    compensation: TodoId | None = machine("the Todo that makes it good", default=None)
    reason: str | None = machine("what was found", default=None)
    goal: GoalId = field(default="", metadata={"from_path": True})
