"""From what a run holds in memory to its records, and back. Called by the durable store; writes and reads nothing.

Records have their times to the second, and values that can be written: what is read back makes the same record again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from loopx.kernel.plans.chain import as_json
from loopx.loop.attempt import Attempt
from loopx.loop.failure import Failure, RecoveryAction
from loopx.loop.state import Counters
from loopx.loop.step import Step
from loopx.model import run
from loopx.model.plan import Action, PlanDocument, PlanStep
from loopx.model.step import StepStatus

if TYPE_CHECKING:
    from loopx.loop.state import LoopState

OUTPUT_LIMIT = 64 * 1024
"""Characters kept of an output, from its end."""
_FORM = "output_form"
_JSON = "json"
_COUNTED = tuple(each.name for each in fields(Counters) if each.name != "active_seconds")


def step_record(step: Step, of: run.RunRecord, failures: Iterable[run.FailureRecord]) -> run.StepRecord:
    """What became of ``step``."""
    output, form = _output(step.output)
    metadata = as_json(step.metadata)
    if form is not None:
        metadata[_FORM] = form
    return run.StepRecord(
        step=step.id,
        run=of.id,
        todo=of.todo,
        status=step.status,
        version=step.version,
        lineage=step.lineage,
        replaces=step.meant.replaces,
        superseded_by=step.superseded_by,
        retry_count=step.retry_count,
        attempts=tuple(_to_the_second(each.recorded()) for each in step.attempts),
        output=output,
        start_time=second(step.start_time),
        end_time=second(step.end_time),
        evaluation_passed=step.evaluation_passed,
        verification_passed=step.verification_passed,
        not_before=_up_to_second(step.not_before),
        tool=step.tool,
        model=step.model,
        tried=step.tried,
        metadata=metadata,
        failures=tuple(failures),
        snapshot=step.snapshot,
        goal=of.goal,
    )


def step_of(meant: PlanStep, record: run.StepRecord | None) -> Step:
    """The step as it is on record; one nobody recorded is pending."""
    if record is None:
        return Step(meant, tool=meant.tool, model=meant.model)
    metadata = dict(record.metadata)
    is_json = metadata.pop(_FORM, None) == _JSON and record.output is not None
    has_changed = any(f"{what}_change" in metadata for what in ("tool", "model"))
    used: run.StepRecord | PlanStep = record if record.attempts and (has_changed or record.tried) else meant
    step = Step(
        meant,
        retry_count=record.retry_count,
        output=json.loads(record.output or "") if is_json else record.output,
        start_time=record.start_time,
        end_time=record.end_time,
        evaluation_passed=record.evaluation_passed,
        verification_passed=record.verification_passed,
        not_before=record.not_before,
        tool=used.tool,
        model=used.model,
        tried=record.tried,
        superseded_by=record.superseded_by,
        snapshot=record.snapshot,
        metadata=metadata,
        _status=record.status,
    )
    step.attempts = [_attempt(each, step) for each in record.attempts]
    return step


def gone(record: run.StepRecord) -> PlanStep:
    """What is left to say of a step that no plan tells of any more."""
    return PlanStep(
        id=record.step,
        title=record.step,
        action=Action(),
        version=record.version,
        lineage=record.lineage,
        replaces=record.replaces,
    )


def failure_record(failure: Failure, number: int) -> run.FailureRecord:
    """What became of ``failure``, the ``number``-th of its run."""
    return run.FailureRecord(
        failure_id=failure.failure_id,
        number=number,
        type=failure.type,
        message=failure.message,
        step=failure.step_id,
        lineage=failure.lineage,
        status=failure.status,
        recoverable=failure.recoverable,
        recovery_attempts=failure.recovery_attempts,
        actions=tuple(
            run.FailureAction(
                action_id=each.action_id,
                params=as_json(each.params),
                strategy=each.strategy,
                executed=each.executed,
                success=each.success,
                message=each.message,
            )
            for each in failure.actions
        ),
        raised_at=second(failure.raised_at) or failure.raised_at,
        evidence=failure.evidence,
        outcome_unknown=failure.is_outcome_unknown,
        judge_outage=failure.is_judge_outage,
    )


def failure_of(record: run.FailureRecord) -> Failure:
    """The failure as it is on record."""
    actions = [
        RecoveryAction(
            each.action_id,
            record.failure_id,
            each.strategy,
            dict(each.params),
            each.executed,
            each.success,
            each.message,
        )
        for each in record.actions
    ]
    return Failure(
        record.failure_id,
        record.type,
        record.message,
        record.raised_at,
        record.step,
        record.lineage,
        record.status,
        record.recoverable,
        record.recovery_attempts,
        actions,
        record.evidence,
        record.outcome_unknown,
        record.judge_outage,
    )


def run_record(state: LoopState, before: run.RunRecord, now: datetime, turn: str | None) -> run.RunRecord:
    """Where the run is, on top of what is on record."""
    counted = {name: getattr(state.counters, name) for name in _COUNTED}
    status = state.execution_state
    return replace(
        before,
        **counted,
        status=status,
        active_seconds=max(round(state.active_seconds(now), 3), before.active_seconds),
        ended_at=(before.ended_at or second(now)) if status.is_terminal else None,
        plan_version=state.plan.version,
        verification_status=state.verification_status,
        archived=(*before.archived, *(each for each in state.plan.archived if each not in before.archived)),
        trace_count=state.trace.count,
        trace_hash=state.trace.head,
        turn=turn,
        gate=state.gate,
        baseline=state.baseline,
        last_snapshot=state.last_snapshot,
        error=state.error,
        abstention=state.abstention,
    )


def counters_of(record: run.RunRecord) -> Counters:
    """What was used up so far."""
    counted = {name: getattr(record, name) for name in _COUNTED}
    return Counters(**counted, active_seconds=record.active_seconds)


def document_of(state: LoopState, before: PlanDocument) -> PlanDocument:
    """The plan as it now is."""
    steps = tuple(state.plan.peek(each).meant for each in state.plan.ids)
    plan = state.plan
    return replace(before, version=plan.version, objective=plan.objective, steps=steps, scope=plan.scope)


def second(at: datetime | None) -> datetime | None:
    """``at`` to the second."""
    return None if at is None else at.replace(microsecond=0)


def is_waiting(step: Step) -> bool:
    """Whether the step's next execution waits for its moment."""
    return step.status is StepStatus.RETRY_PENDING and step.not_before is not None


def _up_to_second(at: datetime | None) -> datetime | None:
    """``at`` to the second that is not before it: what waits never begins early."""
    whole = second(at)
    return whole if whole is None or whole == at else whole + timedelta(seconds=1)


def _to_the_second(attempt: run.Attempt) -> run.Attempt:
    started = second(attempt.started_at) or attempt.started_at
    return replace(attempt, started_at=started, ended_at=second(attempt.ended_at))


def _attempt(record: run.Attempt, step: Step) -> Attempt:
    values: dict[str, Any] = {each.name: getattr(record, each.name) for each in fields(record)}
    digest = values.pop("definition")
    return Attempt(meant=step.meant, tool=step.tool, model=step.model, digest=digest, **values)


def _output(output: Any) -> tuple[str | None, str | None]:
    """An output as text, and how it is to be read back; ``None`` for the text itself."""
    if output is None:
        return None, None
    form = None
    if not isinstance(output, str):
        output, form = json.dumps(output, ensure_ascii=False, default=str), _JSON
    text = output if output.isascii() else output.encode("utf-8", "replace").decode()
    return (text, form) if len(text) <= OUTPUT_LIMIT else (text[-OUTPUT_LIMIT:], None)
