"""Whose a turn is, and who may act for them. Opening, settling and voiding ask here."""

from __future__ import annotations

from loopx.kernel.agents import unregistered
from loopx.kernel.authority import beyond
from loopx.kernel.context import Context
from loopx.kernel.fencing import holder_name
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import folded_name
from loopx.kernel.state import State
from loopx.kernel.texts import bad_agent
from loopx.model.actor import Actor, ActorKind


def taker(state: State, goal_id: str, typed: str | None, context: Context) -> str | Refused:
    """The name of whose turn it is: the actor's, or that of the agent a person acts for.

    Agents must be registered, and act for themselves only. People need no registration.
    """
    me = holder_name(context.actor)
    name = me if typed is None else folded_name(typed)
    if refused := not_theirs(name, context):
        return refused
    if context.actor.is_human and name == me:
        return name
    return bad_agent(name) or unregistered(state, name, goal_id) or name


def not_theirs(agent: str, context: Context) -> Refused | None:
    """The refusal of an agent that touches the turn of another; a person may touch any."""
    if context.actor.is_human or context.actor.name == agent:
        return None
    return beyond(context, f"this is a turn of {agent}")


def as_taker(agent: str, context: Context) -> Actor:
    """The actor whose rights the turn of ``agent`` is judged by."""
    return actor_of(agent, context.actor)


def actor_of(agent: str, asking: Actor) -> Actor:
    """The actor whose turns are written as those of ``agent``; ``asking`` is who asks, and may be the same."""
    if holder_name(asking) == agent:
        return asking
    return Actor(ActorKind.AGENT, agent)
