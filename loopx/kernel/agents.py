"""Who works here: agents of the workspace, and those that take part in one Goal.

Leases, turns, the decision and handoffs ask :func:`is_registered` and :func:`participant`. Agents are peers: nothing
here ranks them, and being registered grants nothing by itself.
"""

from __future__ import annotations

from loopx.kernel.state import State
from loopx.model.goal import Goal, Participant


def is_registered(state: State, agent: str, goal_id: str | None = None) -> bool:
    """Whether the workspace knows ``agent``; with ``goal_id`` also whether it may take part in that Goal."""
    config = state.config()
    if config is None or agent not in {each.id for each in config.agents}:
        return False
    if goal_id is None:
        return True
    goal = state.goal(goal_id)
    return goal is not None and participant(goal, agent) is not None


def participant(goal: Goal, agent: str) -> Participant | None:
    """What ``goal`` says of ``agent``; ``None`` when it names others only. A Goal that names nobody takes anybody."""
    if not goal.agents:
        return Participant(id=agent)
    return next((each for each in goal.agents if each.id == agent), None)
