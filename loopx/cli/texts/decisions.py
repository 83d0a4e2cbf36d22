"""A decision in words: what is called for, what to run, who is asked what, when to look again. About ten lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import named
from loopx.kernel.decision.choosing import CHOICE
from loopx.kernel.durations import format_duration
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from datetime import timedelta

    from loopx.kernel.decision.record import Decision, Scheduler
    from loopx.model.goal import Goal
    from loopx.workspace.results import View

_SHOWN = 3
_FIGURES = {
    "open": "open",
    "blocked": "blocked",
    "deferred": "deferred",
    "due_monitors": "monitors due",
    "gates": "Gates to answer",
    "criteria_open": "criteria open",
}
_COLOURS = {"deliver": "green", "observe": "green", "terminal": "green", "stopped": "red", "self_repair": "red"}


def decision_lines(decision: Decision, screen: Screen, explain: bool = False) -> Iterator[str]:
    """The decision as people and agents read it."""
    mode = screen.paint(decision.mode.value, _COLOURS.get(decision.mode.value, "yellow"))
    yield f"{screen.paint(f'goal {decision.goal}', 'bold')}  {mode}  for {shown(decision.agent)}{_choice(decision)}"
    yield shown(decision.message)
    yield named("do", decision.channel.primary_action)
    yield from (named("run", each) for each in decision.cli.commands)
    yield from _person(decision)
    yield from _owed(decision)
    figures = [f"{words} {count}" for name, words in _FIGURES.items() if (count := decision.counts.get(name))]
    if figures:
        yield named("stands", ", ".join(figures))
    if decision.cli.spend_allowed:
        yield named("spend", f"allowed {decision.cli.spend_when}")
    yield named("again", _again(decision.scheduler))
    if explain:
        yield from _trace(decision, screen)


def quota_facts(view: View, goal: Goal) -> dict[str, Any]:
    """What a Goal's quota allows now, as JSON values."""
    from loopx.kernel.quota import quota_of, window

    found, quota = window(view.state, goal, view.at), quota_of(goal)
    return {
        "goal": goal.id,
        "spent": found.spent,
        "limit": found.limit,
        "left": found.left,
        "is_used_up": found.is_used_up,
        "window_hours": quota.window_hours,
        "slot_minutes": quota.slot_minutes,
        "frees_at": format_instant(found.frees_at) if found.frees_at else None,
    }


def window_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """What one Goal's quota allows."""
    yield screen.paint(f"quota {facts['goal']}", "bold")
    yield named("spent", f"{facts['spent']} of {facts['limit']} slots within {facts['window_hours']} hours")
    yield named("left", f"{facts['left']}, of {facts['slot_minutes']} minutes each")
    if facts["is_used_up"]:
        yield named("frees", facts["frees_at"] or "never: a person sets another quota in goal.md")


def window_row(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The line of one Goal in the list of quotas."""
    frees = facts["frees_at"] or ("never" if facts["is_used_up"] else "-")
    return (facts["goal"], str(facts["spent"]), str(facts["limit"]), str(facts["left"]), frees)


def _choice(decision: Decision) -> str:
    step = next((each for each in decision.trace if each.rule == CHOICE), None)
    if step is None or step.facts["active_goals"] == 1:
        return ""
    return f"  (of {step.facts['active_goals']} active Goals; name one with --goal)"


def _person(decision: Decision) -> Iterator[str]:
    if decision.user.question is not None:
        yield named("person", decision.user.question)
    more = len(decision.gates) - 1
    if more > 0:
        yield named("", f"{len(decision.gates)} Gates are open: `loopx gate list --goal {decision.goal}`")


def _owed(decision: Decision) -> Iterator[str]:
    for each in decision.obligations[:_SHOWN]:
        yield named("owed", f"{each.id} {each.trigger} by {each.owner}: {each.message}")
    left = len(decision.obligations) - _SHOWN
    if left > 0:
        yield named("", f"and {left} more")


def _again(scheduler: Scheduler) -> str:
    if scheduler.after_seconds == 0:
        return scheduler.why
    if scheduler.look_again_at is None:
        return f"not before {scheduler.ended_by} ({scheduler.owner}). {scheduler.why}"
    when = format_instant(scheduler.look_again_at)
    length = format_duration(_seconds(scheduler.after_seconds))
    return f"in {length}, at {when}. It ends when {scheduler.ended_by} ({scheduler.owner})."


def _seconds(count: int) -> timedelta:
    from datetime import timedelta

    return timedelta(seconds=count)


def _trace(decision: Decision, screen: Screen) -> Iterator[str]:
    for each in decision.trace:
        verdict = "yes" if each.is_match else "not asked" if each.facts.get("asked") is False else "no"
        mark = screen.paint(f"{verdict:<9}", "green" if each.is_match else "dim")
        facts = ", ".join(f"{name}={shown(str(value))}" for name, value in each.facts.items() if name != "asked")
        yield f"  {mark}  {each.rule:<16}  {facts}".rstrip()
