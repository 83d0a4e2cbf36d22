"""What became of a run and of each of its steps: machine-owned, only ever moving forward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from loopx.model.defining import dataclass
from loopx.model.fields import machine
from loopx.model.forms import ActorName, GateId, GoalId, Instant, Line, OperationId, RunId, StepId, TodoId, TurnId
from loopx.model.kind import Kind
from loopx.model.step import (
    AttemptOutcome,
    ExecutionState,
    FailureStatus,
    FailureType,
    RecoveryStrategy,
    StepStatus,
    VerificationStatus,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One execution of a step. Its id is the idempotency key the actor gets in its environment."""

    id: Line = machine("identity, such as run-…/s1/2")
    number: int = machine("the how manyth execution of the step")
    definition: str = machine("digest of the step's definition it ran on")
    started_at: Instant = machine("when it was started")
    ended_at: Instant | None = machine("when it ended", default=None)
    outcome: AttemptOutcome = machine("running, succeeded, failed, not_started, unknown or cancelled")
    exit_status: int | None = machine("how a process ended", default=None)
    output_digest: str | None = machine("digest of its whole output", default=None)
    failure: Line | None = machine("the failure it ended in", default=None)
    process_group: int | None = machine("process group of a command", default=None)
    boot: str | None = machine("the machine's boot it ran in", default=None)
    process_started: str | None = machine("start time of that process, as the system tells it", default=None)
    cost: float = machine("what it cost", default=0.0)
    tokens: int = machine("tokens it used", default=0)
    evaluation_passed: bool | None = machine("the evaluator's verdict on it", default=None)
    verification_passed: bool | None = machine("the verifier's verdict on it", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureAction:
    """One recovery that was chosen for a failure."""

    action_id: Line = machine("identity")
    params: dict[str, Any] = machine("what it was chosen with", factory=dict)
    strategy: RecoveryStrategy = machine("what was chosen")
    executed: bool = machine("whether it was carried out", default=False)
    success: bool = machine("whether it succeeded and its postconditions held", default=False)
    message: str = machine("what it said", default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRecord:
    """One failure of a run."""

    failure_id: Line = machine("identity; a new failure has a new one")
    number: int = machine("its place among the failures of the run, from 1", default=0)
    type: FailureType = machine("the sort of failure")
    message: str = machine("what went wrong")
    step: StepId | None = machine("the step it happened to", default=None)
    lineage: StepId | None = machine("the step that one descends from", default=None)
    status: FailureStatus = machine("where it is in its life")
    recoverable: bool = machine("whether recovery may be tried", default=True)
    recovery_attempts: int = machine("recoveries tried", default=0)
    actions: tuple[FailureAction, ...] = machine("recoveries chosen, oldest first", default=())
    raised_at: Instant = machine("when")
    evidence: str | None = machine("what was seen", default=None)
    outcome_unknown: bool = machine("whether something began whose end nobody saw", default=False)
    judge_outage: bool = machine("whether a judge broke down, which says nothing against the step", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """``steps/<step>.yaml``: what became of one step."""

    KIND: ClassVar[Kind] = Kind.STEP

    step: StepId = machine("the step")
    run: RunId = machine("its run")
    todo: TodoId = machine("the Todo its run carries out")
    status: StepStatus = machine("where it is in its life")
    version: int = machine("version of its definition")
    lineage: StepId = machine("the step it descends from")
    replaces: StepId | None = machine("the step it replaces", default=None)
    superseded_by: StepId | None = machine("the step that replaced it", default=None)
    retry_count: int = machine("executions again of its lineage", default=0)
    attempts: tuple[Attempt, ...] = machine("executions, oldest first", default=())
    output: str | None = machine("what it put out, bounded, secrets masked", default=None)
    start_time: Instant | None = machine("when it was started", default=None)
    end_time: Instant | None = machine("when it came back", default=None)
    evaluation_passed: bool | None = machine("the evaluator's verdict", default=None)
    verification_passed: bool | None = machine(
        "the verifier's verdict; unset while verification is disabled", default=None
    )
    not_before: Instant | None = machine("when it may run again", default=None)
    tool: str | None = machine("the tool it uses now", default=None)
    model: str | None = machine("the model it uses now", default=None)
    tried: tuple[Line, ...] = machine("tools and models tried on its lineage, such as tool:make", default=())
    metadata: dict[str, Any] = machine("verification, backoff_delay, failure_evidence and remarks", factory=dict)
    failures: tuple[FailureRecord, ...] = machine("its failures, oldest first", default=())
    snapshot: str | None = machine("the artifact snapshot at its end", default=None)
    goal: GoalId = field(default="", metadata={"from_path": True})

    @property
    def id(self) -> str:
        return f"{self.run}/{self.step}"


class TraceEntry(NamedTuple):
    """One line of a run's trace. ``hash`` covers the line and the hash before it."""

    number: int
    at: Instant
    entity: str
    """``run``, ``step ID``, ``failure ID``, ``plan`` or ``artifact``."""
    before: str | None
    after: str
    role: str
    cause: str
    refused: str | None
    """The code of the refusal, for a transition that did not happen."""
    evidence: dict[str, Any]
    hash: str


LINE: Mapping[str, str] = MappingProxyType(
    {
        "number": "its place in the trace, from 1",
        "at": "when",
        "entity": "what it is about: run, step ID, failure ID, plan or artifact",
        "before": "where that stood",
        "after": "where it stands now",
        "role": "who moved it",
        "cause": "why",
        "refused": "code of the refusal, for a try that moved nothing",
        "evidence": "what was seen",
        "hash": "SHA-256 of the line on top of the hash before it",
    }
)
"""What each field of a line says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSegment:
    """``trace/<number>.jsonl``: entries of a run's trace, one JSON object a line. Sealed before it grows large."""

    KIND: ClassVar[Kind] = Kind.TRACE

    run: RunId = machine("its run")
    number: int = machine("its place among the segments, from 1")
    entries: tuple[TraceEntry, ...] = machine("entries, oldest first", default=())
    todo: TodoId = field(default="", metadata={"from_path": True})
    goal: GoalId = field(default="", metadata={"from_path": True})

    @property
    def id(self) -> str:
        return f"{self.run}/{self.number:04d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """``run.yaml``: where one run is, and how it ended."""

    KIND: ClassVar[Kind] = Kind.RUN

    id: RunId = machine("identity")
    todo: TodoId = machine("the Todo it carries out")
    status: ExecutionState = machine("where it is")
    started_at: Instant = machine("when it was started")
    started_by: ActorName = machine("who started it")
    operation: OperationId = machine("the operation that started it")
    ended_at: Instant | None = machine("when it ended", default=None)
    plan_version: int = machine("version of the plan it is on")
    iterations: int = machine("iterations so far", default=0)
    steps_executed: int = machine("executions so far", default=0)
    recoveries: int = machine("recoveries so far", default=0)
    replans: int = machine("replans so far", default=0)
    cost: float = machine("cost so far", default=0.0)
    tokens: int = machine("tokens so far", default=0)
    active_seconds: float = machine("time it was carried on", default=0.0)
    verification_status: VerificationStatus = machine(
        "what may be said of verification", default=VerificationStatus.NOT_RUN
    )
    failures: tuple[FailureRecord, ...] = machine("failures that belong to no step", default=())
    archived: tuple[StepId, ...] = machine("steps a replan replaced, oldest first", default=())
    trace_count: int = machine("entries of the trace", default=0)
    trace_hash: str = machine("hash of the newest entry", default="")
    trace_segment: int = machine("the segment that is written to", default=1)
    turn: TurnId | None = machine("the Turn it works in", default=None)
    lease_epoch: int | None = machine("epoch of the Lease it works under", default=None)
    gate: GateId | None = machine("the Gate a person is asked by", default=None)
    baseline: str | None = machine("artifact snapshot taken at its start", default=None)
    last_snapshot: str | None = machine("artifact snapshot of the last verified step", default=None)
    error: str | None = machine("why it ended as it did", default=None)
    abstention: str | None = machine("why it stopped without completing", default=None)
    goal: GoalId = field(default="", metadata={"from_path": True})
