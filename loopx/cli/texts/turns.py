"""Turns in words: the list, one turn, the envelope of one just opened, and what a settling did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown
from loopx.cli.documents import document
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import field_lines, named
from loopx.cli.texts.receipts import receipt_facts, short
from loopx.kernel.quota import is_past_its_slots
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.model.turn import Turn
    from loopx.runtime.beginning import Begun
    from loopx.workspace.results import Committed, View

_APART = frozenset({"id", "status", "goal", "checkpoint", "spend", "delta", "is_past_its_slots", "work"})
_GAPS = {
    "vision_checkpoint_missing": "write the Vision with `loopx vision set`",
    "vision_outcome_checkpoint_required": "say what became of the Vision, or write it with `loopx vision set`",
}


def listed_facts(view: View, turn: Turn) -> dict[str, Any]:
    """A turn as programs see it in the list."""
    goal = view.state.goal(turn.goal)
    is_open = turn.settled_at is None
    return {
        **document(turn),
        "is_past_its_slots": is_open and goal is not None and is_past_its_slots(turn, goal, view.at),
    }


def turn_facts(view: View, turn: Turn) -> dict[str, Any]:
    """A turn with the title of what it works on."""
    todo = view.state.todo(turn.todo) if turn.todo else None
    return {**listed_facts(view, turn), "work": todo.title if todo else None}


def turn_row(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The turn's line in the list."""
    status = f"{facts['status']}, past its slots" if facts["is_past_its_slots"] else facts["status"]
    spend = facts["spend"]
    spent = "-" if spend is None else f"{spend['slots']}, taken back" if spend["voided_at"] else str(spend["slots"])
    work = facts["todo"] or facts["obligation"] or "-"
    at = facts["settled_at"] or facts["opened_at"]
    return (facts["id"], status, facts["agent"], facts["goal"], work, facts["delivery_outcome"] or "-", spent, at)


def turn_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One turn."""
    yield screen.paint(f"turn {facts['id']}  {shown(facts['work'] or facts['obligation'] or '')}", "bold")
    yield named("status", facts["status"] + (", past its slots" if facts["is_past_its_slots"] else ""))
    yield named("goal", facts["goal"])
    yield from field_lines({name: value for name, value in facts.items() if name not in _APART})
    if facts["delta"]:
        yield named("delta", ", ".join(facts["delta"]))
    yield from _checkpoint_lines(facts["checkpoint"])
    yield from _spend_lines(facts["spend"])


def begun_facts(begun: Begun, committed: Committed) -> dict[str, Any]:
    """The envelope of a turn: what is called for with it open, its boundary and commands, and its receipt."""
    from loopx.kernel.decision.plain import envelope_facts  # settling a turn needs none of the decision

    return {
        **envelope_facts(begun.decision, begun.turn, goal=begun.goal, todo=begun.todo),
        "receipt": receipt_facts(committed),
    }


def begun_lines(begun: Begun, committed: Committed, screen: Screen) -> Iterator[str]:
    """The envelope in a few lines: what the turn is for, what to do, how to end it."""
    from loopx.kernel.decision.plain import writeback_commands

    turn = begun.turn
    said = "was opened by this operation before" if committed.replayed else "opened"
    work = f'{turn.todo} "{shown(begun.todo.title)}"' if begun.todo else f"{turn.obligation}"
    mark = f" · {screen.paint(short(committed.revision), 'yellow')}" if committed.revision else ""
    yield f"{screen.paint(f'turn {turn.id}', 'bold')} {said} for {turn.agent} on {work}{mark}"
    if turn.settled_at is not None:
        yield named("status", f"{turn.status} since {format_instant(turn.settled_at)}")
    yield named("do", begun.decision.channel.primary_action)
    if begun.todo is not None and begun.todo.validation is not None:
        yield named("proves it", " ".join(begun.todo.validation.argv))
    yield from (named("then", each) for each in writeback_commands(turn))


def settled_facts(committed: Committed) -> dict[str, Any]:
    """The receipt of a settling."""
    return receipt_facts(committed)


def settled_lines(committed: Committed, screen: Screen) -> Iterator[str]:
    """What a settling did, in a few lines."""
    told = committed.receipt.result
    said = "was settled before" if committed.replayed else "settled"
    parts = [f"{committed.receipt.subject} {said}", str(told.get("outcome"))]
    if told.get("todo"):
        parts.append(f"{told['todo']} {told.get('became') or 'stays open'}")
    parts.append(f"spent {told.get('spent', 0)}" + ("" if told.get("validated", True) else ", unvalidated"))
    if committed.superseded_by is not None:
        parts.append(f"undone since by {committed.superseded_by}")
    if committed.revision is not None:
        parts.append(screen.paint(short(committed.revision), "yellow"))
    yield " · ".join(parts)
    if told.get("claimed"):
        yield named("claimed", f"{told['claimed']}, recorded as {told['outcome']}: {told.get('why', '')}")
    for name in ("meets", "successors", "discharges", "evidence"):
        if told.get(name):
            yield named(name, ", ".join(told[name]))
    if told.get("gap"):
        yield named("gap", f"{told['gap']}: {_GAPS.get(told['gap'], '')}")


def _checkpoint_lines(checkpoint: Mapping[str, Any] | None) -> Iterator[str]:
    if checkpoint is None:
        return
    why = f": {checkpoint['reason']}" if checkpoint["reason"] else ""
    gap = f", leaves {checkpoint['gap']}" if checkpoint["gap"] else ""
    yield named("vision", f"{checkpoint['result']}{why}{gap}")
    path = checkpoint["path_delta"]
    if path is not None:
        changed = f": {', '.join(path['changed'])}" if path["changed"] else ""
        yield named("route", f"{path['outcome']}{changed}")


def _spend_lines(spend: Mapping[str, Any] | None) -> Iterator[str]:
    if spend is None:
        return
    worth = "validated" if spend["validated"] else "unvalidated"
    back = f", taken back at {spend['voided_at']}: {spend['void_reason']}" if spend["voided_at"] else ""
    yield named("spent", f"{spend['slots']} at {spend['at']}, {worth}{back}")
