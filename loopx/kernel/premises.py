"""What an agent's Vision was written on: digests of the Goal's criteria, boundary and decisions, kept as Baselines.

Every accepted write of a Vision adds one (:func:`with_baseline`), by whichever way it came in. "Unchanged" is judged
against the newest Baseline whose text is the Vision's text now: a Vision that a rollback put back has its old Baseline
again, and one nobody recorded has none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from loopx.kernel.answering import stamp
from loopx.kernel.context import Context
from loopx.kernel.digest import boundary_text, criterion_text
from loopx.kernel.outcome import Record
from loopx.kernel.standing import gate_standing
from loopx.kernel.state import State
from loopx.model.codec import plain
from loopx.model.gate import GateStatus

if TYPE_CHECKING:
    from loopx.model.baseline import Baseline
    from loopx.model.goal import Goal
    from loopx.model.vision import Vision

KEPT = 50
"""Versions a log of Baselines lists; Git has the older ones."""
_TEXTS = ("summary", "role_scope", "acceptance", "advancement", "replan_trigger", "dreaming", "last_patch", "body")
_ANSWERED = frozenset({GateStatus.APPROVED, GateStatus.REJECTED, GateStatus.EXPIRED})


class Premises(NamedTuple):
    """Digests of what a Vision rests on."""

    acceptance: str
    """The Goal's criteria: their texts and checks, and which of them a person waived."""
    boundary: str
    gates: str
    """The answers to the Goal's Gates, and whether each still counts."""


def vision_digest(vision: Vision) -> str:
    """SHA-256 (hex) of a Vision's text: everything a person or its agent writes in it, its status apart."""
    return _digest({name: plain(getattr(vision, name)) for name in _TEXTS})


def premises(state: State, goal: Goal, agent: str, now: datetime) -> Premises:
    """What a Vision of ``agent`` for ``goal`` rests on at ``now``."""
    return Premises(
        acceptance=acceptance_digest(state, goal),
        boundary=boundary_text(goal),
        gates=_digest(dict(_answers(state, goal, now))),
    )


def acceptance_digest(state: State, goal: Goal) -> str:
    """SHA-256 (hex) of the Goal's criteria as a Vision rests on them: texts and checks, and which were waived."""
    return _digest(dict(_criteria(state, goal)))


def baseline_of(state: State, goal_id: str, agent: str) -> Baseline | None:
    """The newest recorded version of the agent's Vision that reads as the Vision does now; ``None`` without one."""
    vision, log = state.vision(goal_id, agent), state.baselines(goal_id, agent)
    if vision is None or log is None:
        return None
    wanted = vision_digest(vision)
    return next((each for each in reversed(log.entries) if each.vision == wanted), None)


def changed_premises(state: State, goal: Goal, agent: str, now: datetime) -> tuple[str, ...]:
    """Names of the premises that changed since the agent's Vision was written; empty without a Baseline to compare."""
    baseline = baseline_of(state, goal.id, agent)
    if baseline is None:
        return ()
    today = premises(state, goal, agent, now)
    pairs = {
        "acceptance": (baseline.acceptance, today.acceptance),
        "boundary": (baseline.boundary, today.boundary),
        "gates": (baseline.gates, today.gates),
    }
    return tuple(name for name, (then, current) in pairs.items() if then != current)


def with_baseline(state: State, vision: Vision, context: Context, turn: str | None = None) -> tuple[Record, ...]:
    """The record that ``vision`` was written on today's premises; empty where its Goal cannot be found."""
    from loopx.model.baseline import Baseline, BaselineLog

    goal = state.goal(vision.goal)
    if goal is None:
        return ()
    today = premises(state, goal, vision.agent, context.now)
    entry = Baseline(
        at=stamp(context),
        by=str(context.actor),
        operation=context.operation,
        vision=vision_digest(vision),
        acceptance=today.acceptance,
        boundary=today.boundary,
        gates=today.gates,
        turn=turn,
    )
    log = state.baselines(goal.id, vision.agent)
    entries = (*(log.entries if log else ()), entry)[-KEPT:]
    return (Record(BaselineLog(agent=vision.agent, entries=entries, goal=goal.id)),)


def _criteria(state: State, goal: Goal) -> Iterator[tuple[str, list[object]]]:
    for each in goal.acceptance:
        text = criterion_text(each)
        log = state.criterion(goal.id, each.id)
        mark = next((found for found in reversed(log.entries if log else ()) if found.rolled_back_at is None), None)
        yield each.id, [text, mark is not None and mark.status == "waived" and mark.text == text]


def _answers(state: State, goal: Goal, now: datetime) -> Iterator[tuple[str, list[str]]]:
    for each in state.gates(goal.id):
        found = gate_standing(state, each, now)
        if found.status in _ANSWERED and found.decision is not None:
            yield each.id, [found.status.value, found.decision.operation, str(found.covers)]


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(text.encode("ascii")).hexdigest()
