"""Visions in words: the list, and one Vision with how much of each budget it uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown
from loopx.cli.documents import document, values
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import body_lines, field_lines, named
from loopx.kernel.checkpoints import vision_gaps
from loopx.kernel.premises import baseline_of, changed_premises
from loopx.model.vision import VISION_BUDGETS, VISION_TOTAL, Vision

if TYPE_CHECKING:
    from loopx.workspace.results import View

_APART = ("agent", "goal", "rev", "body", "budgets", "baseline", "gaps", *VISION_BUDGETS)


def vision_row(vision: Vision) -> tuple[str, ...]:
    """The Vision's line in the list."""
    return (vision.goal, vision.agent, vision.status, vision.summary)


def vision_facts(view: View, vision: Vision) -> dict[str, Any]:
    """A Vision with the characters each field uses and may use, what it was written on, and what is missing."""
    used = {name: len(getattr(vision, name) or "") for name in VISION_BUDGETS}
    budgets = {name: {"used": used[name], "limit": limit} for name, limit in VISION_BUDGETS.items()}
    budgets["all"] = {"used": sum(used.values()), "limit": VISION_TOTAL}
    return {**document(vision, body=True), "budgets": budgets, **_route_facts(view, vision)}


def _route_facts(view: View, vision: Vision) -> dict[str, Any]:
    """Its baseline with the premises that changed since, and the gaps between it and its agent's work."""
    goal = view.state.goal(vision.goal)
    if goal is None:
        return {"baseline": None, "gaps": []}
    found = baseline_of(view.state, goal.id, vision.agent)
    changed = changed_premises(view.state, goal, vision.agent, view.at)
    gaps = vision_gaps(view.state, goal, vision.agent, view.at)
    return {
        "baseline": {**values(found), "changed": list(changed)} if found is not None else None,
        "gaps": [{"code": each.code.value, "message": each.message, "armed_by": each.armed_by} for each in gaps],
    }


def vision_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One Vision."""
    yield screen.paint(f"vision of {facts['agent']} for {facts['goal']}", "bold")
    yield from field_lines({name: value for name, value in facts.items() if name not in _APART})
    for name, budget in facts["budgets"].items():
        if facts.get(name):
            yield named(name.replace("_", " "), f"{facts[name]}  ({budget['used']}/{budget['limit']})")
    whole = facts["budgets"]["all"]
    yield named("in all", shown(f"{whole['used']}/{whole['limit']} characters"))
    yield named("baseline", _baseline(facts["baseline"]))
    yield from (named("gap", f"{each['code']}: {each['message']}") for each in facts["gaps"])
    yield from body_lines(facts["body"])


def _baseline(baseline: Mapping[str, Any] | None) -> str:
    if baseline is None:
        return "none: write it again, so that it can be compared with"
    changed = f"; changed since: {', '.join(baseline['changed'])}" if baseline["changed"] else ""
    return f"written at {baseline['at']} by {baseline['by']}{changed}"
