"""The state of one run: plan, failures, counters, trace, and where the run is. Working copies are made here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from loopx.loop.failure import Failure, Failures
from loopx.loop.plan import Plan
from loopx.loop.trace import Trace
from loopx.model.step import ExecutionState, VerificationStatus


@dataclass(slots=True)
class Counters:
    """What was used up so far."""

    iterations: int = 0
    steps_executed: int = 0
    recoveries: int = 0
    replans: int = 0
    cost: float = 0.0
    tokens: int = 0
    active_seconds: float = 0.0
    """Time it was carried on before ``resumed_at``."""


@dataclass(slots=True)
class LoopState:
    """Everything a run knows. The engine owns it; handlers get a :meth:`draft`."""

    run: str
    plan: Plan
    started_at: datetime
    resumed_at: datetime
    """When this process took it up: its budget of time counts time it was carried on."""
    execution_state: ExecutionState = ExecutionState.INITIALIZED
    failures: Failures = field(default_factory=Failures)
    """Every failure by id, oldest first."""
    counters: Counters = field(default_factory=Counters)
    replans_of: dict[str, int] = field(default_factory=dict)
    """Replans by lineage; made anew from the failures by :func:`loopx.loop.recovery.limits.replans_by_lineage`."""
    waiting: dict[str, datetime] = field(default_factory=dict)
    """Steps whose next execution waits for its moment, and when that is."""
    trace: Trace = field(default_factory=Trace)
    changed: set[str] = field(default_factory=set)
    """Ids of steps whose record is to be written."""
    plan_changed: bool = False
    verification_status: VerificationStatus = VerificationStatus.NOT_RUN
    gate: str | None = None
    question: dict[str, Any] | None = None
    """What a person is asked: failed step, attempts made, options."""
    put_off: set[str] = field(default_factory=set)
    """Failures that only a person can settle, while the person is asked about another one."""
    permitted: str | None = None
    """In a working copy: the step a person said may be done again, whatever the limits say; ``""`` for the plan."""
    baseline: str | None = None
    last_snapshot: str | None = None
    error: str | None = None
    abstention: str | None = None
    partial_results: dict[str, Any] = field(default_factory=dict)
    before: LoopState | None = None
    """In a working copy: the state it was made from, which nobody changes meanwhile."""

    def open_failures(self) -> list[Failure]:
        """Failures that are neither recovered nor terminal, oldest first."""
        return self.failures.open()

    def active_seconds(self, now: datetime) -> float:
        """How long the run was carried on, all processes taken together."""
        return self.counters.active_seconds + (now - self.resumed_at).total_seconds()

    def draft(self) -> LoopState:
        """A working copy: changes stay in it until :meth:`adopt`. Failures are shared: a try that fails counts too."""
        return replace(
            self,
            plan=self.plan.draft(),
            failures=self.failures.draft(),
            counters=replace(self.counters),
            replans_of=dict(self.replans_of),
            waiting=dict(self.waiting),
            trace=self.trace.draft(),
            changed=set(self.changed),
            question=dict(self.question) if self.question else None,
            put_off=set(self.put_off),
            partial_results=dict(self.partial_results),
            before=self,
        )

    def adopt(self, copy: LoopState) -> None:
        """Take over everything a working copy of this state changed."""
        self.plan.take(copy.plan)
        self.failures.join(copy.failures)
        self.trace.join(copy.trace)
        for name in _ADOPTED:
            setattr(self, name, getattr(copy, name))


_ADOPTED = (
    "execution_state",
    "counters",
    "replans_of",
    "waiting",
    "changed",
    "plan_changed",
    "verification_status",
    "gate",
    "question",
    "put_off",
    "baseline",
    "last_snapshot",
    "error",
    "abstention",
    "partial_results",
)
