"""Goals in words: the list with progress, and one Goal with all that belongs to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown
from loopx.cli.documents import document, values
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import body_lines, field_lines
from loopx.kernel.criteria import criterion_standing
from loopx.kernel.standing import gate_standing
from loopx.model.goal import Goal
from loopx.model.records import CriterionStatus
from loopx.model.todo import TodoStatus

if TYPE_CHECKING:
    from loopx.workspace.results import View

_APART = ("id", "title", "acceptance", "goal", "body", "rev")
"""Fields that are told in a place of their own."""


class Progress:
    """How far Goals are, for a list: counts come from one tally."""

    def __init__(self, view: View) -> None:
        self._state = state = view.state
        self._now = view.at
        self._tally = state.tally()

    def facts(self, goal: Goal) -> dict[str, Any]:
        """The Goal's fields with its counts."""
        return {**document(goal), "todos": self._counts(goal), "criteria_settled": self._settled(goal)}

    def row(self, goal: Goal) -> tuple[str, ...]:
        """The Goal's line in the list."""
        counts = self._counts(goal)
        total = sum(counts.values())
        done = f"{self._settled(goal)}/{len(goal.acceptance)}"
        return (goal.id, goal.status, done, f"{counts.get(TodoStatus.DONE, 0)}/{total} done", goal.title)

    def _counts(self, goal: Goal) -> dict[str, int]:
        return {status.value: count for status, count in self._tally.get(goal.id, {}).items()}

    def _settled(self, goal: Goal) -> int:
        found = (criterion_standing(self._state, goal, each, self._now).status for each in goal.acceptance)
        return sum(status is not CriterionStatus.OPEN for status in found)


def goal_facts(view: View, goal: Goal) -> dict[str, Any]:
    """A Goal with its criteria as they are judged today, its counts, waiting Gates and Visions."""
    state = view.state
    standings = [(each, criterion_standing(state, goal, each, view.at)) for each in goal.acceptance]
    gates = [(each, gate_standing(state, each, view.at)) for each in state.gates(goal.id)]
    closures = state.closure(goal.id)
    return {
        **document(goal, body=True),
        "criteria": [
            {
                "id": each.id,
                "text": each.text,
                "status": found.status.value,
                "why": found.why,
                "needs_reassessment": found.needs_reassessment,
                "evidence": [_support(view, identity) for identity in (found.mark.evidence if found.mark else ())],
            }
            for each, found in standings
        ],
        "todos": _by_status(state.tally().get(goal.id, {})),
        "gates": [
            {"id": each.id, "question": each.question, "scope": each.scope, "status": found.status.value}
            for each, found in gates
        ],
        "visions": [values(each) for each in state.visions(goal.id)],
        "closures": [values(each) for each in closures.entries] if closures else [],
    }


def _by_status(counts: Mapping[TodoStatus, int]) -> dict[str, int]:
    """Counts in the order of a Todo's life."""
    return {status.value: counts[status] for status in TodoStatus if counts.get(status)}


def _support(view: View, identity: str) -> dict[str, Any]:
    """What one piece of evidence a criterion was judged on is worth now."""
    evidence = view.state.evidence(identity)
    if evidence is None:
        return {
            "id": identity,
            "kind": None,
            "source": "",
            "result": None,
            "verdict": None,
            "is_fresh": None,
            "why": "It is gone.",
        }
    from loopx.kernel.bindings import evidence_standing

    standing = evidence_standing(view.state, evidence, view.at)
    return {
        "id": identity,
        "kind": evidence.kind.value,
        "source": evidence.source,
        "result": evidence.result.value,
        "verdict": standing.verdict.value,
        "is_fresh": standing.is_fresh,
        "why": standing.why,
    }


def _criterion_lines(criterion: Mapping[str, Any]) -> Iterator[str]:
    """One criterion, why it is open again where it is, and what it rests on."""
    yield f"{criterion['id']}  {criterion['status']}  {shown(criterion['text'])}"
    if criterion["needs_reassessment"]:
        yield f"    {shown(criterion['why'])}"
    for each in criterion["evidence"]:
        worth = "gone" if each["verdict"] is None else each["verdict"].replace("_", " ")
        told = "" if each["verdict"] is None else f" {each['kind']} by {shown(each['source'])}, {each['result']}"
        yield f"    {each['id']}{told}: {worth}{', not fresh' if each['is_fresh'] is False else ''}"


def goal_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One Goal."""
    yield screen.paint(f"goal {facts['id']}  {shown(facts['title'])}", "bold")
    yield from field_lines({name: value for name, value in facts.items() if name not in (*_APART, *_PARTS)})
    yield from _part("criteria", (line for each in facts["criteria"] for line in _criterion_lines(each)))
    counts = ", ".join(f"{count} {status}" for status, count in facts["todos"].items())
    yield f"  todos       {counts or 'none'}"
    yield from _part("gates", (f"{each['id']}  {each['status']}  {shown(each['question'])}" for each in facts["gates"]))
    yield from _part(
        "visions", (f"{each['agent']}  {each['status']}  {shown(each['summary'])}" for each in facts["visions"])
    )
    yield from _part("ended", map(_ended, facts["closures"]))
    yield from body_lines(facts["body"])


def _ended(closure: Mapping[str, Any]) -> str:
    """One end of a Goal, and whether it still holds."""
    text = f"{closure['at']}  {closure['outcome']} by {closure['by']}"
    text += f": {shown(closure['reason'])}" if closure["reason"] else ""
    if closure["rolled_back_at"]:
        return f"{text}, undone since"
    return f"{text}, reopened by {closure['reopened_by']}" if closure["reopened_at"] else text


_PARTS = ("criteria", "todos", "gates", "visions", "closures")


def _part(name: str, lines: Iterator[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield f"  {name if number == 0 else '':<12}{line}"
