"""Visions in words: the list, and one Vision with how much of each budget it uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from loopx.cli.columns import shown
from loopx.cli.documents import document
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import body_lines, field_lines, named
from loopx.model.vision import VISION_BUDGETS, VISION_TOTAL, Vision

_APART = ("agent", "goal", "rev", "body", "budgets", *VISION_BUDGETS)


def vision_row(vision: Vision) -> tuple[str, ...]:
    """The Vision's line in the list."""
    return (vision.goal, vision.agent, vision.status, vision.summary)


def vision_facts(vision: Vision) -> dict[str, Any]:
    """A Vision with the characters each field uses and may use."""
    used = {name: len(getattr(vision, name) or "") for name in VISION_BUDGETS}
    budgets = {name: {"used": used[name], "limit": limit} for name, limit in VISION_BUDGETS.items()}
    budgets["all"] = {"used": sum(used.values()), "limit": VISION_TOTAL}
    return {**document(vision, body=True), "budgets": budgets}


def vision_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One Vision."""
    yield screen.paint(f"vision of {facts['agent']} for {facts['goal']}", "bold")
    yield from field_lines({name: value for name, value in facts.items() if name not in _APART})
    for name, budget in facts["budgets"].items():
        if facts.get(name):
            yield named(name.replace("_", " "), f"{facts[name]}  ({budget['used']}/{budget['limit']})")
    whole = facts["budgets"]["all"]
    yield named("in all", shown(f"{whole['used']}/{whole['limit']} characters"))
    yield from body_lines(facts["body"])
