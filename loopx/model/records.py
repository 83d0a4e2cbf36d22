"""Machine-owned records: facts that only move forward, in files of their own that a rollback never touches.

A record file keeps every entry ever made, newest last; an entry undone by a rollback is marked, not removed.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from loopx.model.actor import Channel
from loopx.model.defining import dataclass
from loopx.model.fields import machine
from loopx.model.forms import (
    ActorName,
    ArtifactRevision,
    CriterionId,
    EvidenceId,
    GateId,
    GoalId,
    Instant,
    Line,
    OperationId,
    TodoId,
)
from loopx.model.gate import GateStatus
from loopx.model.goal import CriterionStatus as CriterionStatus
from loopx.model.kind import Kind

if TYPE_CHECKING:
    from datetime import datetime


class CompletionContinuation(StrEnum):
    """What goes on after a Todo is done."""

    SUCCESSOR = "successor"
    NO_FOLLOWUP = "no_followup"
    GOAL_ACTIVE = "goal_active"


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One completion of a Todo."""

    at: Instant = machine("when")
    by: ActorName = machine("who")
    operation: OperationId = machine("the operation that recorded it")
    continuation: CompletionContinuation = machine("what goes on", default=CompletionContinuation.GOAL_ACTIVE)
    successors: tuple[TodoId, ...] = machine("Todos that carry on", default=())
    reason: str | None = machine("why nothing follows", default=None)
    evidence: tuple[EvidenceId, ...] = machine("what proves it", default=())
    validated: bool = machine("whether a validation or evidence backs it", default=False)
    note: str | None = machine("remarks", default=None)
    reopened_at: Instant | None = machine("when it was reopened", default=None)
    rolled_back_at: Instant | None = machine("when a rollback undid it", default=None)
    rolled_back_by: OperationId | None = machine("the rollback's operation", default=None)

    @property
    def stands(self) -> bool:
        """Whether nothing undid it."""
        return self.reopened_at is None and self.rolled_back_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionLog:
    """``completions/<todo>.yaml``: every completion of one Todo, newest last."""

    KIND: ClassVar[Kind] = Kind.COMPLETION

    todo: TodoId = machine("the Todo")
    entries: tuple[Completion, ...] = machine("completions, newest last", default=())
    goal: GoalId = field(default="", metadata={"from_path": True})

    @property
    def id(self) -> str:
        return self.todo

    @property
    def completed_at(self) -> datetime | None:
        """When the newest completion was, whether or not it stands."""
        return self.entries[-1].at if self.entries else None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """One decision on a Gate, with what it was made on."""

    status: GateStatus = machine("approved, rejected, deferred or withdrawn")
    at: Instant = machine("when")
    by: ActorName = machine("who")
    operation: OperationId = machine("the operation that recorded it")
    reason: Line = machine("why")
    option: str | None = machine("the answer chosen", default=None)
    channel: Channel = machine("where it was said", default=Channel.SCRIPT)
    scope: Line = machine("the scope as it was asked")
    inputs: str = machine("digest of question, scope, options and evidence as asked")
    acceptance: str | None = machine("digest of the criteria it was decided on, where it is about any", default=None)
    artifact: str | None = machine("digest of the files its evidence speaks of, as they were", default=None)
    valid_until: Instant | None = machine("when it stops covering", default=None)
    rolled_back_at: Instant | None = machine("when a rollback undid it", default=None)
    rolled_back_by: OperationId | None = machine("the rollback's operation", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionLog:
    """``decisions/<gate>.yaml``: every decision on one Gate, newest last."""

    KIND: ClassVar[Kind] = Kind.DECISION

    gate: GateId = machine("the Gate")
    entries: tuple[GateDecision, ...] = machine("decisions, newest last", default=())
    goal: GoalId = field(default="", metadata={"from_path": True})

    @property
    def id(self) -> str:
        return self.gate


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionMark:
    """One judgement on a criterion."""

    status: CriterionStatus = machine("met, waived, or open again")
    at: Instant = machine("when")
    by: ActorName = machine("who")
    operation: OperationId = machine("the operation that recorded it")
    evidence: tuple[EvidenceId, ...] = machine("on what", default=())
    reason: str | None = machine("why", default=None)
    text: str = machine("digest of the criterion's text and check as judged")
    rolled_back_at: Instant | None = machine("when a rollback undid it", default=None)
    rolled_back_by: OperationId | None = machine("the rollback's operation", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionLog:
    """``criteria/<id>.yaml``: every judgement on one criterion, newest last."""

    KIND: ClassVar[Kind] = Kind.CRITERION

    criterion: CriterionId = machine("the criterion")
    entries: tuple[CriterionMark, ...] = machine("judgements, newest last", default=())
    goal: GoalId = field(default="", metadata={"from_path": True})

    @property
    def id(self) -> str:
        return self.criterion


class EvidenceKind(StrEnum):
    """What sort of evidence it is."""

    OBSERVATION = "observation"
    VALIDATION = "validation"
    READBACK = "readback"
    DELIVERY = "delivery"
    DECISION = "decision"
    NEGATIVE_RESULT = "negative_result"


class EvidenceResult(StrEnum):
    """What it says."""

    PASSED = "passed"
    FAILED = "failed"
    UNAVAILABLE = "unavailable"
    TIMED_OUT = "timed_out"
    NOTED = "noted"


class Assessment(StrEnum):
    """What somebody judged a piece of evidence to be worth after what it was made on changed."""

    APPLIES = "applies"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """One thing evidence was made on, as a digest of how it was then."""

    what: Line = machine("validation, criterion:ID, boundary, gate:ID, file:PATH or environment:NAME")
    digest: str = machine("digest of it as it was")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reassessment:
    """A judgement on other evidence after a change. It speaks of the inputs it was made on, no others."""

    of: EvidenceId = machine("the evidence judged")
    assessment: Assessment = machine("applies or superseded")
    inputs: str = machine("digest of everything the judged evidence is bound to, as it is now")
    difference: str | None = machine("what changed between then and now", default=None)
    requirement: str | None = machine("the requirement looked at", default=None)
    method: str | None = machine("how it was checked", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """``evidence/<day>/<id>.yaml``: one observation, bound to what it was made on. Never changed once written."""

    KIND: ClassVar[Kind] = Kind.EVIDENCE

    id: EvidenceId = machine("identity")
    kind: EvidenceKind = machine("the sort of evidence")
    subject: Line = machine("the Todo, criterion or Gate it speaks of")
    source: Line = machine("who or what observed: loopx:validation, human:NAME, agent:ID")
    observed_at: Instant = machine("when")
    result: EvidenceResult = machine("what it says")
    summary: str = machine("what was seen, in words", default="")
    argv: tuple[str, ...] = machine("the command that ran", default=())
    exit_status: int | None = machine("how it ended", default=None)
    artifact_revision: ArtifactRevision | None = machine(
        "the project commit it ran on; absent when unknown", default=None
    )
    inputs: str | None = machine("digest of the Todo's bound fields as validated", default=None)
    artifact: str | None = machine(
        "digest of the project's files in scope as they were, uncommitted changes included", default=None
    )
    artifact_scopes: tuple[Line, ...] = machine("the path patterns that digest covers; all when empty", default=())
    bound: tuple[Binding, ...] = machine("what else it was made on", default=())
    fresh_for: Line | None = machine("how long it counts, such as 6h; always when absent", default=None)
    reassessment: Reassessment | None = machine("the judgement it is, where it judges other evidence", default=None)
    references: tuple[str, ...] = machine("where to look", default=())
    operation: OperationId | None = machine("the operation that recorded it", default=None)
    goal: GoalId = field(default="", metadata={"from_path": True})


Record = CompletionLog | DecisionLog | CriterionLog | Evidence


def is_record(entity: Any) -> bool:
    """Whether ``entity`` is a machine-owned record."""
    return isinstance(entity, Record)
