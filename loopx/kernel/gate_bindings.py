"""What an answer to a Gate was given on, beyond its question, and whether that is still so.

Not every approval lapses when something changes. It is bound to the project's files only where the Gate names evidence
that is (the files that evidence speaks of, as they were when the person answered), and to acceptance only where the
Gate is about criteria:

* its evidence is about a criterion, or its question or an option names one, as ``GOAL/ID`` or by an id with a digit in
  it (``a1``): then a decision as wide as the Goal or wider is bound to the Goal's whole acceptance, a narrower one to
  those criteria;
* its evidence is about a Todo that advances criteria: then it is bound to those.

When one of these changed the approval covers nothing until a person answers again, or until somebody judges that the
evidence it was asked on still applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from loopx.kernel.digest import criterion_text, of_everything
from loopx.kernel.state import State
from loopx.model.gate import DecisionScope, Gate, Granularity
from loopx.model.goal import Goal
from loopx.model.records import Evidence, GateDecision

_AS_WIDE_AS_A_GOAL = frozenset({Granularity.GOAL, Granularity.PROJECT, Granularity.GLOBAL})


class Bound(NamedTuple):
    """What a decision made now is bound to; ``None`` where it is bound to nothing of the kind, or it is not known."""

    acceptance: str | None
    artifact: str | None


def bound_now(state: State, gate: Gate) -> Bound:
    """What an answer to ``gate`` given now rests on."""
    asked_on = list(_asked_on(state, gate))
    return Bound(_acceptance(state, gate, asked_on), _artifact(state, asked_on))


def outgrown(state: State, gate: Gate, decision: GateDecision, now: datetime) -> str | None:
    """Why ``decision`` needs reassessment, as a sentence; ``None`` while what it was made on is as it was."""
    asked_on = list(_asked_on(state, gate)) if gate.evidence or decision.acceptance is not None else []
    if decision.acceptance is not None and decision.acceptance != _acceptance(state, gate, asked_on):
        return "The acceptance it was decided on changed since: it needs reassessment, so a person has to answer again."
    on_files = [each for each in asked_on if each.artifact is not None]
    if not on_files or (decision.artifact is not None and decision.artifact == _artifact(state, on_files)):
        return None
    return _lapsed(state, on_files, now)


def _lapsed(state: State, on_files: list[Evidence], now: datetime) -> str | None:
    from loopx.kernel.bindings import EvidenceVerdict, evidence_standing

    for each in on_files:
        standing = evidence_standing(state, each, now)
        if standing.verdict is not EvidenceVerdict.APPLIES:
            return f"What it was decided on needs reassessment, and so does the answer. {each.id}: {standing.why}"
    return None


def _asked_on(state: State, gate: Gate) -> Iterator[Evidence]:
    return (found for each in gate.evidence if (found := state.evidence(each)) is not None)


def _artifact(state: State, asked_on: list[Evidence]) -> str | None:
    """Digest of the files the evidence speaks of, as they are; ``None`` where it speaks of none or that is unknown."""
    found = {each.id: state.environment.artifact(each.artifact_scopes) for each in asked_on if each.artifact}
    return None if not found or None in found.values() else of_everything(found)


def _acceptance(state: State, gate: Gate, asked_on: list[Evidence]) -> str | None:
    goal = state.goal(gate.goal)
    if goal is None:
        return None
    named = {*_criteria_of(asked_on, goal), *_criteria_in_words(gate, goal)}
    if named and _is_as_wide_as_its_goal(gate):
        return of_everything({each.id: criterion_text(each) for each in goal.acceptance})
    named.update(_criteria_advanced(state, asked_on))
    if not named:
        return None
    texts = {each.id: criterion_text(each) for each in goal.acceptance}
    return of_everything({each: texts.get(each) for each in named})


def _criteria_of(asked_on: list[Evidence], goal: Goal) -> Iterator[str]:
    prefix = f"{goal.id}/"
    return (each.subject.removeprefix(prefix) for each in asked_on if each.subject.startswith(prefix))


def _criteria_in_words(gate: Gate, goal: Goal) -> Iterator[str]:
    text = " ".join((gate.question, *gate.options))
    for each in goal.acceptance:
        bare = "" if any(character.isdigit() for character in each.id) else f"{re.escape(goal.id)}/"
        if re.search(rf"(?<![\w-]){bare}{re.escape(each.id)}(?![\w-])", text, re.IGNORECASE):
            yield each.id


def _criteria_advanced(state: State, asked_on: list[Evidence]) -> Iterator[str]:
    for each in asked_on:
        todo = state.todo(each.subject)
        yield from todo.acceptance if todo is not None else ()


def _is_as_wide_as_its_goal(gate: Gate) -> bool:
    try:
        return DecisionScope.parse(gate.scope).granularity in _AS_WIDE_AS_A_GOAL
    except ValueError:
        return False
