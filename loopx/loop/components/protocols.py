"""The contracts of components. They get frozen views and return values; none of them writes a status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from loopx.model.plan import PlanStep
from loopx.model.step import AttemptOutcome, FailureType

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.failure import Failure, FailureView, RecoveryAction
    from loopx.loop.state import LoopState
    from loopx.loop.step import StepView


class ComponentType(StrEnum):
    """The parts of a run."""

    SPECIFIER = "specifier"
    PLANNER = "planner"
    ACTOR = "actor"
    OBSERVER = "observer"
    EVALUATOR = "evaluator"
    VERIFIER = "verifier"
    PROBER = "prober"
    RECOVERY = "recovery"
    SAFETY = "safety"


@dataclass(frozen=True, slots=True)
class Acted:
    """What an actor came back with. ``outcome`` says whether its end is known at all."""

    outcome: AttemptOutcome
    output: Any = None
    exit_status: int | None = None
    output_digest: str | None = None
    failure: FailureType | None = None
    """The sort of failure, where the actor itself knows: TIMEOUT, EXECUTION_ERROR, INVALID_OUTPUT, GOAL_HIJACKING."""
    message: str = ""
    cost: float | None = None
    """What it cost; ``None`` where nobody said: what the step is expected to cost is counted then."""
    tokens: int = 0
    awaits: str | None = None
    """The Gate a person is asked by who has not answered: the execution goes on, and nothing is known of it yet. Empty
    where nobody has been asked, because the process ended before; the actor is called once more for the attempt."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judgement. An exception is not one: a judge that breaks says nothing about the step."""

    passed: bool
    message: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    failure: FailureType | None = None
    """What sort of failure a rejection is, where the judge knows: SEMANTIC_DRIFT, GOAL_HIJACKING, INVALID_OUTPUT."""


@dataclass(frozen=True, slots=True)
class Probed:
    """What a prober read back: whether an execution whose end nobody saw happened or not."""

    happened: bool
    output: Any = None
    exit_status: int | None = 0
    """How it ended, where it happened: judged like an end that was seen."""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Revised:
    """A plan as a planner would have it: all open steps in order, and a new objective where it changed."""

    steps: tuple[PlanStep, ...]
    objective: str | None = None


class Specifier(Protocol):
    async def specify(self, objective: str, context: LoopContext) -> str:
        """The objective, made precise enough to plan."""
        ...


class Planner(Protocol):
    """Plans. One whose ``can_revise`` is false only creates: replanning is then passed over."""

    async def create_plan(self, objective: str, context: LoopContext) -> Revised: ...

    async def revise_step(self, step: StepView, failure: FailureView, context: LoopContext) -> PlanStep:
        """A corrected version of a failed step."""
        ...

    async def revise_plan(
        self, views: Sequence[StepView], failure: FailureView | None, context: LoopContext
    ) -> Revised:
        """All that is not done, planned anew. What it says of completed steps is not listened to."""
        ...


class Actor(Protocol):
    async def act(self, step: StepView, attempt: str, context: LoopContext) -> Acted:
        """Carry the step out. ``attempt`` is the idempotency key. Must honour cancellation by ending what it began.
        One that asks a person comes back at once, with ``awaits``.

        Whatever it raises after it was called leaves the outcome unknown: only what it returns is known."""
        ...


class Prober(Protocol):
    """Reads back what became of an execution nobody saw the end of. An actor with a ``probe`` method is one."""

    async def probe(self, step: StepView, attempt: str, context: LoopContext) -> Probed:
        """Whether it happened. An exception says nothing: a person is asked then."""
        ...


class Observer(Protocol):
    async def observe(self, step: StepView, acted: Acted, context: LoopContext) -> Mapping[str, Any]: ...


class Evaluator(Protocol):
    async def evaluate(self, step: StepView, acted: Acted, context: LoopContext) -> Verdict: ...


class Verifier(Protocol):
    async def verify(self, step: StepView, context: LoopContext) -> Verdict: ...


class RecoveryPolicy(Protocol):
    def choose(self, failure: Failure, state: LoopState, context: LoopContext) -> RecoveryAction | None:
        """The next strategy for ``failure``; ``None`` when none is left. Pure."""
        ...


class Safety(Protocol):
    def objection(self, step: StepView, context: LoopContext) -> str | None:
        """Why the run must stop rather than carry this step out; ``None`` when it may go on. Pure."""
        ...
