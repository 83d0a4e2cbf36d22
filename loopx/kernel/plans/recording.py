"""The rule of recording a run: what is written must follow from what was written, line by line, and say no more.

One record is one commit: new lines of the trace, the steps that changed, the run itself, the plan where a replan
changed it, and the question a person is asked. Every one of them is held against the lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from loopx.kernel.answering import accepted, headline
from loopx.kernel.lease_standing import live_lease
from loopx.kernel.outcome import Accepted, Change, Outcome, Record, Refused, Update
from loopx.kernel.plans import chain
from loopx.kernel.plans.headlines import told
from loopx.kernel.plans.lines import Story, follow
from loopx.kernel.plans.permitting import bad_beginning
from loopx.kernel.plans.planning import bad_steps, lost_past, meaning_of, over
from loopx.kernel.plans.telling import bad_run, bad_step
from loopx.kernel.plans.writing import may_not_write
from loopx.kernel.resolve import find_plan
from loopx.kernel.wording import refuse
from loopx.model.defining import dataclass
from loopx.model.kind import Kind
from loopx.model.run import RunRecord, TraceEntry, TraceSegment
from loopx.model.step import StepStatus

if TYPE_CHECKING:
    from loopx.kernel.commands.plans import RecordRun
    from loopx.kernel.context import Context
    from loopx.kernel.state import State
    from loopx.model.plan import PlanDocument, RunSettings


@dataclass(frozen=True)
class Recording:
    """One record, and what it is held against."""

    state: State
    command: RecordRun
    context: Context
    run: RunRecord

    @cached_property
    def plan(self) -> PlanDocument:
        """The plan as it is on record. Asked for only where a rule needs it: it may be long."""
        found = self.state.plan(self.run.id)
        if found is None:
            raise LookupError(self.run.id)
        return found

    def settings(self) -> RunSettings:
        return self.plan.settings


def record_run(state: State, command: RecordRun, context: Context) -> Outcome:
    """Write down what became of a run since it was last recorded."""
    run = state.run(command.run)
    if run is None:
        found = find_plan(state, command.run)
        message = f"The run {command.run} was not begun."
        return found if isinstance(found, Refused) else refuse("run-unknown", message, run=command.run)
    if run.status.is_terminal:
        return over(run)
    recording = Recording(state, command, context, run)
    turn = command.record.turn
    refused = may_not_write(state, run, context, command.lease_key, turn) or _moved(recording)
    if refused:
        return refused
    story = follow(command.entries, run.status, lambda step: state.step(run.id, step), recording.settings)
    if isinstance(story, Refused):
        return story
    if refused := _untrue(recording, story):
        return refused
    asked = _asked(recording)
    return asked if isinstance(asked, Refused) else _accepted(recording, asked)


def _moved(recording: Recording) -> Refused | None:
    """The refusal of a record made on something else than what is on record, or whose chain is broken."""
    run, command = recording.run, recording.command
    first = command.entries[0] if command.entries else None
    before = command.record.trace_count - len(command.entries)
    if before != run.trace_count or (first is None and command.head != run.trace_hash):
        message = f"{run.id} is on record up to line {run.trace_count}, and this goes on from line {before}."
        return refuse("run-moved", message, run=run.id, found=run.trace_count, expected=before)
    broken = chain.first_break(command.entries, run.trace_hash, run.trace_count)
    if first is not None and broken == first.number:
        message = f"Line {first.number} of {run.id} does not follow from what is on record."
        return refuse("run-moved", message, run=run.id, line=first.number)
    if broken is not None or (command.entries and command.head != command.entries[-1].hash):
        message = f"The trace of {run.id} is broken at line {broken or run.trace_count + len(command.entries)}."
        return refuse("run-record-untrue", message, run=run.id)
    return _plan_moved(recording)


def _plan_moved(recording: Recording) -> Refused | None:
    """The refusal of a replan of a plan that somebody edited since it was read."""
    plan = recording.command.plan
    if plan is None or recording.command.replaces == meaning_of(recording.plan):
        return None
    return refuse("run-moved", f"The plan of {plan.run} was edited since this run read it.", run=plan.run)


def _untrue(recording: Recording, story: Story) -> Refused | None:
    command = recording.command
    untold = set(story.steps) - {each.step for each in command.steps}
    if untold:
        step = min(untold)
        return refuse("run-record-untrue", f"The trace moves the step {step}, and there is no record of it.", step=step)
    return (
        bad_run(recording, story)
        or _unpermitted(recording)
        or next((refused for each in command.steps if (refused := bad_step(recording, each, story))), None)
        or (_bad_plan(recording, command.plan) if command.plan is not None else None)
    )


def _unpermitted(recording: Recording) -> Refused | None:
    """The refusal of a step that begins without the yes it needs, by the plan there is or the one that comes with
    it."""
    if not any(each.after == StepStatus.IN_PROGRESS for each in recording.command.entries):
        return None
    plan = recording.command.plan
    plans = [recording.plan] if plan is None else [recording.plan, plan]
    return bad_beginning(recording.state, plans, recording.command.entries, recording.context.now)


def _bad_plan(recording: Recording, plan: PlanDocument) -> Refused | None:
    """The refusal of a replan: it may rewrite what is not done, and nothing else."""
    before, run, state = recording.plan, recording.run, recording.state
    if (plan.run, plan.todo, plan.goal, plan.settings) != (before.run, before.todo, before.goal, before.settings):
        return refuse("run-record-untrue", f"A replan of {run.id} changes more than its steps.", run=run.id)
    if plan.version < before.version:
        message = f"The plan of {run.id} is at version {before.version} and cannot become {plan.version}."
        return refuse("run-record-untrue", message, run=run.id)
    todo = state.todo(run.todo)
    assert todo is not None  # asked before anything else
    archived = recording.command.record.archived
    return bad_steps(plan.steps, todo) or lost_past(state, before, plan.steps, run, archived)


def _asked(recording: Recording) -> Accepted | Refused | None:
    """The opening of the question a person is asked. It gets the id the record names, so that both are one fact."""
    command, gate = recording.command, recording.command.record.gate
    question = command.question
    if question is None:
        if gate in (None, recording.run.gate):
            return None
        return refuse("run-record-untrue", f"{recording.run.id} names the Gate {gate} and asks nothing.", gate=gate)
    from loopx.kernel.gates import open_gate  # a run seldom asks

    if gate is None or question.goal != recording.run.goal:
        return refuse("run-record-untrue", f"{recording.run.id} asks something and names no Gate of its Goal.")
    if recording.state.is_known_id(gate):
        return refuse("id-reused", f"{gate} was the id of another document.", id=gate)
    return open_gate(recording.state, question, replace(recording.context, ids=_Given(gate)))


@dataclass(frozen=True, slots=True)
class _Given:
    """The id that was wanted, and no other."""

    identity: str

    def fresh(self, prefix: str) -> str:
        return self.identity


def _accepted(recording: Recording, asked: Accepted | None) -> Accepted:
    command, run = recording.command, recording.run
    gate = asked.receipt.result["id"] if asked is not None else command.record.gate
    record = _written(recording, gate)
    segments = list(_segments(recording))
    changes: list[Change] = [*map(Record, segments), *map(Record, command.steps)]
    if command.plan is not None:
        changes.append(Update(Kind.PLAN, run.goal, run.id, _changed(recording.plan, command.plan)))
    record = replace(record, trace_segment=max((each.number for each in segments), default=run.trace_segment))
    changes += [Record(record), *(asked.changes if asked is not None else ())]
    return accepted(
        command,
        recording.context,
        subject=f"run {run.id}",
        goal=run.goal,
        headline=headline("run", command.point, run.id, told(command)),
        changes=changes,
        result={
            "id": run.id,
            "status": record.status.value,
            "line": record.trace_count,
            "gate": gate,
            **({"verified": verified} if (verified := _verified(command)) else {}),
        },
    )


def _verified(command: RecordRun) -> list[str]:
    """Steps that were completed by this record and verified by somebody else than whoever carried them out."""
    done = {f"step {each.step}": each.step for each in command.steps if each.verification_passed}
    ended = (each for each in command.entries if each.after == StepStatus.VERIFIED_COMPLETED and each.refused is None)
    return [done[each.entity] for each in ended if each.entity in done]


def _written(recording: Recording, gate: str | None) -> RunRecord:
    """The record with what the kernel alone says: the Gate, and the epoch of the lease that was shown."""
    record, epoch = recording.command.record, recording.run.lease_epoch
    if recording.command.lease_key is not None:
        lease = live_lease(recording.state, record.todo, recording.context.now)
        epoch = lease.epoch if lease is not None else epoch
    return replace(record, gate=gate, lease_epoch=epoch)


def _changed(before: PlanDocument, after: PlanDocument) -> dict[str, Any]:
    names = ("version", "objective", "steps", "scope")
    return {name: getattr(after, name) for name in names if getattr(after, name) != getattr(before, name)}


def _segments(recording: Recording) -> Iterator[TraceSegment]:
    """The segments the new lines go into: the one that is written to, until it is full, and new ones after it."""
    left: Sequence[TraceEntry] = recording.command.entries
    number, run = recording.run.trace_segment, recording.run
    known = recording.state.trace_segment(run.id, number) if left else None
    lines = list(known.entries) if known is not None else []
    while left:
        size = sum(map(chain.size_of, lines))
        taken = 0
        while taken < len(left) and (size < chain.SEGMENT_SIZE or not lines):
            size += chain.size_of(left[taken])
            lines.append(left[taken])
            taken += 1
        if taken:
            yield TraceSegment(run=run.id, number=number, entries=tuple(lines), todo=run.todo, goal=run.goal)
        left, lines, number = left[taken:], [], number + 1
