"""What stands in the way of the end of a Goal, made with few words."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from loopx.kernel.closure.audit import audit
from loopx.kernel.closure.record import Audit
from loopx.model.effect import Effect, EffectStatus, Postcondition
from loopx.model.goal import Readback
from loopx.model.handoff import Handoff
from loopx.model.lease import Lease
from loopx.model.monitor import MonitorLog
from loopx.model.todo import Todo, TodoClass
from loopx.model.turn import Turn
from tests.support.clock import START
from tests.support.kernel import T1, Desk, todo

READ = Readback(source="https://example.org/status", fresh_for="6h")


def monitor(name: str = T1, **fields: Any) -> Todo:
    watched = {"title": "Watch the build", "target": "ci", "cadence": "1h", "todo_class": TodoClass.MONITOR}
    return todo(name, **{**watched, **fields})


def polled(name: str = T1, **fields: Any) -> MonitorLog:
    return MonitorLog(todo=name, goal="beta", polls=1, last_polled_at=START, **fields)


def effect(status: EffectStatus = EffectStatus.CONFIRMED, *texts: str, **fields: Any) -> Effect:
    intent = {"summary": "Publish", "agent": "bot", "opened_by": "op-1", "goal": "beta", "opened_at": START}
    postconditions = tuple(Postcondition(text=each) for each in texts)
    return Effect(
        **{"id": "x-aaaa1111", "readback_due_at": START, "status": status, "postconditions": postconditions, **intent},
        **fields,
    )


def lease(**fields: Any) -> Lease:
    held = {"todo": T1, "owner": "bot", "key": "k-1", "epoch": 1, "version": 1, "ttl_seconds": 2700, "goal": "beta"}
    times = {"acquired_at": START, "renewed_at": START, "expires_at": START + timedelta(minutes=45)}
    return Lease(**{**held, **times, "acquired_by": "op-1", "terms": "x", **fields})


def turn(**fields: Any) -> Turn:
    return Turn(
        **{"id": "turn-aaaa1111", "agent": "bot", "opened_at": START, "opened_by": "op-1", "goal": "beta", **fields}
    )


def handoff(**fields: Any) -> Handoff:
    packet = {"sender": "agent:bot", "next_action": "Go on", "created_by": "op-1", "created_at": START, "goal": "beta"}
    return Handoff(**{"id": "h-aaaa1111", **packet, **fields})


def audited(desk: Desk, name: str = "beta") -> Audit:
    return audit(desk.state, desk.goal(name), desk.now)
