"""Handoffs as the decision, the audit and ``loopx handoff`` read them: which wait for an answer, and what is in one.

What a packet says is put together when it is read, from what holds then; the record keeps ids and a few lines. No
transcript is in it and nothing private.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import resolve
from loopx.kernel.state import State
from loopx.kernel.wording import cut, quoted, refuse
from loopx.model.handoff import Handoff, HandoffStatus
from loopx.model.kind import Kind
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.model.todo import Todo


def unanswered(state: State, goal_id: str) -> tuple[Handoff, ...]:
    """Handoffs of a Goal that nobody accepted or declined."""
    return tuple(state.handoffs(goal_id, {HandoffStatus.OFFERED}))


def find_handoff(state: State, typed: str) -> Handoff | Refused:
    """The handoff ``typed`` names."""
    identity = resolve(state, Kind.HANDOFF, typed)
    found = identity if isinstance(identity, Refused) else state.handoff(identity)
    return found or refuse("handoff-unknown", f"There is no handoff {quoted(typed)}.", typed=typed)


def packet(state: State, handoff: Handoff, now: datetime) -> dict[str, Any]:
    """What a receiver needs to go on, as JSON values: bounded, with the standing of everything it names at ``now``."""
    return {
        "id": handoff.id,
        "goal": handoff.goal,
        "status": handoff.status.value,
        "sender": handoff.sender,
        "receiver": handoff.receiver,
        "created_at": format_instant(handoff.created_at),
        "answered_at": format_instant(handoff.answered_at) if handoff.answered_at else None,
        "answered_by": handoff.answered_by,
        "reason": handoff.reason,
        "next_action": handoff.next_action,
        "stop_condition": handoff.stop_condition,
        "provider_revision": handoff.revision,
        "todos": list(_todos(state, handoff, now)),
        "gates": list(_gates(state, handoff, now)),
        "evidence": list(_evidence(state, handoff, now)),
        "omitted": list(handoff.omitted),
    }


def _todos(state: State, handoff: Handoff, now: datetime) -> Iterator[dict[str, Any]]:
    from loopx.kernel.claims import holder

    for name in handoff.todos:
        todo = state.todo(name)
        if todo is None:
            yield {"id": name, "missing": True}
            continue
        said = {"id": name, "title": cut(todo.title, 120), "status": todo.status.value}
        yield {**said, "holder": holder(state, todo, now), **_execution(state, todo, now)}


def _execution(state: State, todo: Todo, now: datetime) -> dict[str, Any]:
    """The lease of a Todo, each number under its own name; absent without one, never as 0."""
    from loopx.kernel.lease_standing import lease_standing

    standing = lease_standing(state, todo.id, now)
    if standing.lease is None or standing.status is None:
        return {}
    numbers = {"lease_version": standing.lease.version, "lease_epoch": standing.lease.epoch}
    return {"lease": standing.status.value, **numbers}


def _gates(state: State, handoff: Handoff, now: datetime) -> Iterator[dict[str, Any]]:
    from loopx.kernel.standing import gate_standing

    for name in handoff.gates:
        gate = state.gate(name)
        if gate is None:
            yield {"id": name, "missing": True}
            continue
        standing = gate_standing(state, gate, now)
        said = {"id": name, "scope": gate.scope, "status": standing.status.value, "covers": standing.covers}
        yield {**said, "why": standing.why}


def _evidence(state: State, handoff: Handoff, now: datetime) -> Iterator[dict[str, Any]]:
    from loopx.kernel.bindings import evidence_standing

    for name in handoff.evidence:
        evidence = state.evidence(name)
        if evidence is None:
            yield {"id": name, "missing": True}
            continue
        standing = evidence_standing(state, evidence, now)
        yield {
            "id": name,
            "kind": evidence.kind.value,
            "result": evidence.result.value,
            "observed_at": format_instant(evidence.observed_at),
            "artifact_revision": evidence.artifact_revision,
            "verdict": standing.verdict.value,
            "fresh": standing.is_fresh,
        }
