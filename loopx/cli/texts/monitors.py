"""Monitors in words: the list by when they are due, and one monitor with its newest looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown
from loopx.cli.documents import document, values
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import body_lines, field_lines, named
from loopx.kernel.cadence import MonitorStanding
from loopx.model.times import format_instant
from loopx.model.todo import Todo

if TYPE_CHECKING:
    from loopx.workspace.results import View

_SAID = ("target", "cadence", "material", "watch_only", "expires_at", "goal", "successors", "polls", "last_polled_at")
_COUNTS = ("polls", "unchanged_count", "dead_count", "last_polled_at", "last_material_at", "last_result_hash")


def monitor_facts(view: View, todo: Todo, standing: MonitorStanding) -> dict[str, Any]:
    """A monitor's Todo with when it is due and what watching found so far."""
    log = view.state.monitor(todo.id)
    watched = values(log) if log is not None else {"polls": 0, "unchanged_count": 0, "dead_count": 0, "recent": []}
    due = {name: getattr(standing, name) for name in ("is_due", "is_overdue", "is_last_slot", "is_expired", "why")}
    return {
        **document(todo),
        **{name: watched.get(name) for name in _COUNTS},
        "next_due_at": format_instant(standing.next_due_at) if standing.next_due_at else None,
        **due,
        "recent": watched["recent"],
        "body": todo.body,
    }


def monitor_row(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The monitor's line in the list."""
    counts = (str(facts["unchanged_count"]), str(facts["dead_count"]))
    return (facts["id"], _due(facts), *counts, facts["goal"], facts["title"])


def monitor_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One monitor."""
    yield screen.paint(f"monitor {facts['id']}  {shown(facts['title'])}", "bold")
    yield named("status", f"{facts['status']} — {facts['why']}")
    yield from field_lines({name: facts[name] for name in _SAID if name in facts})
    if facts["unchanged_count"]:
        yield named("unchanged", f"{_looks(facts['unchanged_count'])} in a row found nothing new")
    if facts["dead_count"]:
        yield named("dead", f"{_looks(facts['dead_count'])} in a row could read nothing")
    for each in reversed(facts["recent"]):
        follow = f" → {', '.join(each['successors'])}" if each["successors"] else ""
        yield named("look", f"{each['at']}  {each['result']} by {each['by']}: {each['summary'] or '-'}{follow}")
    yield from body_lines(facts["body"])


def _due(facts: Mapping[str, Any]) -> str:
    if facts["is_expired"]:
        return "expired"
    if facts["is_overdue"]:
        return "overdue"
    if facts["is_due"]:
        return "now, last slot" if facts["is_last_slot"] else "now"
    return facts["next_due_at"] or "never"


def _looks(count: int) -> str:
    return "1 look" if count == 1 else f"{count} looks"
