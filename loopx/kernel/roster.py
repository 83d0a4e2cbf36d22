"""Who works here as people look it up: the agents that are registered, and what each of them holds.

``loopx agent`` asks; no rule does.
"""

from __future__ import annotations

from datetime import datetime

from loopx.kernel.agents import is_registered, unregistered
from loopx.kernel.claims import holder
from loopx.kernel.lease_standing import standing_of
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import folded_name
from loopx.kernel.state import State
from loopx.model.defining import dataclass
from loopx.model.effect import Effect, EffectStatus
from loopx.model.goal import Participant
from loopx.model.lease import Lease, LeaseStatus
from loopx.model.todo import Todo
from loopx.model.turn import Turn


@dataclass(frozen=True, slots=True)
class Holdings:
    """What is known of one agent, and everything it holds at one instant."""

    capabilities: tuple[str, ...]
    parts: tuple[tuple[str, Participant], ...]
    """Goals that name it, with what they say of it."""
    claims: tuple[Todo, ...]
    leases: tuple[Lease, ...]
    turns: tuple[Turn, ...]
    effects: tuple[Effect, ...]
    """Acts of its own whose outcome nobody knows."""


def known_agents(state: State, goal_id: str | None = None) -> list[str]:
    """Registered agents in the order they are listed; with ``goal_id`` those that may take part there."""
    config = state.config()
    names = [each.id for each in config.agents] if config else []
    return [each for each in names if goal_id is None or is_registered(state, each, goal_id)]


def registered_name(state: State, typed: str) -> str | Refused:
    """The registered agent ``typed`` names."""
    name = folded_name(typed)
    return unregistered(state, name) or name


def holdings(state: State, agent: str, now: datetime) -> Holdings:
    """Everything ``agent`` holds at ``now``: claims that still hold, live leases, open turns, unknown effects."""
    config = state.config()
    entry = next((each for each in (config.agents if config else ()) if each.id == agent), None)
    parts = ((goal.id, each) for goal in state.goals() for each in goal.agents if each.id == agent)
    claimed = (each for each in state.claimed_by(agent) if not each.status.is_closed)
    held = (each for each in state.leases(statuses={LeaseStatus.ACTIVE}) if each.owner == agent)
    unknown = state.effects(statuses={EffectStatus.UNKNOWN})
    return Holdings(
        capabilities=entry.capabilities if entry else (),
        parts=tuple(parts),
        claims=tuple(each for each in claimed if holder(state, each, now) == agent),
        leases=tuple(each for each in held if standing_of(each, now).is_live),
        turns=tuple(each for each in state.open_turns() if each.agent == agent),
        effects=tuple(each for each in unknown if each.agent == agent),
    )
