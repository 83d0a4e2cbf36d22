"""The next instant at which something falls due, out of the state. Pure; decides nothing and writes nothing.

When it comes the daemon looks once and pages are made anew: what they show is what the clock has made of the same
facts. What is due is worked out where it always is, in the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from loopx.kernel.cadence import monitor_standing
from loopx.kernel.durations import later, parse_duration
from loopx.kernel.lease_standing import standing_of
from loopx.kernel.policies import claim_ttl
from loopx.kernel.state import State
from loopx.model.defining import dataclass
from loopx.model.effect import EffectStatus
from loopx.model.gate import GateStatus
from loopx.model.kind import Kind
from loopx.model.lease import LeaseStatus
from loopx.model.records import Evidence
from loopx.model.run import StepRecord
from loopx.model.step import StepStatus
from loopx.model.times import parse_instant
from loopx.model.todo import Todo, TodoClass, TodoStatus

_WAIT_FOR_TIME = "at:"
_NEWEST = 500
"""So many pieces of evidence, the newest, are asked until when they count; older ones rarely still do."""


@dataclass(frozen=True, slots=True)
class Duty:
    """Something that falls due. ``what`` says it in words, ``about`` names the item."""

    at: datetime
    what: str
    about: str


def next_duty(state: State, now: datetime) -> Duty | None:
    """The first thing that falls due after ``now``; ``None`` when nothing is known to."""
    return min((each for each in _duties(state, now) if each.at > now), key=lambda each: each.at, default=None)


def _duties(state: State, now: datetime) -> Iterator[Duty]:
    for lease in state.leases(statuses=[LeaseStatus.ACTIVE]):
        ends = standing_of(lease, now).expires_at
        if ends is not None:
            yield Duty(ends, "a lease ends", lease.todo)
    for gate in state.gates(statuses=[GateStatus.OPEN, GateStatus.DEFERRED, GateStatus.APPROVED]):
        for at, what in ((gate.deadline, "a Gate wants its answer"), (gate.valid_until, "an approval ends")):
            if at is not None:
                yield Duty(at, what, gate.id)
    for effect in state.effects(statuses=[EffectStatus.UNKNOWN]):
        yield Duty(effect.readback_due_at, "an effect is to be read back", effect.id)
    for step in state.source.select(Kind.STEP, None, [StepStatus.RETRY_PENDING]):
        if isinstance(step, StepRecord) and step.not_before is not None:
            yield Duty(step.not_before, "a step may run again", step.id)
    for todo in (*state.entangled(), *state.todos(statuses=[TodoStatus.DEFERRED])):
        yield from _of_todo(state, todo, now)
    for evidence in state.source.latest(Kind.EVIDENCE, None, limit=_NEWEST):
        if isinstance(evidence, Evidence) and evidence.fresh_for is not None:
            yield from _after(evidence.observed_at, evidence.fresh_for, "evidence grows stale", evidence.id)


def _of_todo(state: State, todo: Todo, now: datetime) -> Iterator[Duty]:
    if todo.todo_class is TodoClass.MONITOR:
        due = monitor_standing(state, todo, now).next_due_at
        if due is not None:
            yield Duty(due, "a monitor is due", todo.id)
    if todo.claimed_by is not None and todo.claimed_at is not None:
        yield Duty(later(todo.claimed_at, claim_ttl(state, todo.goal)), "a claim lapses", todo.id)
    if todo.expires_at is not None:
        yield Duty(todo.expires_at, "watching ends", todo.id)
    if todo.resume_when and todo.resume_when.startswith(_WAIT_FOR_TIME):
        try:
            yield Duty(parse_instant(todo.resume_when.removeprefix(_WAIT_FOR_TIME)), "a deferral ends", todo.id)
        except ValueError:
            return  # a time nobody can read never comes; the Todo itself says so


def _after(since: datetime, length: str, what: str, about: str) -> Iterator[Duty]:
    try:
        yield Duty(later(since, parse_duration(length)), what, about)
    except ValueError:
        return
