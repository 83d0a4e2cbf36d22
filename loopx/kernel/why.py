"""Why something is as it is: every rule that was asked about one Todo, Gate, Goal or obligation, with what it found.

For ``loopx why ID``. It explains decisions and makes none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from loopx.kernel.claims import holder
from loopx.kernel.criteria import criterion_standing
from loopx.kernel.lease_standing import lease_standing
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import folded_name, resolve
from loopx.kernel.standing import gate_standing
from loopx.kernel.state import State
from loopx.kernel.support import lapsed, standing_completion
from loopx.kernel.verdicts import RULES, Case, verdict
from loopx.kernel.wording import listed
from loopx.model.actor import Actor
from loopx.model.defining import dataclass
from loopx.model.gate import DecisionScope, Gate
from loopx.model.goal import Goal, GoalStatus
from loopx.model.ids import folded
from loopx.model.kind import Kind
from loopx.model.todo import Todo, TodoStatus


@dataclass(frozen=True, slots=True)
class Line:
    """One rule: what it found, in words and as facts. ``verdict`` is ``ok``, ``no`` or ``note``."""

    rule: str
    verdict: str
    message: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that bears on one document. ``summary`` is one sentence, the lines are the trace."""

    kind: str
    """The noun: a kind of document, or ``obligation``."""
    id: str
    title: str
    status: str
    summary: str
    lines: tuple[Line, ...]


def explain(state: State, typed: str, now: datetime, actor: Actor | None = None) -> Explanation | Refused:
    """The explanation of the Todo, Gate, Goal or obligation that ``typed`` names."""
    state = state.looked_up_once()
    kind = _kind(state, typed)
    if kind is Kind.GOAL and typed.strip().lower().startswith("o-") and state.goal(folded_name(typed)) is None:
        return _obligation(state, typed, now)
    identity = resolve(state, kind, typed)
    if isinstance(identity, Refused):
        return identity
    found = {Kind.TODO: state.todo, Kind.GATE: state.gate, Kind.GOAL: state.goal}[kind](identity)
    if isinstance(found, Todo):
        return _todo(state, found, now, actor)
    if isinstance(found, Gate):
        return _gate(state, found, now)
    assert isinstance(found, Goal)
    return _goal(state, found, now)


def _kind(state: State, typed: str) -> Kind:
    """Which noun ``typed`` belongs to: a Goal of that very name first, then what its prefix says."""
    if state.goal(folded_name(typed)) is not None:
        return Kind.GOAL
    wanted = folded(typed)
    if wanted.startswith("g-"):
        return Kind.GATE
    return Kind.TODO if wanted.startswith("t-") or state.matching(Kind.TODO, f"t-{wanted}") else Kind.GOAL


def _todo(state: State, todo: Todo, now: datetime, actor: Actor | None) -> Explanation:
    found = verdict(state, todo, actor, now)
    summary = "It can be worked on now." if found.is_runnable else f"It cannot be worked on: {found.reasons[0].message}"
    lines = _closed_lines(state, todo, now) if todo.status.is_closed else _rule_lines(state, todo, now, actor)
    return Explanation(Kind.TODO, todo.id, todo.title, todo.status.value, summary, lines)


def _rule_lines(state: State, todo: Todo, now: datetime, actor: Actor | None) -> tuple[Line, ...]:
    case = Case(state, todo, actor, now)
    lines: list[Line] = []
    for name, rule in RULES.items():
        reasons = list(rule(case))
        lines += [Line(name, "no", each.message, {"code": each.code.value, **each.facts}) for each in reasons]
        if not reasons:
            lines.append(Line(name, "ok", "Nothing stands in the way."))
    return (*lines, *_held_lines(state, todo, now), *_decision_lines(state, todo, now, actor))


def _decision_lines(state: State, todo: Todo, now: datetime, actor: Actor | None) -> Iterator[Line]:
    """What is owed because of it, and what ``actor`` is told to do instead of it or with it."""
    from loopx.kernel.bearing import decided, owed_for

    goal = state.goal(todo.goal)
    if goal is None:
        return
    for told in owed_for(state, goal, now, frozenset({todo.id})):
        yield Line("obligation", *told)
    if actor is not None:
        yield Line("decision", *decided(state, todo, actor, now))


def _held_lines(state: State, todo: Todo, now: datetime) -> Iterator[Line]:
    """Who executes it, or did until the lease ran out, and a claim that holds no longer; for anybody who asks."""
    standing = lease_standing(state, todo.id, now)
    if standing.lease is not None and standing.status != "released":
        facts = {"holder": standing.lease.owner, "epoch": standing.lease.epoch, "version": standing.lease.version}
        yield Line("execution", "note", standing.why, facts)
    if todo.claimed_by is not None and holder(state, todo, now) is None:
        yield Line("claimed by", "note", f"The claim of {todo.claimed_by} has lapsed: nobody acted on it.")


def _closed_lines(state: State, todo: Todo, now: datetime) -> tuple[Line, ...]:
    if todo.status is not TodoStatus.DONE:
        by = f" by {listed(todo.superseded_by)}" if todo.superseded_by else ""
        return (Line("status", "note", f"It was {todo.status}{by}. {todo.reason or ''}".strip()),)
    completion = standing_completion(state, todo)
    if completion is None:
        return (Line("completion", "no", "No completion of it stands: nothing shows who finished it."),)
    message = f"Finished by {completion.by}; what goes on: {completion.continuation}."
    facts = {"operation": completion.operation, "evidence": list(completion.evidence)}
    if not completion.validated:
        backed = Line("validation", "no", "Only the word of whoever finished it backs it: it is unvalidated.")
    elif (why := lapsed(state, completion, now)) is not None:
        backed = Line("validation", "no", f"What backed it supports nothing now. {why}")
    else:
        backed = Line("validation", "ok", "Evidence backs it.")
    return (Line("completion", "ok", message, facts), backed)


def _gate(state: State, gate: Gate, now: datetime) -> Explanation:
    standing = gate_standing(state, gate, now)
    needing = [each.id for each in _needing(state, gate) if not each.status.is_closed]
    lines = [Line("answer", "ok" if standing.covers else "no", standing.why, {"status": standing.status.value})]
    if standing.decision is not None:
        decision = standing.decision
        facts = {"operation": decision.operation, "channel": decision.channel.value, "option": decision.option}
        lines.append(Line("decision", "note", f"{decision.by}: {decision.reason}", facts))
    waiting = f"Required by {listed(needing)}." if needing else "No open Todo requires it."
    lines.append(Line("needed by", "note", waiting, {"todos": needing[:20]}))
    return Explanation(Kind.GATE, gate.id, gate.question, gate.status.value, standing.why, tuple(lines))


def _needing(state: State, gate: Gate) -> list[Todo]:
    """Todos of the Gate's own Goal that require a decision within its scope."""
    try:
        scope = DecisionScope.parse(gate.scope)
    except ValueError:
        return []
    return [each for each in state.entangled(gate.goal) if any(_covers(scope, need) for need in each.requires)]


def _covers(scope: DecisionScope, need: str) -> bool:
    try:
        return scope.covers(DecisionScope.parse(need))
    except ValueError:
        return False


def _obligation(state: State, typed: str, now: datetime) -> Explanation | Refused:
    from loopx.kernel.bearing import find_obligation

    found = find_obligation(state, typed, now)
    if isinstance(found, Refused):
        return found
    goal, owed = found
    lines = (
        Line("trigger", "note", owed.trigger, {"kind": owed.kind.value, "goal": goal.id}),
        Line("armed by", "note", owed.armed_by),
        Line("subjects", "note", listed(owed.subjects), {"subjects": list(owed.subjects)}),
        Line("owner", "note", owed.owner),
        Line("discharged by", "note", f"{owed.discharged_by[:1].upper()}{owed.discharged_by[1:]}."),
    )
    return Explanation("obligation", owed.id, owed.trigger, "armed", owed.message, lines)


def _goal(state: State, goal: Goal, now: datetime) -> Explanation:
    from loopx.kernel.bearing import owed_for

    counts = {status.value: count for status, count in state.tally().get(goal.id, {}).items() if count}
    lines = [_criterion(state, goal, each.id, now) for each in goal.acceptance]
    told = ", ".join(f"{count} {status}" for status, count in counts.items()) or "none"
    lines.append(Line("todos", "note", f"Todos: {told}.", counts))
    lines += [Line("obligation", *each) for each in owed_for(state, goal, now)]
    active = goal.status is GoalStatus.ACTIVE
    summary = "Its Todos may be worked on." if active else f"It is {goal.status}, so none of its Todos is worked on."
    return Explanation(Kind.GOAL, goal.id, goal.title, goal.status.value, summary, tuple(lines))


def _criterion(state: State, goal: Goal, identity: str, now: datetime) -> Line:
    criterion = next(each for each in goal.acceptance if each.id == identity)
    standing = criterion_standing(state, goal, criterion, now)
    is_settled = standing.status != "open"
    message = f"{criterion.text}: {standing.why}"
    return Line(f"criterion {identity}", "ok" if is_settled else "no", message, {"status": standing.status.value})
