"""Who works here: agents of the workspace, and those that take part in one Goal.

Leases, turns, the decision and handoffs ask :func:`is_registered`, :func:`unregistered` and :func:`participant`. Agents
are peers: nothing here ranks them, and being registered grants nothing by itself.
"""

from __future__ import annotations

from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model.goal import AgentMode, Goal, Participant


def is_registered(state: State, agent: str, goal_id: str | None = None) -> bool:
    """Whether the workspace knows ``agent``; with ``goal_id`` also whether it may take part in that Goal."""
    return unregistered(state, agent, goal_id) is None


def unregistered(state: State, agent: str, goal_id: str | None = None) -> Refused | None:
    """The refusal of an agent the workspace does not know, or that does not take part in the Goal ``goal_id``."""
    config = state.config()
    known = [each.id for each in config.agents] if config else []
    if agent not in known:
        hint = f"Agents here are {listed(known)}; a person adds one with `loopx agent add`." if known else ""
        return refuse("agent-unregistered", f"No agent {quoted(agent)} is registered here.", hint, agent=agent)
    goal = state.goal(goal_id) if goal_id is not None else None
    if goal is None or participant(goal, agent) is not None:
        return None
    message = f"{agent} does not take part in {goal.id}, whose agents are {listed(each.id for each in goal.agents)}."
    hint = f"A person lets it take part with `loopx agent add {agent} --goal {goal.id}`."
    return refuse("agent-unregistered", message, hint, agent=agent, goal=goal.id)


def participant(goal: Goal, agent: str) -> Participant | None:
    """What ``goal`` says of ``agent``; ``None`` when it names others only. A Goal that names nobody takes anybody."""
    if not goal.agents:
        return Participant(id=agent)
    return next((each for each in goal.agents if each.id == agent), None)


def only_watches(goal: Goal, agent: str) -> bool:
    """Whether ``agent`` takes part in ``goal`` to look at monitors, and not to deliver."""
    found = participant(goal, agent)
    return found is not None and found.mode is AgentMode.MONITOR_ONLY
