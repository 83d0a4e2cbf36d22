"""Gates in words: the list, one Gate with every answer it got, and the question as a person is asked it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown
from loopx.cli.documents import document, values
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import body_lines, field_lines, named
from loopx.kernel.standing import GateStanding, gate_standing
from loopx.model.gate import Gate
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.workspace.results import View

_APART = ("id", "question", "status", "body", "rev", "decisions", "standing", "why", "covers", "is_overdue")


def gate_row(gate: Gate, standing: GateStanding) -> tuple[str, ...]:
    """The Gate's line in the list."""
    status = f"{standing.status}, overdue" if standing.is_overdue else standing.status
    return (gate.id, status, gate.goal, gate.scope, gate.question)


def standing_facts(gate: Gate, standing: GateStanding) -> dict[str, Any]:
    """A Gate's fields with what it is worth today."""
    return {
        **document(gate),
        "standing": standing.status.value,
        "why": standing.why,
        "covers": standing.covers,
        "is_overdue": standing.is_overdue,
    }


def gate_facts(view: View, gate: Gate) -> dict[str, Any]:
    """A Gate with what it is worth today and every answer so far, oldest first."""
    standing = gate_standing(view.state, gate, view.at)
    log = view.state.decisions(gate.id)
    return {
        **standing_facts(gate, standing),
        "body": gate.body,
        "decisions": [values(each) for each in log.entries] if log else [],
    }


def gate_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One Gate."""
    yield screen.paint(f"gate {facts['id']}  {shown(facts['question'])}", "bold")
    yield named("status", f"{facts['standing']} — {facts['why']}")
    yield from field_lines({name: value for name, value in facts.items() if name not in _APART})
    for each in facts["decisions"]:
        option = f" ({each['option']})" if each["option"] else ""
        undone = ", undone since" if each["rolled_back_at"] else ""
        yield named("answer", f"{each['at']}  {each['status']}{option} by {each['by']}: {each['reason']}{undone}")
    yield from body_lines(facts["body"])


def question_lines(gate: Gate) -> Iterator[str]:
    """What a person must see before answering."""
    yield f"Gate {gate.id} of {gate.goal}: {shown(gate.question)}"
    yield f"  an approval covers {shown(gate.scope)}"
    yield from (f"  option: {shown(option)}" for option in gate.options)
    if gate.deadline is not None:
        yield f"  wanted by {format_instant(gate.deadline)}"
    if gate.asked_by is not None:
        yield f"  asked by {shown(gate.asked_by)}"
    yield from body_lines(gate.body)
