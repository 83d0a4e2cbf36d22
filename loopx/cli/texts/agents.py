"""Agents in words: the list, and one agent with where it takes part and what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown
from loopx.cli.documents import values
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import field_lines, named
from loopx.kernel.roster import holdings
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.workspace.results import View

_APART = frozenset({"id", "goals", "claims", "leases", "open_turns", "unknown_effects"})


def agent_facts(view: View, name: str) -> dict[str, Any]:
    """An agent: capabilities, its part in Goals that name it, and everything it holds now."""
    found = holdings(view.state, name, view.at)
    return {
        "id": name,
        "capabilities": list(found.capabilities),
        "goals": [{"goal": goal, **_part(entry)} for goal, entry in found.parts],
        "claims": [{"id": each.id, "goal": each.goal, "title": each.title} for each in found.claims],
        "leases": [
            {"todo": each.todo, "goal": each.goal, "epoch": each.epoch, "expires_at": format_instant(each.expires_at)}
            for each in found.leases
        ],
        "open_turns": [each.id for each in found.turns],
        "unknown_effects": [each.id for each in found.effects],
    }


def agent_row(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The agent's line in the list."""
    goals = ", ".join(each["goal"] for each in facts["goals"]) or "any"
    counts = (str(len(facts["claims"])), str(len(facts["leases"])))
    return (facts["id"], *counts, goals, ", ".join(facts["capabilities"]))


def agent_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One agent."""
    yield screen.paint(f"agent {facts['id']}", "bold")
    yield from field_lines({name: value for name, value in facts.items() if name not in _APART})
    for each in facts["goals"]:
        said = [each["mode"], f"Vision {each['vision']}", *each["capabilities"], each["role_scope"] or ""]
        yield named("takes part", f"{each['goal']}  {', '.join(filter(None, said))}")
    for each in facts["claims"]:
        yield named("claims", f"{each['id']}  {shown(each['title'])}")
    for each in facts["leases"]:
        yield named("executes", f"{each['todo']}  until {each['expires_at']} (epoch {each['epoch']})")
    for each in facts["open_turns"]:
        yield named("turn", f"{each}  open")
    for each in facts["unknown_effects"]:
        yield named("effect", f"{each}  outcome unknown")


def _part(entry: Any) -> dict[str, Any]:
    return {name: value for name, value in values(entry).items() if name != "id"}
