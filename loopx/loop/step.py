"""A step while a run is on: what is meant by it, and what became of it so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from loopx.errors import LoopxError
from loopx.loop.attempt import Attempt
from loopx.model import run
from loopx.model.plan import PlanStep
from loopx.model.step import SkipPolicy, StepStatus

EVIDENCE = "failure_evidence"
"""Where a step's metadata keeps what went wrong last, with it or with the step it replaces: whoever does it again is
told."""
OBSERVATION = "observation"
"""Where a step's metadata keeps what the observer saw."""


@dataclass(slots=True, eq=False)
class Step:
    """One step of a run. Only :class:`loopx.loop.lifecycle.Lifecycle` moves its status, with a role.

    Components never see one: they get a :class:`StepView`.
    """

    meant: PlanStep
    """Its definition; replaced as a whole by a replan or a hand edit."""
    retry_count: int = 0
    attempts: list[Attempt] = field(default_factory=list)
    output: Any = None
    start_time: datetime | None = None
    end_time: datetime | None = None
    evaluation_passed: bool | None = None
    verification_passed: bool | None = None
    not_before: datetime | None = None
    tool: str | None = None
    model: str | None = None
    tried: tuple[str, ...] = ()
    """Tools and models tried on its lineage, such as ``tool:make``."""
    superseded_by: str | None = None
    snapshot: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str = field(init=False)
    entity: str = field(init=False)
    """What the trace calls it."""
    _status: StepStatus = StepStatus.PENDING

    def __post_init__(self) -> None:
        self.id = self.meant.id
        self.entity = f"step {self.id}"

    @property
    def title(self) -> str:
        return self.meant.title

    @property
    def dependencies(self) -> tuple[str, ...]:
        return self.meant.depends_on

    @property
    def lineage(self) -> str:
        """The step it descends from through all replans; itself when it is the first."""
        return self.meant.lineage or self.meant.id

    @property
    def version(self) -> int:
        return self.meant.version

    @property
    def status(self) -> StepStatus:
        return self._status

    @status.setter
    def status(self, value: object) -> None:
        raise LoopxError("bug", f"the status of {self.id} is moved with a role, not set to {value!r}")

    @property
    def skip_policy(self) -> SkipPolicy:
        """What skipping it does to progress."""
        return self.meant.skip or (SkipPolicy.COUNT if self.meant.optional else SkipPolicy.BLOCK)

    def reset_execution(self) -> None:
        """Forget the last execution, for another one; earlier ones stay in ``attempts``."""
        self.output = self.snapshot = None
        self.start_time = self.end_time = None
        self.evaluation_passed = self.verification_passed = None

    def copied(self) -> Step:
        """A copy whose changes leave this one alone."""
        copy = Step.__new__(Step)
        for name in _FIELDS:
            setattr(copy, name, getattr(self, name))
        copy.attempts = list(self.attempts)
        copy.metadata = dict(self.metadata)
        return copy


_FIELDS = tuple(Step.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class StepView:
    """A step as components see it: nothing in it can be changed."""

    meant: PlanStep
    status: StepStatus
    retry_count: int
    output: Any
    tool: str | None
    model: str | None
    snapshot: str | None = None
    """The artifact snapshot taken when it was last carried out."""
    evaluation_passed: bool | None = None
    verification_passed: bool | None = None
    observation: Mapping[str, Any] | None = None
    """What the observer saw after it was last carried out."""
    failure_evidence: Mapping[str, Any] | None = None
    """What went wrong last, with it or with the step it replaces: the failure, its message, and what was said."""
    _attempts: tuple[Attempt, ...] = ()

    @property
    def id(self) -> str:
        return self.meant.id

    @property
    def attempts(self) -> tuple[run.Attempt, ...]:
        """Its executions so far, oldest first, as they are recorded."""
        return tuple(each.recorded() for each in self._attempts)

    @classmethod
    def of(cls, step: Step) -> StepView:
        return cls(
            step.meant,
            step._status,
            step.retry_count,
            step.output,
            step.tool,
            step.model,
            step.snapshot,
            step.evaluation_passed,
            step.verification_passed,
            step.metadata.get(OBSERVATION),
            step.metadata.get(EVIDENCE),
            tuple(step.attempts),
        )
