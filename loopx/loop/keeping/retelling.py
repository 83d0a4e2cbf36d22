"""A run's trace told again, and held against its records: for people who want to see that nothing was made up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loopx.errors import LoopxError, Problem
from loopx.kernel.plans import chain

if TYPE_CHECKING:
    from loopx.kernel.state import State
    from loopx.model.run import RunRecord, StepRecord, TraceEntry, TraceSegment

_PENDING, _INITIALIZED = "pending", "initialized"


@dataclass(frozen=True, slots=True)
class TraceView:
    """A run's trace, oldest line first."""

    run: RunRecord
    entries: tuple[TraceEntry, ...]
    statuses: Mapping[str, str]
    """Where every entity stands, told from the lines alone."""


def show(state: State, run: str, *, step: str | None = None, last: int | None = None) -> TraceView:
    """The lines of a run's trace; of one step, or the ``last`` ones alone. Raises ``run-unknown``."""
    record = _run(state, run)
    entries = [each for segment in state.trace_of(run) for each in segment.entries]
    statuses = chain.statuses(entries)
    shown = [each for each in entries if step is None or each.entity == f"step {step}"]
    return TraceView(record, tuple(shown if last is None else shown[max(len(shown) - last, 0) :]), statuses)


def verify(state: State, run: str) -> list[Problem]:
    """What is wrong with a run's trace, or with records that say something else; nothing when all holds. Raises
    ``run-unknown``."""
    record = _run(state, run)
    segments = list(state.trace_of(run))
    entries = [each for segment in segments for each in segment.entries]
    return [*_broken(record, segments, entries), *_contradicted(record, list(state.steps_of(run)), entries)]


def _broken(record: RunRecord, segments: list[TraceSegment], entries: list[TraceEntry]) -> Iterator[Problem]:
    numbers = [each.number for each in segments]
    if numbers != list(range(1, len(numbers) + 1)):
        yield _problem(record, "has a segment of its trace missing")
    broken = chain.first_break(entries)
    if broken is not None:
        yield _problem(record, f"has a trace that is broken at line {broken}")
    head = entries[-1].hash if entries else chain.GENESIS
    if (record.trace_count, record.trace_hash) != (len(entries), head):
        yield _problem(record, f"names {record.trace_count} lines, and its trace has {len(entries)}")


def _contradicted(record: RunRecord, steps: list[StepRecord], entries: list[TraceEntry]) -> Iterator[Problem]:
    told = chain.statuses(entries)
    if told.get("run", _INITIALIZED) != record.status:
        yield _problem(record, f"is {record.status} on record, and {told.get('run', _INITIALIZED)} by its trace")
    known = {f"step {each.step}" for each in steps}
    for each in steps:
        status = told.get(f"step {each.step}", _PENDING)
        if status != each.status:
            yield _problem(record, f"has {each.step} {each.status} on record, and {status} by its trace")
    for entity in told:
        if entity.startswith("step ") and entity not in known:
            yield _problem(record, f"has no record of the {entity}, which its trace tells of")
    failures = [*record.failures, *(failure for each in steps for failure in each.failures)]
    for failure in failures:
        found = told.get(f"failure {failure.failure_id}")
        if found != failure.status:
            yield _problem(record, f"has the failure {failure.failure_id} {failure.status}, and {found} by its trace")


def _run(state: State, run: str) -> RunRecord:
    found = state.run(run)
    if found is None:
        raise LoopxError("run-unknown", f"there is no run {run} that was begun", facts={"run": run})
    return found


def _problem(record: RunRecord, what: str) -> Problem:
    hint = "What was recorded stands in history: `loopx log` tells who wrote what, `loopx diff` what changed."
    return Problem("run-record-untrue", f"{record.id} {what}.", hint=hint, facts={"run": record.id})
