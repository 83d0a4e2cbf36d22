"""The next thing that falls due, for everything that does."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from loopx.daemon.duties import next_duty
from loopx.kernel.state import MemorySource, State
from loopx.model.effect import EffectStatus
from loopx.model.entities import Entity
from loopx.model.gate import GateStatus
from loopx.model.monitor import MonitorLog
from loopx.model.run import StepRecord
from loopx.model.step import StepStatus
from loopx.model.times import format_instant
from loopx.model.todo import TodoClass, TodoStatus
from tests.support import leases
from tests.support.clock import START
from tests.support.kernel import T1, evidence, gate, goal, todo
from tests.unit.kernel.endings import effect

SOON = START + timedelta(minutes=10)
WATCHED = {"todo_class": TodoClass.MONITOR, "target": "https://example.org", "cadence": "10m"}
WAITING = StepRecord(
    step="s1", run="run-aaaa1111", todo=T1, status=StepStatus.RETRY_PENDING, version=1, lineage="s1", not_before=SOON
)

CASES: dict[str, tuple[list[Entity], datetime]] = {
    "a lease ends": ([todo(), leases.lease()], START + timedelta(seconds=leases.TTL)),
    "a Gate wants its answer": ([gate(deadline=SOON)], SOON),
    "an approval ends": ([gate(valid_until=SOON)], SOON),
    "an effect is to be read back": ([replace(effect(EffectStatus.UNKNOWN), readback_due_at=SOON)], SOON),
    "a deferral ends": ([todo(status=TodoStatus.DEFERRED, resume_when=f"at:{format_instant(SOON)}")], SOON),
    "a monitor is due": ([todo(**WATCHED), MonitorLog(todo=T1, goal="beta", last_polled_at=START)], SOON),
    "watching ends": ([todo(**{**WATCHED, "target": None}, expires_at=SOON)], SOON),
    "a claim lapses": ([todo(claimed_by="bot", claimed_at=START)], START + timedelta(hours=24)),
    "a step may run again": ([WAITING], SOON),
    "evidence grows stale": ([evidence(fresh_for="10m")], SOON),
}


def state(*entities: Entity) -> State:
    return State(MemorySource([goal(), *entities]))


@pytest.mark.parametrize("what", CASES)
def test_everything_that_falls_due_is_known(what: str) -> None:
    entities, at = CASES[what]
    found = next_duty(state(*entities), START + timedelta(seconds=1))
    assert found is not None
    assert found.what == what
    assert found.about
    assert found.at == at or what == "a claim lapses"


@pytest.mark.parametrize("what", CASES)
def test_what_has_come_is_not_due_again(what: str) -> None:
    entities, _ = CASES[what]
    found = next_duty(state(*entities), START + timedelta(days=400))
    assert found is None or what == "a monitor is due"


def test_a_question_that_was_put_off_still_wants_its_answer_in_time() -> None:
    found = next_duty(state(gate(deadline=SOON, status=GateStatus.DEFERRED)), START)
    assert found is not None
    assert (found.what, found.at) == ("a Gate wants its answer", SOON)


def test_the_first_of_several_is_told() -> None:
    later = gate(deadline=SOON + timedelta(hours=1))
    found = next_duty(state(later, evidence(fresh_for="10m")), START)
    assert found is not None
    assert found.what == "evidence grows stale"


@pytest.mark.parametrize(
    "entity",
    [
        todo(),
        todo(status=TodoStatus.DEFERRED, resume_when="at:tomorrow"),
        todo(status=TodoStatus.DEFERRED, resume_when="evidence:x"),
        evidence(),
        evidence(fresh_for="a while"),
        gate(),
    ],
    ids=lambda each: f"{type(each).__name__} {getattr(each, 'resume_when', '')} {getattr(each, 'fresh_for', '')}",
)
def test_what_never_falls_due_is_no_duty(entity: Entity) -> None:
    assert next_duty(state(entity), START) is None
