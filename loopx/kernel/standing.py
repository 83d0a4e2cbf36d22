"""What a Gate's answer is worth now, and whether a need is covered.

An approval covers while it was neither undone nor outlived, the question still reads as it was asked, and what it was
decided on (:mod:`loopx.kernel.gate_bindings`) is still so. Nothing here ever turns silence into a yes: passing a
deadline changes no answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from loopx.kernel.digest import gate_inputs
from loopx.kernel.state import State
from loopx.model.defining import dataclass
from loopx.model.gate import DecisionScope, Gate, GateStatus
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.model.records import GateDecision


@dataclass(frozen=True, slots=True)
class GateStanding:
    """What a Gate is worth at one instant. ``why`` is one sentence a person can act on."""

    status: GateStatus
    decision: GateDecision | None
    covers: bool
    why: str
    is_overdue: bool = False
    """Its deadline passed without an answer."""
    needs_reassessment: bool = False
    """It was approved, and what that was decided on changed since."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Whether one need is covered in a Goal, and the Gates that matter to the answer."""

    need: DecisionScope
    gate: Gate | None = None
    """The Gate whose approval covers it."""
    pending: Gate | None = None
    """The Gate that would cover it once a person approves."""
    lapsed: Gate | None = None
    """The Gate that covered it once, or was answered with no."""
    why: str = ""
    """Why ``lapsed`` does not cover."""


def last_decision(state: State, gate: Gate) -> GateDecision | None:
    """The newest decision no rollback undid."""
    log = state.decisions(gate.id)
    return next((each for each in reversed(log.entries if log else ()) if each.rolled_back_at is None), None)


def gate_standing(state: State, gate: Gate, now: datetime) -> GateStanding:
    """What ``gate`` is worth at ``now``."""
    decision = last_decision(state, gate)
    if gate.status is not GateStatus.APPROVED:
        return _unapproved(gate, decision, now)
    if decision is None or decision.status is not GateStatus.APPROVED:
        why = "No approval of it stands: a person has to answer again."
        return GateStanding(GateStatus.OPEN, decision, False, why)
    if decision.valid_until is not None and now > decision.valid_until:
        why = f"The approval counted until {format_instant(decision.valid_until)}."
        return GateStanding(GateStatus.EXPIRED, decision, False, why)
    if decision.inputs != gate_inputs(gate):
        why = "The question was changed after the approval: a person has to answer it as it now reads."
        return GateStanding(GateStatus.APPROVED, decision, False, why, needs_reassessment=True)
    if (gate.evidence or decision.acceptance is not None) and (lapsed := _outgrown(state, gate, decision, now)):
        return GateStanding(GateStatus.OPEN, decision, False, lapsed, needs_reassessment=True)
    why = f"Approved by {decision.by} on {format_instant(decision.at)}."
    return GateStanding(GateStatus.APPROVED, decision, True, why)


def _outgrown(state: State, gate: Gate, decision: GateDecision, now: datetime) -> str | None:
    from loopx.kernel.gate_bindings import outgrown  # most Gates are bound to nothing but their question

    return outgrown(state, gate, decision, now)


def _unapproved(gate: Gate, decision: GateDecision | None, now: datetime) -> GateStanding:
    if gate.status in (GateStatus.OPEN, GateStatus.DEFERRED):
        late = gate.deadline is not None and now > gate.deadline
        since = f" since {format_instant(gate.deadline)}" if late and gate.deadline else ""
        why = f"The answer is overdue{since}; it still needs a person." if late else "A person has to answer it."
        return GateStanding(gate.status, decision, False, why, late)
    by = f" by {decision.by}" if decision else ""
    return GateStanding(gate.status, decision, False, f"It was {gate.status}{by}.")


class GateBook:
    """Every Gate that could matter to coverage, looked up once: for verdicts over many Todos."""

    def __init__(self, state: State, now: datetime) -> None:
        self._state = state
        self._now = now
        self._gates: dict[str, list[tuple[Gate, DecisionScope]]] = {}
        self._answers: dict[tuple[str, DecisionScope], Coverage] = {}

    def coverage(self, goal: str, need: DecisionScope) -> Coverage:
        """Whether ``need`` of work in ``goal`` is covered."""
        asked = (goal, need)
        if asked not in self._answers:
            self._answers[asked] = self._covered(goal, need)
        return self._answers[asked]

    def _covered(self, goal: str, need: DecisionScope) -> Coverage:
        pending = lapsed = None
        why = ""
        for gate in self._reaching(goal, need):
            standing = gate_standing(self._state, gate, self._now)
            if standing.covers:
                return Coverage(need, gate=gate)
            if standing.status in (GateStatus.OPEN, GateStatus.DEFERRED):
                pending = pending or gate
            elif lapsed is None:
                lapsed, why = gate, standing.why
        return Coverage(need, pending=pending, lapsed=lapsed, why=why)

    def _reaching(self, goal: str, need: DecisionScope) -> Iterator[Gate]:
        """Gates whose scope covers ``need`` and reaches ``goal``: narrow ones only within their own Goal."""
        return (gate for gate, scope in self._known(goal) if scope.covers(need))

    def _known(self, goal: str) -> list[tuple[Gate, DecisionScope]]:
        if goal not in self._gates:
            reaching = self._state.gates_reaching(goal)
            self._gates[goal] = [(gate, scope) for gate in reaching if (scope := _scope(gate)) is not None]
        return self._gates[goal]


def covering_gate(state: State, goal: str, need: DecisionScope, now: datetime) -> Gate | None:
    """The Gate whose approval covers ``need`` of work in ``goal`` at ``now``."""
    return GateBook(state, now).coverage(goal, need).gate


def _scope(gate: Gate) -> DecisionScope | None:
    """A Gate's scope; ``None`` for one that cannot be understood, which covers nothing."""
    try:
        return DecisionScope.parse(gate.scope)
    except ValueError:
        return None
