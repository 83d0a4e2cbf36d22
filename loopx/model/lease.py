"""A Lease: who executes a Todo right now, proven by an execution key and an epoch. Machine-owned, never restarted."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Annotated, ClassVar, NewType

from loopx.model.defining import dataclass
from loopx.model.fields import machine
from loopx.model.forms import FROM_ONE, AgentId, ExecutionKey, GoalId, Instant, Line, OperationId, TodoId
from loopx.model.kind import Kind

LeaseEpoch = NewType("LeaseEpoch", int)
"""Which execution holds the lease: rises with each new holder, and never stands in for a version."""
LeaseVersion = NewType("LeaseVersion", int)
"""Which state of one lease record is meant: rises with each change of it, and never stands in for a revision."""


class LeaseStatus(StrEnum):
    """Where a Lease is in its life. ``expired`` is what the clock makes of an active one; no command writes it."""

    ACTIVE = "active"
    RELEASED = "released"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetiredKey:
    """An execution key that proves nothing any more."""

    key: ExecutionKey = machine("the key")
    epoch: Annotated[LeaseEpoch, FROM_ONE] = machine("the epoch it belonged to")
    at: Instant = machine("when it was retired")
    reason: Line = machine("released, taken over, transferred, expired or completed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """``leases/<todo>.yaml``: the right to execute one Todo. The record stays after release, so that epochs never
    restart."""

    KIND: ClassVar[Kind] = Kind.LEASE

    todo: TodoId = machine("the Todo")
    status: LeaseStatus = machine("active or released; expired is told by the clock", default=LeaseStatus.ACTIVE)
    owner: AgentId = machine("who executes: an agent, or human-NAME")
    key: ExecutionKey = machine("the execution key that proves it")
    epoch: Annotated[LeaseEpoch, FROM_ONE] = machine("rises with each new holder")
    version: Annotated[LeaseVersion, FROM_ONE] = machine("rises with each change")
    ttl_seconds: int = machine("how long it lives after the last renewal")
    write_scopes: tuple[Line, ...] = machine("path patterns it may write", default=())
    acquired_at: Instant = machine("when this holder got it")
    renewed_at: Instant = machine("when it was last renewed")
    expires_at: Instant = machine("renewed_at and the time to live, for people to read")
    acquired_by: OperationId = machine("the operation whose receipt a replay returns")
    terms: str = machine("digest of the terms it was acquired on")
    released_at: Instant | None = machine("when it was released", default=None)
    retired: tuple[RetiredKey, ...] = machine("keys of earlier generations, oldest first", default=())
    goal: GoalId = field(default="", metadata={"from_path": True})

    @property
    def id(self) -> str:
        return self.todo
