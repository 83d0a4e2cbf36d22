"""Baselines: what each version of an agent's Vision was written on, so that a change of premises shows."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import machine
from loopx.model.forms import ActorName, AgentId, GoalId, Instant, OperationId, TurnId
from loopx.model.kind import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """One version of a Vision with its premises as they were then, as digests."""

    at: Instant = machine("when it was written")
    by: ActorName = machine("who wrote it")
    operation: OperationId = machine("the operation that recorded it")
    vision: str = machine("digest of the Vision's text")
    acceptance: str = machine("digest of the Goal's criteria")
    boundary: str = machine("digest of the Goal's boundary")
    gates: str = machine("digest of the decisions on the Goal's Gates")
    turn: TurnId | None = machine("the Turn that wrote it", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineLog:
    """``baselines/<agent>.yaml``: every version of one agent's Vision, newest last."""

    KIND: ClassVar[Kind] = Kind.BASELINE

    agent: AgentId = machine("whose Vision")
    entries: tuple[Baseline, ...] = machine("versions, newest last", default=())
    goal: GoalId = field(default="", metadata={"from_path": True})

    @property
    def id(self) -> str:
        return self.agent
