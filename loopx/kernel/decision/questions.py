"""What a person is asked, in the words of the Gate, the action or the obstacle itself. Never a generic phrase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from loopx.kernel.decision import commanding
from loopx.kernel.decision.commanding import Commands
from loopx.kernel.decision.facts import Facts
from loopx.kernel.decision.finding import Question
from loopx.kernel.decision.record import Selected
from loopx.kernel.decision.selecting import Stuck
from loopx.kernel.verdicts import ReasonCode
from loopx.kernel.wording import cut, listed, quoted
from loopx.model.times import format_instant
from loopx.model.todo import TodoStatus

if TYPE_CHECKING:
    from loopx.model.effect import Effect
    from loopx.model.gate import Gate

_ONLY_FOR_PEOPLE = frozenset(
    {
        ReasonCode.NOT_WORK,
        ReasonCode.CLAIMED_BY_OTHER,
        ReasonCode.LEASED_BY_OTHER,
        ReasonCode.AGENT_EXCLUDED,
        ReasonCode.CAPABILITY_MISSING,
        ReasonCode.REPOSITORY_ELSEWHERE,
    }
)
"""Reasons that keep an agent from a person's action and not the person."""


class Asked(NamedTuple):
    """A question with what it is about."""

    reason: str
    message: str
    question: Question
    selected: Selected
    subject: Any = None


def of(facts: Facts) -> Iterator[Asked]:
    """Every question there is, the most pressing first."""
    yield from _to_put(facts)
    yield from pending(facts)
    yield from for_people(facts)
    yield from _nobodys(facts)
    yield from _blocked(facts)
    yield from unsure(facts)


def pending(facts: Facts) -> Iterator[Asked]:
    """Gates that wait for an answer: those that hold work up first, then the overdue, then the oldest."""
    blocked = blocked_by_gate(facts)
    known = {each.id for each in facts.open_gates}
    elsewhere = [found for each in blocked if each not in known and (found := facts.state.gate(each)) is not None]
    every = sorted((*facts.open_gates, *elsewhere), key=lambda each: -blocked[each.id])
    for gate in every:
        yield _gate(facts, gate, blocked[gate.id])


def blocked_by_gate(facts: Facts) -> Counter[str]:
    """How many Todos the actor could otherwise take wait for each Gate."""
    found: Counter[str] = Counter()
    for stuck in facts.work.stuck:
        found.update({str(each.facts["gate"]) for each in stuck.reasons if each.code is ReasonCode.GATE_PENDING})
    return found


def first_open(facts: Facts) -> Question | None:
    """What a person may be told of while work goes on: the first open Gate, else the first thing to do."""
    gate = next(iter(facts.open_gates), None)
    asked = _gate(facts, gate, 0) if gate is not None else next(for_people(facts), None)
    return asked.question if asked is not None else None


def for_people(facts: Facts) -> Iterator[Asked]:
    """What only a person can do, and can do now."""
    for todo in facts.for_people:
        if any(each.code not in _ONLY_FOR_PEOPLE for each in facts.work.reasons(todo)):
            continue
        verb = "is in the way" if todo.todo_class == "blocker" else "is yours to do"
        text = f"{cut(todo.title, 160)} ({todo.id}): it {verb}. Say that it is done with `loopx todo done {todo.id}`."
        message = f"{todo.id} {quoted(todo.title, 60)} is a person's to do."
        question = Question(text, (f"loopx todo show {todo.id}",))
        yield Asked("user-action", message, question, Selected("todo", todo.id, todo.title), todo)


def unsure(facts: Facts) -> Iterator[Asked]:
    """Acts of which this actor, or nobody who is left, can find out whether they happened."""
    for effect in facts.effects:
        if _is_unsure(facts, effect):
            text = f"Did {effect.id} {quoted(effect.summary, 120)} happen? Nobody here can read it back."
            question = Question(text, (f"loopx effect show {effect.id}",))
            selected = Selected("effect", effect.id, effect.summary, {"todo": effect.todo})
            message = f"Nobody knows whether {effect.id} {quoted(effect.summary, 60)} happened."
            yield Asked("effect-unsure", message, question, selected, effect)


def ability(facts: Facts, stuck: Stuck) -> Asked:
    """What is missing for ``stuck``, and who can give it."""
    todo, reason = stuck.todo, stuck.reasons[0]
    missing = reason.facts.get("missing")
    if reason.code is ReasonCode.CAPABILITY_MISSING and missing:
        grant = " ".join(f"--add-capability {commanding.quote(str(each))}" for each in missing)
        text = f"May {facts.name} get {listed(missing)}, which {todo.id} {quoted(todo.title, 80)} takes?"
        commands: tuple[str, ...] = (f"loopx agent edit {facts.name} {grant}", f"loopx why {todo.id}")
    else:
        text = f"Who does {todo.id} {quoted(todo.title, 80)}? {reason.message}"
        commands = (f"loopx why {todo.id}",)
    message = f"{todo.id} {quoted(todo.title, 60)} cannot be done here. {reason.message}"
    selected = Selected("todo", todo.id, todo.title)
    return Asked(reason.code.value, message, Question(text, commands), selected, stuck)


def _to_put(facts: Facts) -> Iterator[Asked]:
    """Decisions that work requires and nobody was asked for. One that was answered with no is not asked again."""
    commands = Commands(facts.name, facts.goal.id)
    for stuck in facts.work.stuck:
        for each in stuck.reasons:
            if each.code is not ReasonCode.GATE_REQUIRED or each.facts.get("answer") == "rejected":
                continue
            scope, todo = str(each.facts["scope"]), stuck.todo
            text = f"May {todo.id} {quoted(todo.title, 80)} go ahead? It requires {scope}, which nobody was asked for."
            message = f"{todo.id} {quoted(todo.title, 60)} requires {scope}, and nobody was asked."
            question = Question(text, (commands.ask(scope),), asks_first=True)
            yield Asked(
                "gate-wanted", message, question, Selected("todo", todo.id, todo.title, {"scope": scope}), stuck
            )


def _gate(facts: Facts, gate: Gate, blocked: int) -> Asked:
    options = f" Options: {listed(gate.options)}." if gate.options else ""
    late = gate.deadline is not None and facts.now > gate.deadline
    wanted = (
        f" Wanted by {format_instant(gate.deadline)}{', which has passed' if late else ''}." if gate.deadline else ""
    )
    text = f"{cut(gate.question, 200)} ({gate.id}, {gate.scope}){options}{wanted}"
    own = (commanding.answer_gate(gate.id),) if facts.actor.is_human else ()
    question = Question(text, (commanding.show_gate(gate.id), *own), deadline=None if late else gate.deadline)
    holds = f" {blocked} Todos wait for it." if blocked else ""
    message = f"{gate.id} {quoted(gate.question, 80)} waits for a person.{holds}"
    selected = Selected("gate", gate.id, gate.question, {"scope": gate.scope})
    return Asked("gate-open", message, question, selected, gate)


def _wanted(gate: Gate, late: bool) -> str:
    if gate.deadline is None:
        return ""
    return f" Wanted by {format_instant(gate.deadline)}{', which has passed' if late else ''}."


def _nobodys(facts: Facts) -> Iterator[Asked]:
    """Work this actor is kept from and that no other agent here can do."""
    from loopx.kernel.decision import holding_up

    for stuck in facts.work.stuck:
        if holding_up.is_nobodys(facts, stuck):
            todo = stuck.todo
            text = f"Who does {todo.id} {quoted(todo.title, 120)}? {stuck.reasons[0].message} No other agent here can."
            message = f"{todo.id} {quoted(todo.title, 60)} is for nobody who takes part."
            question = Question(text, (f"loopx why {todo.id}",))
            yield Asked("nobody-left", message, question, Selected("todo", todo.id, todo.title), stuck)


def _blocked(facts: Facts) -> Iterator[Asked]:
    """Blocked Todos that nothing wakes, with their number and the first one's reason."""
    found = [each.todo for each in facts.work.stuck if _needs_unblocking(facts, each)]
    if not found:
        return
    first = found[0]
    others = f" {len(found) - 1} more are blocked." if len(found) > 1 else ""
    why = first.reason or "no reason was given"
    text = f"{first.id} {quoted(first.title, 80)} is blocked: {cut(why, 160)}. Can that be cleared?{others}"
    message = f"{first.id} {quoted(first.title, 60)} is blocked: {cut(why, 100)}.{others}"
    commands = (f"loopx todo show {first.id}", f"loopx todo resume {first.id}")
    facts_of_it = {"reason": first.reason, "blocked": len(found)}
    selected = Selected("todo", first.id, first.title, facts_of_it)
    yield Asked("work-blocked", message, Question(text, commands), selected, first)


def _needs_unblocking(facts: Facts, stuck: Stuck) -> bool:
    todo = stuck.todo
    if todo.status is not TodoStatus.BLOCKED:
        return False
    if todo.resume_when is None:
        return True
    from loopx.kernel.conditions import Wake, waking

    return waking(facts.state, todo, facts.now).wake is Wake.MET


def _is_unsure(facts: Facts, effect: Effect) -> bool:
    """Whether the actor cannot read ``effect`` back and no other agent will."""
    if facts.is_mine(effect):
        return not effect.readback and effect.readback_due_at <= facts.now
    return facts.scene.owner(effect.agent) == "operators"
