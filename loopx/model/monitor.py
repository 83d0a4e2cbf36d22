"""What watching a monitor found: counts, the newest results, and when to look again."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import machine
from loopx.model.forms import ActorName, EvidenceId, GoalId, Instant, OperationId, TodoId
from loopx.model.kind import Kind


class PollResult(StrEnum):
    """What one look found."""

    UNCHANGED = "unchanged"
    MATERIAL = "material"
    """Something changed that calls for work."""
    DEAD = "dead"
    """The target could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """One look at a monitor's target."""

    number: int = machine("the how manyth look it was")
    at: Instant = machine("when")
    by: ActorName = machine("who looked")
    operation: OperationId = machine("the operation that recorded it")
    result: PollResult = machine("unchanged, material or dead")
    digest: str | None = machine("digest of what was seen; absent when nothing could be read", default=None)
    summary: str = machine("what was seen, in words", default="")
    successors: tuple[TodoId, ...] = machine("Todos it raised", default=())
    evidence: tuple[EvidenceId, ...] = machine("what shows it", default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorLog:
    """``monitors/<todo>.yaml``: what watching found so far. Only the newest looks are listed; Git has the others."""

    KIND: ClassVar[Kind] = Kind.MONITOR

    todo: TodoId = machine("the monitor")
    polls: int = machine("looks so far", default=0)
    unchanged_count: int = machine("looks in a row that found nothing new", default=0)
    dead_count: int = machine("looks in a row that could read nothing", default=0)
    last_result_hash: str | None = machine("digest of what was last seen", default=None)
    last_polled_at: Instant | None = machine("when it was last looked at", default=None)
    last_material_at: Instant | None = machine("when something material was last seen", default=None)
    next_due_at: Instant | None = machine("when to look again", default=None)
    recent: tuple[Poll, ...] = machine("the newest looks, newest last", default=())
    goal: GoalId = field(default="", metadata={"from_path": True})

    @property
    def id(self) -> str:
        return self.todo
