"""Reading new lines of a run's trace by the tables: what they make of the run, its steps and its failures. Pure.

:func:`follow` is asked by :mod:`loopx.kernel.plans.recording` for every record of a run; it refuses the first line that
no table allows, or that begins elsewhere than where things stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field

from loopx.kernel.plans import failures, runs, steps
from loopx.kernel.plans.steps import Condition
from loopx.kernel.refusal import Refused
from loopx.kernel.wording import quoted, refuse
from loopx.model.defining import dataclass
from loopx.model.plan import RunSettings
from loopx.model.run import StepRecord, TraceEntry
from loopx.model.step import ExecutionState, FailureStatus, Role, StepStatus

STEP, FAILURE, RUN = "step", "failure", "run"
_VERDICTS = {
    StepStatus.EVALUATED: ("evaluation_passed", True),
    StepStatus.EVALUATION_FAILED: ("evaluation_passed", False),
    StepStatus.VERIFIED_COMPLETED: ("verification_passed", True),
    StepStatus.VERIFICATION_FAILED: ("verification_passed", False),
}
_JUDGES = frozenset({Role.EVALUATOR, Role.VERIFIER})


@dataclass(slots=True)
class StepStory:
    """What lines tell of one step."""

    status: StepStatus | None
    """``None`` while nobody has made it."""
    verdicts: dict[str, bool | None]
    """What each verdict must be, by field."""
    executions: int = 0
    was_reset: bool = False
    """Whether recovery may have forgotten the verdicts since they were given."""


@dataclass(slots=True)
class Story:
    """What lines tell of a run."""

    run: ExecutionState
    steps: dict[str, StepStory] = field(default_factory=dict)
    failures: dict[str, FailureStatus] = field(default_factory=dict)


def follow(
    entries: Iterable[TraceEntry],
    run: ExecutionState,
    record_of: Callable[[str], StepRecord | None],
    settings: Callable[[], RunSettings],
) -> Story | Refused:
    """What ``entries`` make of a run that is in ``run``, whose steps stand as ``record_of`` says."""
    story = Story(run)
    for each in entries:
        if each.refused is not None:
            continue
        try:
            refused = _line(story, each, record_of, settings)
        except ValueError:
            refused = _untrue(each, "names a status there is none of")
        if refused:
            return refused
    return story


def _line(
    story: Story,
    entry: TraceEntry,
    record_of: Callable[[str], StepRecord | None],
    settings: Callable[[], RunSettings],
) -> Refused | None:
    noun, _, name = entry.entity.partition(" ")
    if noun == RUN:
        return _run(story, entry)
    if noun == STEP and name:
        if name not in story.steps:
            story.steps[name] = _as_recorded(record_of(name), entry.before is None)
        return _step(story.steps[name], entry, settings)
    if noun == FAILURE and name:
        return _failure(story, entry, name)
    return None


def _as_recorded(record: StepRecord | None, is_making: bool) -> StepStory:
    """How a step stands before the first line about it. One without a record is pending, as it was laid out."""
    if record is None:
        return StepStory(
            None if is_making else StepStatus.PENDING, {"evaluation_passed": None, "verification_passed": None}
        )
    verdicts = {"evaluation_passed": record.evaluation_passed, "verification_passed": record.verification_passed}
    return StepStory(record.status, verdicts)


def _run(story: Story, entry: TraceEntry) -> Refused | None:
    before, after = ExecutionState(entry.before or ""), ExecutionState(entry.after)
    if before is not story.run:
        return _untrue(entry, f"begins at {before}, and the run is {story.run}")
    if not runs.may_turn(before, after):
        message = f"The run is {before} and cannot become {after}."
        return refuse("run-transition-illegal", message, line=entry.number)
    story.run = after
    return None


def _step(story: StepStory, entry: TraceEntry, settings: Callable[[], RunSettings]) -> Refused | None:
    role, after = Role(entry.role), StepStatus(entry.after)
    if entry.before is None:
        if story.status is not None:
            return _untrue(entry, "makes a step there is already")
        if role not in steps.CREATION.get(after, ()):
            return refuse("transition-illegal", f"No step is made {after} by {role}.", line=entry.number)
        story.status = after
        return None
    before = StepStatus(entry.before)
    if before is not story.status:
        return _untrue(entry, f"begins at {before}, and the step is {story.status}")
    if refused := _move(entry, before, after, role, settings):
        return refused
    story.status = after
    story.executions += after is StepStatus.IN_PROGRESS
    story.was_reset |= role is Role.RECOVERY
    if role in _JUDGES:
        verdict, passed = _VERDICTS[after]
        story.verdicts[verdict], story.was_reset = passed, False
    return None


def _move(
    entry: TraceEntry, before: StepStatus, after: StepStatus, role: Role, settings: Callable[[], RunSettings]
) -> Refused | None:
    code = steps.problem(before, after, role)
    if code is None:
        condition = steps.condition(before, after, role)
        is_met = (
            condition is Condition.NONE
            or (condition is Condition.EVALUATION_DISABLED and not settings().enable_evaluation)
            or (condition is Condition.VERIFICATION_DISABLED and not settings().enable_verification)
        )
        code = None if is_met else "transition-not-permitted"
    if code is None:
        return None
    message = f"{entry.entity} is {before}, and {role} may not make it {after}."
    return refuse(code, message, line=entry.number, role=role.value)


def _failure(story: Story, entry: TraceEntry, name: str) -> Refused | None:
    after = FailureStatus(entry.after)
    before = None if entry.before is None else FailureStatus(entry.before)
    if name in story.failures and story.failures[name] is not before:
        return _untrue(entry, f"begins at {before}, and the failure is {story.failures[name]}")
    if before is None and after is not FailureStatus.UNHANDLED:
        return refuse("transition-illegal", f"No failure begins {after}.", line=entry.number)
    if before is not None and before is not after and not failures.may_follow(before, after):
        message = f"{entry.entity} is {before} and cannot become {after}."
        return refuse("transition-illegal", message, line=entry.number)
    story.failures[name] = after
    return None


def _untrue(entry: TraceEntry, what: str) -> Refused:
    message = f"Line {entry.number} of the trace, about {quoted(entry.entity)}, {what}."
    return refuse("run-record-untrue", message, line=entry.number)
