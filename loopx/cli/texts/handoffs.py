"""Handoffs in words: the list, and one packet with everything it names as it stands now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from loopx.cli.columns import shown
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import field_lines, named
from loopx.model.handoff import Handoff

_SAID = ("goal", "sender", "receiver", "created_at", "answered_at", "answered_by", "reason", "stop_condition")


def handoff_row(handoff: Handoff) -> tuple[str, ...]:
    """The handoff's line in the list."""
    todos = handoff.todos[0] if len(handoff.todos) == 1 else str(len(handoff.todos))
    to = handoff.receiver or "anybody"
    return (handoff.id, handoff.status, handoff.sender, to, todos, handoff.next_action)


def handoff_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One packet."""
    yield screen.paint(f"handoff {facts['id']}  {facts['status']}", "bold")
    yield named("next", shown(facts["next_action"]))
    yield from field_lines({name: facts[name] for name in _SAID})
    if facts["provider_revision"]:
        yield named("made on", f"revision {facts['provider_revision'][:10]}")
    yield from (named("todo", _todo(each)) for each in facts["todos"])
    yield from (named("gate", _gate(each)) for each in facts["gates"])
    yield from (named("evidence", _evidence(each)) for each in facts["evidence"])
    yield from (named("left out", shown(each)) for each in facts["omitted"])


def _todo(each: Mapping[str, Any]) -> str:
    if each.get("missing"):
        return f"{each['id']}  gone"
    held = f", held by {each['holder']}" if each["holder"] else ""
    lease = f", lease {each['lease']} (epoch {each['lease_epoch']})" if "lease" in each else ""
    return f"{each['id']}  {each['status']}{held}{lease}  {shown(each['title'])}"


def _gate(each: Mapping[str, Any]) -> str:
    return f"{each['id']}  gone" if each.get("missing") else f"{each['id']}  {each['status']}  {each['scope']}"


def _evidence(each: Mapping[str, Any]) -> str:
    if each.get("missing"):
        return f"{each['id']}  gone"
    stale = "" if each["fresh"] else ", no longer fresh"
    return f"{each['id']}  {each['kind']} {each['result']} at {each['observed_at']}: {each['verdict']}{stale}"
