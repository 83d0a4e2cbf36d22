"""A Turn: one bounded piece of an agent's work, opened on what it saw and settled with what it delivered."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Annotated, ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import machine
from loopx.model.forms import (
    FROM_ONE,
    AgentId,
    CriterionId,
    EvidenceId,
    GoalId,
    Instant,
    Line,
    OperationId,
    ProviderRevision,
    TodoId,
    TurnId,
)
from loopx.model.kind import Kind


class TurnStatus(StrEnum):
    """Where a Turn is in its life."""

    OPEN = "open"
    SETTLED = "settled"
    VOIDED = "voided"


class Scale(StrEnum):
    """How large a delivery is. Says nothing about the objective."""

    TEST_ONLY = "test_only"
    SINGLE_SURFACE = "single_surface"
    MULTI_SURFACE = "multi_surface"
    IMPLEMENTATION = "implementation"


class DeliveryOutcome(StrEnum):
    """How a delivery relates to the objective, least first."""

    SURFACE_ONLY = "surface_only"
    """Something was produced; no criterion moved."""
    OUTCOME_GAP = "outcome_gap"
    """The expected effect did not show."""
    OUTCOME_PROGRESS = "outcome_progress"
    """A criterion is measurably closer."""
    PRIMARY_GOAL_OUTCOME = "primary_goal_outcome"
    """A criterion is met."""


class PathOutcome(StrEnum):
    """What an agent does about its route."""

    CONTINUE = "continue"
    REPLAN = "replan"
    WAIT = "wait"
    NO_CHANGE = "no_change"
    ASK_HUMAN = "ask_human"
    STOP = "stop"


class CheckpointResult(StrEnum):
    """What a Turn said of its agent's Vision."""

    PATCHED = "patched"
    UNCHANGED = "unchanged"
    RETIRED = "retired"
    MISSING = "missing"
    """One was required, or unchanged was claimed without a baseline."""
    NOT_REQUIRED = "not_required"


@dataclass(frozen=True, slots=True, kw_only=True)
class PathDelta:
    """How the route changed, as the agent tells it."""

    outcome: PathOutcome = machine("continue, replan, wait, no_change, ask_human or stop")
    prior_assumption: str | None = machine("what was assumed", default=None)
    observed_reality: str | None = machine("what was seen instead", default=None)
    retained: tuple[Line, ...] = machine("what stays", default=())
    changed: tuple[Line, ...] = machine("what changes", default=())
    stopped: tuple[Line, ...] = machine("what ends", default=())
    open_questions: tuple[Line, ...] = machine("what is not known", default=())
    evidence: tuple[EvidenceId, ...] = machine("what shows it", default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What a Turn said of its agent's Vision, and what that is worth."""

    result: CheckpointResult = machine("patched, unchanged, retired, missing or not_required")
    baseline: str | None = machine("digest of the Vision it is compared with; absent when there was none", default=None)
    reason: str | None = machine("why it is unchanged, or not required", default=None)
    gap: str | None = machine("the gap it leaves, such as vision_checkpoint_missing", default=None)
    armed_by: TurnId | None = machine("the Turn that first left that gap, where it was an earlier one", default=None)
    path_delta: PathDelta | None = machine("how the route changed", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """Slots a delivery used up. Taken back by a compensating entry only."""

    slots: int = machine("slots of the Goal's quota")
    at: Instant = machine("when")
    operation: OperationId = machine("the operation that recorded it")
    validated: bool = machine("whether more than somebody's word shows the delivery", default=False)
    voided_at: Instant | None = machine("when it was taken back", default=None)
    voided_by: OperationId | None = machine("the operation that took it back", default=None)
    void_reason: str | None = machine("why", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """``turns/<day>/<turn>.yaml``: what one turn saw, delivered and spent. The day is that of its opening."""

    KIND: ClassVar[Kind] = Kind.TURN

    id: TurnId = machine("identity")
    agent: AgentId = machine("whose turn it is: an agent, or human-NAME")
    status: TurnStatus = machine("open, settled or voided", default=TurnStatus.OPEN)
    todo: TodoId | None = machine("the Todo it works on", default=None)
    obligation: Line | None = machine("the obligation it discharges instead", default=None)
    opened_at: Instant = machine("when it was opened")
    opened_by: OperationId = machine("the operation that opened it")
    basis: ProviderRevision | None = machine(
        "the revision of the workspace it was opened on; absent when unknown", default=None
    )
    baseline: str | None = machine("digest of the agent's Vision when it was opened; absent without one", default=None)
    lease_epoch: Annotated[int, FROM_ONE] | None = machine(
        "epoch of the lease it was opened under; absent without one", default=None
    )
    slots: int = machine("slots it may take before it is to be settled", default=1)
    settled_at: Instant | None = machine("when it was settled or voided", default=None)
    settled_by: OperationId | None = machine("the operation that settled or voided it", default=None)
    previous: TurnId | None = machine("the agent's Turn in this Goal that ended before this one did", default=None)
    scale: Scale | None = machine("how large the delivery was", default=None, key="delivery_batch_scale")
    outcome: DeliveryOutcome | None = machine(
        "how the delivery relates to the objective, as recorded", default=None, key="delivery_outcome"
    )
    claimed: DeliveryOutcome | None = machine("delivery outcome as claimed, where it was recorded lower", default=None)
    delta: tuple[Line, ...] = machine("what rereadable facts it added, such as todo:t-…:done", default=())
    evidence: tuple[EvidenceId, ...] = machine("evidence it cites", default=())
    meets: tuple[CriterionId, ...] = machine("criteria it met", default=())
    discharges: tuple[Line, ...] = machine("obligations it discharged", default=())
    checkpoint: Checkpoint | None = machine("what it said of the Vision", default=None)
    no_follow_up: str | None = machine("why nothing follows", default=None)
    next_action: str | None = machine("what should happen next", default=None)
    spend: Spend | None = machine("slots used", default=None)
    note: str | None = machine("remarks, or why it was voided", default=None)
    goal: GoalId = field(default="", metadata={"from_path": True})
