"""Runs as the live page tells them, from one state: in a line each for every view, and one whole.

A line of a run costs a look at its steps' records; a trace is read only where it is shown, from its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from loopx.kernel.plans.standing import NOT_BEGUN, standing
from loopx.loop.keeping.asked import awaited_gates
from loopx.model.kind import Kind
from loopx.model.layout import run_path
from loopx.model.step import StepStatus
from loopx.model.todo import TodoStatus
from loopx.projections.live.run_facts import Chosen, Failed, RunLine, RunWhole, StepNow, StepWhole, TraceLine, Try

if TYPE_CHECKING:
    from loopx.kernel.plans.standing import PlanStanding, StepStanding
    from loopx.kernel.state import State
    from loopx.model.plan import PlanDocument
    from loopx.model.run import FailureRecord, RunRecord, StepRecord, TraceEntry

STEPS = 200
"""Steps of one run that are told; those that are not over come first."""
TRACE = 15
RUNS = 5
"""Runs of one Todo that are told."""
_NOW, _REPLACED = 5, 10
_TAIL_LINES, _TAIL = 15, 2000
_QUIET = frozenset({StepStatus.PENDING, StepStatus.READY, StepStatus.BLOCKED})
_CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
_NAMED = re.compile(r"\brun-[0-9a-z]+")


def run_lines(state: State, now: datetime) -> tuple[RunLine, ...]:
    """Every run that has not ended, oldest first; then those that ended badly and are why their Todo is blocked."""
    under_way = sorted(state.open_runs(), key=lambda each: (each.started_at, each.id))
    plans = (state.plan(each.id) for each in (*under_way, *_in_the_way(state)))
    return tuple(_line(state, standing(state, each), now) for each in plans if each is not None)


def runs_of(state: State, todo: str, now: datetime) -> tuple[tuple[RunWhole, ...], int]:
    """The newest runs of a Todo, newest first and those nobody began before all; how many more there are."""
    runs = {each.id: each for each in state.runs_of(todo)}
    plans = sorted(state.plans_of(todo), key=lambda each: _age(runs.get(each.run), now), reverse=True)
    return tuple(run_whole(state, each, now) for each in plans[:RUNS]), max(0, len(plans) - RUNS)


def run_whole(state: State, plan: PlanDocument, now: datetime) -> RunWhole:
    """One run whole."""
    stands = standing(state, plan)
    run, steps = stands.run, stands.steps
    if len(steps) > STEPS:
        chosen = {each.meant.id for each in sorted(steps, key=lambda each: each.status.is_terminal)[:STEPS]}
        steps = tuple(each for each in steps if each.meant.id in chosen)
    return RunWhole(
        run=_line(state, stands, now),
        path=run_path(Kind.PLAN, plan.goal, plan.todo, plan.run),
        verification=run.verification_status.value.lower().replace("_", " ") if run is not None else "",
        executions=run.steps_executed if run is not None else 0,
        recoveries=run.recoveries if run is not None else 0,
        steps=tuple(_step(each.meant.id, each.record, each) for each in steps),
        replaced=tuple(_replaced(state, run)) if run is not None else (),
        left_out=len(stands.steps) - len(steps),
        failures=tuple(map(_failed, run.failures)) if run is not None else (),
        trace=tuple(islice(_trace(state, run), TRACE)) if run is not None else (),
        trace_count=run.trace_count if run is not None else 0,
    )


def _in_the_way(state: State) -> Iterator[RunRecord]:
    """Runs that ended badly. A Todo one of them blocked names it as the reason."""
    for todo in state.todos(statuses=[TodoStatus.BLOCKED]):
        named = _NAMED.search(todo.reason or "")
        run = state.run(named[0]) if named is not None else None
        if run is not None and run.todo == todo.id and run.status.is_terminal:
            yield run


def _age(run: RunRecord | None, now: datetime) -> tuple[bool, datetime]:
    return (run is None, now if run is None else run.started_at)


def _line(state: State, stands: PlanStanding, now: datetime) -> RunLine:
    plan, run, tally = stands.plan, stands.run, stands.tally
    todo = state.todo(plan.todo)
    moving = (each for each in stands.steps if not (each.status.is_terminal or each.status in _QUIET))
    return RunLine(
        id=plan.run,
        todo=plan.todo,
        todo_title=todo.title if todo is not None else "",
        goal=plan.goal,
        objective=plan.objective,
        status=NOT_BEGUN if run is None else run.status.value,
        complete=tally.complete,
        counting=tally.counting,
        now=tuple(map(_now, islice(moving, _NOW))) if not stands.has_ended else (),
        gates=tuple(each.id for each in awaited_gates(state, plan.run, now)),
        question=(run.gate or "") if run is not None and not stands.has_ended else "",
        error=(run.error or run.abstention or "") if run is not None else "",
        started_by=run.started_by if run is not None else "",
        started_at=run.started_at if run is not None else None,
        ended_at=run.ended_at if run is not None else None,
        is_over=stands.has_ended,
    )


def _now(stands: StepStanding) -> StepNow:
    record = stands.record
    last = record.attempts[-1] if record is not None and record.attempts else None
    since = None
    if last is not None:
        since = last.started_at if stands.status is StepStatus.IN_PROGRESS else last.ended_at
    return StepNow(
        id=stands.meant.id,
        title=stands.meant.title,
        status=stands.status.value,
        attempts=len(record.attempts) if record is not None else 0,
        since=since,
        not_before=record.not_before if record is not None else None,
    )


def _replaced(state: State, run: RunRecord) -> Iterator[StepWhole]:
    for name in reversed(run.archived[-_REPLACED:]):
        record = state.step(run.id, name)
        if record is not None:
            yield _step(name, record, None)


def _step(identity: str, record: StepRecord | None, stands: StepStanding | None) -> StepWhole:
    meant = stands.meant if stands is not None else None
    status = stands.status if stands is not None else record.status if record is not None else StepStatus.PENDING
    output, is_cut = _tail(record)
    with_now = (record.tool or record.model) if record is not None else None
    with_meant = (meant.tool or meant.model or meant.action.actor.value) if meant is not None else None
    return StepWhole(
        id=identity,
        title=meant.title if meant is not None else identity,
        status=status.value,
        by=with_now or with_meant or "",
        does=" ".join(meant.action.argv) if meant is not None else "",
        is_optional=meant is not None and meant.optional,
        waits_for=stands.waits_for if stands is not None else (),
        not_before=record.not_before if record is not None and not status.is_terminal else None,
        replaced_by=(record.superseded_by or "") if record is not None else "",
        is_unverified=status is StepStatus.VERIFIED_COMPLETED
        and (record is None or record.metadata.get("verification") == "disabled"),
        tries=tuple(_tries(record)),
        failures=tuple(map(_failed, record.failures)) if record is not None else (),
        output=output,
        is_output_cut=is_cut,
    )


def _tries(record: StepRecord | None) -> Iterator[Try]:
    for each in record.attempts if record is not None else ():
        verdicts = (("evaluation", each.evaluation_passed), ("verification", each.verification_passed))
        yield Try(
            number=each.number,
            outcome=each.outcome.value,
            started_at=each.started_at,
            ended_at=each.ended_at,
            exit_status=each.exit_status,
            verdicts=tuple(
                f"{name} {'passed' if passed else 'rejected'}" for name, passed in verdicts if passed is not None
            ),
        )


def _tail(record: StepRecord | None) -> tuple[str, bool]:
    output = _CONTROL.sub("", (record.output if record is not None else None) or "").rstrip("\n")
    tail = "\n".join(output[-_TAIL:].split("\n")[-_TAIL_LINES:])
    return tail, len(tail) < len(output)


def _failed(failure: FailureRecord) -> Failed:
    return Failed(
        id=failure.failure_id,
        type=failure.type.value,
        status=failure.status.value,
        message=failure.message,
        raised_at=failure.raised_at,
        chosen=tuple(
            Chosen(
                strategy=each.strategy.value,
                came_to="chosen" if not each.executed else "succeeded" if each.success else "failed",
                message=each.message,
            )
            for each in failure.actions
        ),
    )


def _trace(state: State, run: RunRecord) -> Iterator[TraceLine]:
    """Lines from the newest on; a segment is read when its turn comes."""
    for number in range(run.trace_segment, 0, -1):
        segment = state.trace_segment(run.id, number)
        if segment is None:
            return
        yield from map(_traced, reversed(segment.entries))


def _traced(entry: TraceEntry) -> TraceLine:
    is_move = entry.before not in (None, entry.after)
    return TraceLine(
        number=entry.number,
        at=entry.at,
        entity=entry.entity,
        move=f"{entry.before} → {entry.after}" if is_move else entry.after,
        role=entry.role,
        cause=entry.cause,
        refused=entry.refused or "",
    )
