"""What happens next for one actor in one Goal: a pure read of the state, answered in one record, said once.

``loopx next`` and ``loopx quota should-run``, ``turn open``, ``loopx why`` and the pages ask :func:`next_action`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from loopx.kernel.agents import unregistered
from loopx.kernel.decision.channels import channels
from loopx.kernel.decision.facts import Facts
from loopx.kernel.decision.finding import Match
from loopx.kernel.decision.record import Decision, GateLine, Mode, Step
from loopx.kernel.decision.rules import ADMISSION, ORDER
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_goal, folded_name
from loopx.kernel.state import State
from loopx.kernel.texts import bad_agent
from loopx.kernel.wording import refuse
from loopx.model.goal import GoalStatus
from loopx.model.todo import TodoStatus

if TYPE_CHECKING:
    from loopx.model.actor import Actor
    from loopx.model.goal import Goal


def next_action(
    state: State, goal_id: str, actor: Actor, now: datetime, revision: str | None = None
) -> Decision | Refused:
    """What ``actor`` may do for the Goal ``goal_id`` at ``now``, or the refusal where nothing can be decided.

    ``revision`` is the workspace's, for the record only. The same state, actor and time give the same decision.
    """
    state = state.looked_up_once()
    goal = find_goal(state, goal_id)
    if isinstance(goal, Refused):
        return _unreadable(state, goal_id) or goal
    refused = _not_admitted(state, goal, actor)
    return refused or _decided(Facts(state, goal, actor, now), revision)


def decide_first(facts: Facts) -> tuple[Match, tuple[Step, ...]]:
    """The match of the first rule that matches, and what every rule said; those after it are not asked."""
    steps = [Step(ADMISSION, False, {"actor": str(facts.actor), "goal": facts.goal.id})]
    for number, rule in enumerate(ORDER):
        found = rule.ask(facts)
        is_match = isinstance(found, Match)
        steps.append(Step(rule.name, is_match, found.facts))
        if isinstance(found, Match):
            left = (Step(each.name, False, {"asked": False}) for each in ORDER[number + 1 :])
            return found, (*steps, *left)
    raise AssertionError("the last rule of the order matches always")


def _unreadable(state: State, goal_id: str) -> Refused | None:
    """The refusal where the Goal is there and its own document cannot be read: that is not the same as unknown."""
    name = folded_name(goal_id)
    path = f"goals/{name}/goal.md"
    if path not in state.unreadable(name):
        return None
    message = f"{path} is committed and cannot be read, so nothing can be decided about {name}."
    return refuse("goal-unreadable", message, goal=name, path=path)


def _not_admitted(state: State, goal: Goal, actor: Actor) -> Refused | None:
    """Rule 1: agents are registered and take part; people need neither."""
    if actor.is_human:
        return None
    return bad_agent(actor.name) or unregistered(state, actor.name, goal.id)


def _decided(facts: Facts, revision: str | None) -> Decision:
    match, steps = decide_first(facts)
    told = channels(facts, match)
    has_ended = match.mode is Mode.TERMINAL
    return Decision(
        goal=facts.goal.id,
        agent=facts.name,
        mode=match.mode,
        reason=match.reason,
        message=match.message,
        user=told.user,
        channel=told.agent,
        cli=told.cli,
        scheduler=told.scheduler,
        selected=match.selected,
        obligations=() if has_ended else (*facts.own, *facts.left_to_operators),
        gates=() if has_ended else _gates(facts, match),
        counts=dict(_counts(facts, match)),
        revision=revision,
        at=facts.now,
        trace=steps,
    )


def _gates(facts: Facts, match: Match) -> tuple[GateLine, ...]:
    """Open Gates; how many Todos wait for each is counted where every Todo was looked at anyway."""
    if match.mode is not Mode.ASK_USER:
        return facts.gate_lines()
    from loopx.kernel.decision.questions import blocked_by_gate

    return facts.gate_lines(blocked_by_gate(facts))


def _counts(facts: Facts, match: Match) -> Iterator[tuple[str, int]]:
    """Figures over the whole Goal. What an abandoned one left open is told apart."""
    counts = facts.scene.counts
    if match.mode is Mode.TERMINAL:
        left = sum(count for status, count in counts.items() if not status.is_closed)
        yield from (("left_open", left),) if left else ()
        yield "closed", sum(count for status, count in counts.items() if status.is_closed)
        yield "unreadable", len(facts.unreadable)
        return
    monitors = len(facts.scene.monitors)
    yield "open", counts[TodoStatus.OPEN] - monitors
    yield "blocked", counts[TodoStatus.BLOCKED]
    yield "deferred", counts[TodoStatus.DEFERRED]
    yield "closed", sum(count for status, count in counts.items() if status.is_closed)
    yield "monitors", monitors
    yield "gates", len(facts.open_gates)
    yield "unknown_effects", len(facts.effects)
    yield "unreadable", len(facts.unreadable)
    if facts.goal.status is GoalStatus.ACTIVE:
        yield "due_monitors", len(facts.watch.due)
        yield "criteria_open", len(facts.scene.unmet)
        yield "obligations", len(facts.own) + len(facts.left_to_operators)
