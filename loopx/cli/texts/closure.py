"""The terminal audit and the ends of a Goal in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from loopx.cli.columns import cut, shown
from loopx.cli.screen import Screen
from loopx.kernel.closure.record import Audit, AuditLine
from loopx.model.goal import Goal

_SHOWN = 5
"""Items of one line told to a person; JSON has them all."""
_TITLE = 60


def audit_facts(goal: Goal, found: Audit) -> dict[str, Any]:
    """The whole audit: the eight lines under their own names, then what else refuses an end."""
    return {
        "goal": goal.id,
        "status": goal.status.value,
        "outcome": goal.outcome.value if goal.outcome else None,
        "is_clean": found.is_clean,
        "audit": {each.key: _line_facts(each) for each in found.lines},
        "others": {each.key: _line_facts(each) for each in found.others},
    }


def _line_facts(line: AuditLine) -> dict[str, Any]:
    return {
        "name": line.name,
        "holds": line.holds,
        "count": len(line.items),
        "items": [
            {"id": each.id, "title": each.title, "why": each.why, "next_step": each.next_step} for each in line.items
        ],
    }


def audit_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """The audit. Of what is beyond the eight lines only what fails is told."""
    yield screen.paint(f"goal {facts['goal']}  {_verdict(facts)}", "bold")
    for each in facts["audit"].values():
        yield from _told(each, screen)
    for each in facts["others"].values():
        if not each["holds"]:
            yield from _told(each, screen)


def _verdict(facts: Mapping[str, Any]) -> str:
    if facts["status"] == "closed":
        return f"is closed as {facts['outcome']}"
    every = (*facts["audit"].values(), *facts["others"].values())
    failing = sum(not each["holds"] for each in every)
    if failing:
        return f"is not finished: {failing} line{'' if failing == 1 else 's'} fail{'s' if failing == 1 else ''}"
    if facts["status"] == "active":
        return "may be closed"
    return f"is {facts['status']}; nothing is left in the way once it is active"


def _told(line: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    mark = screen.paint("ok", "green") if line["holds"] else screen.paint("NO", "red")
    count = "" if line["holds"] else f"  ({line['count']})"
    yield f"  {mark}  {line['name']}{count}"
    for each in line["items"][:_SHOWN]:
        title = f"  {cut(shown(each['title']), _TITLE)}" if each["title"] else ""
        yield f"        {each['id']}{title}"
        yield f"            {shown(each['why'])}"
        yield f"            next: {shown(each['next_step'])}"
    if line["count"] > _SHOWN:
        yield f"        and {line['count'] - _SHOWN} more; --json lists all"
