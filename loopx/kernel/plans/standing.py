"""How a plan stands: each step with its status and what it waits for, what is open, how far it is. Pure.

Read by the command line, by pages and by whoever wants to know; it says nothing that is not on record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.model.defining import dataclass
from loopx.model.step import SkipPolicy, StepStatus

if TYPE_CHECKING:
    from loopx.kernel.state import State
    from loopx.model.plan import PlanDocument, PlanStep
    from loopx.model.run import FailureRecord, RunRecord, StepRecord

NOT_BEGUN = "not_begun"
"""Where a plan is that no run was opened on."""
_WAITING = (StepStatus.PENDING, StepStatus.BLOCKED)


@dataclass(frozen=True, slots=True)
class StepStanding:
    """One step as it stands."""

    meant: PlanStep
    status: StepStatus
    record: StepRecord | None
    waits_for: tuple[str, ...]
    """Steps that must be complete before it may begin, and are not."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How far a plan is. Steps that are out of the count are in neither number."""

    complete: int
    counting: int
    running: int


@dataclass(frozen=True, slots=True)
class PlanStanding:
    """One plan as it stands."""

    plan: PlanDocument
    run: RunRecord | None
    steps: tuple[StepStanding, ...]

    @property
    def status(self) -> str:
        """Where its run is, or that nobody has begun it."""
        return NOT_BEGUN if self.run is None else self.run.status.value

    @property
    def has_ended(self) -> bool:
        return self.run is not None and self.run.status.is_terminal

    def step(self, identity: str) -> StepStanding | None:
        return next((each for each in self.steps if each.meant.id == identity), None)

    @property
    def tally(self) -> Tally:
        complete = sum(_is_complete(each.meant, each.status) for each in self.steps)
        excluded = sum(
            each.status is StepStatus.SKIPPED and skip_policy(each.meant) is SkipPolicy.EXCLUDE for each in self.steps
        )
        running = sum(each.status is StepStatus.IN_PROGRESS for each in self.steps)
        return Tally(complete, len(self.steps) - excluded, running)

    @property
    def failures(self) -> tuple[FailureRecord, ...]:
        """Every failure of the run, oldest first; those of steps that were replaced are in their own records."""
        own = self.run.failures if self.run is not None else ()
        of_steps = (failure for each in self.steps if each.record is not None for failure in each.record.failures)
        return tuple(sorted((*own, *of_steps), key=lambda each: each.number))


def standing(state: State, plan: PlanDocument) -> PlanStanding:
    """How ``plan`` stands."""
    run = state.run(plan.run)
    records = {each.step: each for each in state.steps_of(plan.run)} if run is not None else {}
    statuses = {each.id: records[each.id].status if each.id in records else StepStatus.PENDING for each in plan.steps}
    complete = {each.id for each in plan.steps if _is_complete(each, statuses[each.id])}
    steps = (
        StepStanding(
            each,
            statuses[each.id],
            records.get(each.id),
            tuple(name for name in each.depends_on if name not in complete) if statuses[each.id] in _WAITING else (),
        )
        for each in plan.steps
    )
    return PlanStanding(plan, run, tuple(steps))


def skip_policy(step: PlanStep) -> SkipPolicy:
    """What skipping the step does to progress."""
    return step.skip or (SkipPolicy.COUNT if step.optional else SkipPolicy.BLOCK)


def _is_complete(step: PlanStep, status: StepStatus) -> bool:
    if status is StepStatus.SKIPPED:
        return skip_policy(step) is SkipPolicy.COUNT
    return status is StepStatus.VERIFIED_COMPLETED
