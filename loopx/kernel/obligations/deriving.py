"""Which obligations are armed: worked out from the stored state each time, and stored nowhere as truth.

The decision, the audit, settling a Turn and the pages ask :func:`obligations`. Every trigger is a small function of
its own; this is the table of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from loopx.kernel.obligations import frontier, routes, surroundings
from loopx.kernel.obligations.arming import Armed, Scene
from loopx.kernel.obligations.record import OPERATORS, Obligation
from loopx.kernel.state import State
from loopx.model.goal import Goal, GoalStatus

OF_GOAL: tuple[Callable[[Scene], Armed], ...] = (
    surroundings.unreadable,
    surroundings.unknown_outcomes,
    frontier.evidence_contradicted,
    frontier.successor,
    frontier.frontier_exhausted,
    frontier.todos_piling_up,
    surroundings.monitors,
)
"""Triggers of the Goal's work as a whole, in the order in which they are told."""

OF_AGENT: tuple[Callable[[Scene, str], Armed], ...] = (
    routes.acceptance_changed,
    routes.no_progress,
    routes.vision_gap,
    routes.outcome_floor,
)
"""Triggers of one agent's route."""


def obligations(state: State, goal: Goal, now: datetime, owner: str | None = None) -> tuple[Obligation, ...]:
    """What is owed to ``goal`` at ``now``: by everybody, or by ``owner`` (an agent, a person's ``human-NAME``, or
    :data:`OPERATORS`). A Goal that is not active is owed repairs and read-backs only."""
    scene = Scene(state, goal, now)
    agents = scene.agents if owner is None or owner == OPERATORS else (owner,)
    return tuple(each for each in derived(scene, agents) if owner is None or each.owner == owner)


def derived(scene: Scene, agents: Iterable[str]) -> Iterator[Obligation]:
    """Everything that is owed to the Goal of ``scene`` as a whole, and what lies in the way of these ``agents``."""
    if scene.goal.status is not GoalStatus.ACTIVE:
        yield from surroundings.unreadable(scene)
        yield from surroundings.unknown_outcomes(scene)
        return
    for trigger in OF_GOAL:
        yield from trigger(scene)
    for agent in agents:
        for of_agent in OF_AGENT:
            yield from of_agent(scene, agent)
