"""Which Goal an actor looks at when none is named: the first active one in which it may attempt something.

For ``loopx next`` without ``--goal``. Goals are tried by the most urgent Todo of their frontier (priority, then age);
the first whose decision has the actor attempt something is the answer, else the first that needs a person, else the
first of all.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from loopx.kernel.agents import unregistered
from loopx.kernel.decision.deciding import next_action
from loopx.kernel.decision.record import Decision, Step
from loopx.kernel.refusal import Refused
from loopx.kernel.state import State, frontier_order
from loopx.kernel.texts import bad_agent
from loopx.kernel.wording import refuse
from loopx.model.goal import GoalStatus

if TYPE_CHECKING:
    from loopx.model.actor import Actor
    from loopx.model.goal import Goal

CHOICE = "0 goal"
"""The step of the trace that says how many Goals there were to choose from."""


def next_anywhere(state: State, actor: Actor, now: datetime, revision: str | None = None) -> Decision | Refused:
    """What ``actor`` may do next, in whichever Goal that is; the decision says in which, and out of how many."""
    state = state.looked_up_once()
    refused = None if actor.is_human else bad_agent(actor.name) or unregistered(state, actor.name)
    if refused is not None:
        return refused
    goals = [each for each in state.goals((GoalStatus.ACTIVE,)) if _takes_part(state, each, actor)]
    if not goals:
        return _none(actor)
    found: list[Decision] = []
    for each in sorted(goals, key=lambda goal: _urgency(state, goal)):
        decision = next_action(state, each.id, actor, now, revision)
        if isinstance(decision, Refused):
            continue
        found.append(decision)
        if decision.channel.must_attempt:
            return _chosen(decision, len(goals), len(found))
    needing = next((each for each in found if each.user.action_required), None)
    return _chosen(needing or found[0], len(goals), len(found)) if found else _none(actor)


def _takes_part(state: State, goal: Goal, actor: Actor) -> bool:
    return actor.is_human or unregistered(state, actor.name, goal.id) is None


def _urgency(state: State, goal: Goal) -> tuple[str, str, str, str]:
    first = next(iter(state.frontier(goal.id, 1)), None)
    return (*(frontier_order(first) if first is not None else ("p9", "", "")), goal.id)


def _chosen(decision: Decision, active: int, looked_at: int) -> Decision:
    step = Step(CHOICE, True, {"goal": decision.goal, "active_goals": active, "looked_at": looked_at})
    counts = {**decision.counts, "active_goals": active}
    return replace(decision, trace=(step, *decision.trace), counts=counts)


def _none(actor: Actor) -> Refused:
    whom = "" if actor.is_human else f" that {actor.name} takes part in"
    return refuse("goal-none-active", f"No Goal{whom} is active.", actor=str(actor))
