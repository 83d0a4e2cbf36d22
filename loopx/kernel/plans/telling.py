"""Whether records of a run and of its steps say what the trace says, and nothing that would go back. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel.plans.lines import Story
from loopx.kernel.refusal import Refused
from loopx.kernel.wording import refuse
from loopx.model.gate import GateStatus
from loopx.model.run import Attempt, FailureRecord, RunRecord, StepRecord
from loopx.model.step import AttemptOutcome, StepStatus, VerificationStatus

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.kernel.plans.recording import Recording

_STAYS = ("id", "todo", "goal", "started_at", "started_by", "operation")
_GROWS = ("iterations", "steps_executed", "recoveries", "replans", "cost", "tokens", "active_seconds", "plan_version")
_OF_ATTEMPT = ("id", "number", "definition", "started_at")
"""What an execution was made with, and stays."""


def bad_run(recording: Recording, story: Story) -> Refused | None:
    """The refusal of a run's record that says something else than the lines, or goes back."""
    before, after, command = recording.run, recording.command.record, recording.command
    changed = next((name for name in _STAYS if getattr(after, name) != getattr(before, name)), None)
    fallen = next((name for name in _GROWS if getattr(after, name) < getattr(before, name)), None)
    if changed or fallen:
        return _untrue(before, f"changes its {changed}" if changed else f"lets its {fallen} go back")
    if after.status is not story.run:
        return _untrue(before, f"is {after.status}, and its trace says {story.run}")
    if after.trace_hash != command.head:
        return _untrue(before, "names another newest line than it comes with")
    if (after.ended_at is not None) is not after.status.is_terminal:
        return _untrue(before, "has an end exactly when it has ended")
    if after.archived[: len(before.archived)] != before.archived:
        return _untrue(before, "forgets steps that were replaced")
    plan = command.plan if command.plan is not None else None
    if after.plan_version != (plan.version if plan is not None else before.plan_version):
        return _untrue(before, f"is on version {after.plan_version} of its plan, which is another")
    return _claims_too_much(recording) or _bad_failures(before, story, _failures(recording))


def bad_step(recording: Recording, record: StepRecord, story: Story) -> Refused | None:
    """The refusal of a step's record that says something else than the lines, or goes back."""
    run, told = recording.run, story.steps.get(record.step)
    before = recording.state.step(run.id, record.step)
    if (record.run, record.todo, record.goal) != (run.id, run.todo, run.goal):
        return _untrue(run, f"records the step {record.step} of another run")
    status = told.status if told is not None else before.status if before is not None else StepStatus.PENDING
    if record.status is not status:
        return _untrue(run, f"has {record.step} {record.status}, and its trace says {status}")
    return (
        _unknown_step(recording, record, before)
        or _bad_verdicts(run, record, before, story)
        or _bad_attempts(run, record, before, told.executions if told is not None else 0)
        or _bad_counter(recording, record, before)
        or _forgotten_failure(run, record, before)
    )


def _unknown_step(recording: Recording, record: StepRecord, before: StepRecord | None) -> Refused | None:
    """The refusal of a first record of what is no step of the plan."""
    if before is not None or record.step in recording.command.record.archived:
        return None
    plan = recording.command.plan or recording.plan
    step = plan.step(record.step)
    if step is None:
        return _untrue(recording.run, f"records {record.step}, which is no step of its plan")
    if (record.version, record.lineage) != (step.version, step.lineage or step.id):
        return _untrue(recording.run, f"records {record.step} with a version or descent its plan does not give")
    return None


def _bad_verdicts(run: RunRecord, record: StepRecord, before: StepRecord | None, story: Story) -> Refused | None:
    """A verdict is its judge's alone: it stands as the judge's line says, or was forgotten by a recovery since."""
    told = story.steps.get(record.step)
    for name in ("evaluation_passed", "verification_passed"):
        found: bool | None = getattr(record, name)
        said = told.verdicts[name] if told is not None else getattr(before, name, None)
        if found is not said and not (found is None and told is not None and told.was_reset):
            return _untrue(run, f"has {name} of {record.step} {found}, which no judge said")
    return None


def _bad_attempts(run: RunRecord, record: StepRecord, before: StepRecord | None, begun: int) -> Refused | None:
    """Executions are only ever added, one for each beginning in the trace; what has ended stays as it ended."""
    known = before.attempts if before is not None else ()
    if len(record.attempts) != len(known) + begun:
        return _untrue(run, f"has {len(record.attempts)} executions of {record.step}, and its trace tells of others")
    for old, new in zip(known, record.attempts, strict=False):
        if not _is_same_attempt(old, new):
            return _untrue(run, f"rewrites the execution {old.id}")
    numbers = [each.number for each in record.attempts]
    if numbers != list(range(1, len(numbers) + 1)):
        return _untrue(run, f"numbers the executions of {record.step} anew")
    return None


def _is_same_attempt(old: Attempt, new: Attempt) -> bool:
    if any(getattr(old, name) != getattr(new, name) for name in _OF_ATTEMPT):
        return False
    is_open = old.outcome in (AttemptOutcome.RUNNING, AttemptOutcome.UNKNOWN)
    return is_open or (old.outcome, old.exit_status, old.ended_at) == (new.outcome, new.exit_status, new.ended_at)


def _bad_counter(recording: Recording, record: StepRecord, before: StepRecord | None) -> Refused | None:
    """Retries are counted upwards, and stop at the limit unless a person said otherwise."""
    known = before.retry_count if before is not None else 0
    if record.retry_count < known:
        return _untrue(recording.run, f"counts the retries of {record.step} backwards")
    if record.retry_count == known:
        return None
    limit = recording.settings().max_retry_attempts
    if record.retry_count <= limit or _is_answered(recording) or (before is None and record.replaces is not None):
        return None
    message = f"{record.step} was tried again {known} times, which is the limit."
    return refuse("run-record-untrue", message, step=record.step, limit=limit)


def _forgotten_failure(run: RunRecord, record: StepRecord, before: StepRecord | None) -> Refused | None:
    """Failures are never forgotten, and what is over is never taken up again."""
    now = {each.failure_id: each.status for each in record.failures}
    for old in before.failures if before is not None else ():
        found = now.get(old.failure_id)
        if found is None or (found is not old.status and not old.status.is_open):
            return _untrue(run, f"has the failure {old.failure_id} {found}, and it was {old.status}")
    return None


def _is_answered(recording: Recording) -> bool:
    """Whether a person has answered the question the run asked."""
    gate = recording.state.gate(recording.run.gate) if recording.run.gate is not None else None
    return gate is not None and gate.status is GateStatus.APPROVED


def _claims_too_much(recording: Recording) -> Refused | None:
    """Nothing may claim a verification that was switched off."""
    after = recording.command.record
    if after.verification_status in (VerificationStatus.NOT_RUN, VerificationStatus.DISABLED):
        return None
    if recording.settings().enable_verification:
        return None
    return _untrue(recording.run, f"claims {after.verification_status}, and verification is switched off")


def _failures(recording: Recording) -> Iterable[FailureRecord]:
    yield from recording.command.record.failures
    for each in recording.command.steps:
        yield from each.failures


def _bad_failures(run: RunRecord, story: Story, failures: Iterable[FailureRecord]) -> Refused | None:
    known = {each.failure_id: each.status for each in failures}
    for name, status in story.failures.items():
        if known.get(name) is not status:
            return _untrue(run, f"has the failure {name} {known.get(name)}, and its trace says {status}")
    return None


def _untrue(run: RunRecord, what: str) -> Refused:
    return refuse("run-record-untrue", f"The record of {run.id} {what}.", run=run.id)
