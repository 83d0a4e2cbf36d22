"""What evidence is about: a Todo, a Gate, an effect, or a criterion, found from what somebody typed.

In records a subject is written as an id, and a criterion as ``GOAL/CRITERION``.
"""

from __future__ import annotations

from typing import NamedTuple

from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_criterion, find_gate, find_goal, find_todo, resolve
from loopx.kernel.state import State
from loopx.kernel.wording import quoted, refuse
from loopx.model.goal import Criterion, Goal
from loopx.model.ids import EFFECT, GATE, TODO, folded
from loopx.model.kind import Kind


class Subject(NamedTuple):
    """What evidence is about, with the Goal it belongs to."""

    id: str
    goal: str
    criterion: Criterion | None = None


def find_subject(state: State, typed: str, goal: str | None = None) -> Subject | Refused:
    """The subject ``typed`` names. A criterion's bare name is looked up in ``goal``, before ids are."""
    before, slash, name = typed.partition("/")
    if slash:
        return _criterion(state, before, name)
    within = find_goal(state, goal) if goal is not None else None
    if isinstance(within, Refused):
        return within
    if within is not None and any(each.id == typed.strip().lower() for each in within.acceptance):
        return _criterion_of(within, typed)
    found = _of_an_id(state, typed)
    if found is not None:
        return found
    return _nothing(typed) if within is None else _criterion_of(within, typed)


def criterion_named(subject: str) -> tuple[str, str] | None:
    """Goal and criterion of a subject that is a criterion; ``None`` for any other."""
    goal, slash, criterion = subject.partition("/")
    return (goal, criterion) if slash else None


def _criterion(state: State, goal: str, criterion: str) -> Subject | Refused:
    found = find_goal(state, goal)
    return found if isinstance(found, Refused) else _criterion_of(found, criterion)


def _criterion_of(goal: Goal, criterion: str) -> Subject | Refused:
    found = find_criterion(goal, criterion)
    return found if isinstance(found, Refused) else Subject(f"{goal.id}/{found.id}", goal.id, found)


def _of_an_id(state: State, typed: str) -> Subject | Refused | None:
    prefix = folded(typed).partition("-")[0]
    if prefix == TODO:
        todo = find_todo(state, typed)
        return todo if isinstance(todo, Refused) else Subject(todo.id, todo.goal)
    if prefix == GATE:
        gate = find_gate(state, typed)
        return gate if isinstance(gate, Refused) else Subject(gate.id, gate.goal)
    if prefix == EFFECT:
        identity = resolve(state, Kind.EFFECT, typed)
        if isinstance(identity, Refused):
            return identity
        effect = state.effect(identity)
        return None if effect is None else Subject(effect.id, effect.goal)
    return None


def _nothing(typed: str) -> Refused:
    message = f"{quoted(typed)} names no Todo, Gate, effect or criterion."
    return refuse("evidence-about-unclear", message, typed=typed)
