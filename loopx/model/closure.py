"""Closures: how and on what basis a Goal ended, each time it did."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import machine
from loopx.model.forms import ActorName, GoalId, Instant, Line, OperationId, TodoId
from loopx.model.goal import GoalOutcome
from loopx.model.kind import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCount:
    """One line of the terminal audit as it stood."""

    name: Line = machine("the line's name")
    count: int = machine("how many items it found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """One end of a Goal."""

    outcome: GoalOutcome = machine("achieved, no_followup or abandoned")
    at: Instant = machine("when")
    by: ActorName = machine("who")
    operation: OperationId = machine("the operation that recorded it")
    reason: Line | None = machine("why nothing follows, or why it was abandoned", default=None)
    basis: tuple[AuditCount, ...] = machine("the terminal audit it rests on", default=())
    left_open: tuple[Line, ...] = machine("abandoned: what stays open", default=())
    compensations: tuple[TodoId, ...] = machine("Todos, of another Goal, that make effects good", default=())
    reopened_at: Instant | None = machine("when it was reopened", default=None)
    reopened_by: ActorName | None = machine("who reopened it", default=None)
    reopen_reason: Line | None = machine("why it was reopened", default=None)
    rolled_back_at: Instant | None = machine("when a rollback undid it", default=None)
    rolled_back_by: OperationId | None = machine("the rollback's operation", default=None)

    @property
    def stands(self) -> bool:
        """Whether nothing undid it."""
        return self.reopened_at is None and self.rolled_back_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosureLog:
    """``closure.yaml``: every end of one Goal, newest last."""

    KIND: ClassVar[Kind] = Kind.CLOSURE

    entries: tuple[Closure, ...] = machine("ends, newest last", default=())
    goal: GoalId = field(default="", metadata={"from_path": True})

    @property
    def id(self) -> str:
        return self.goal
