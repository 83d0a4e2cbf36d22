"""What an agent leaves behind when it no longer works here: its claims are dropped, its leases released, at once.

Asked wherever the agents of the workspace or of a Goal change, by command or by hand. What it delivered stays its own,
and a lease record stays too, with its key retired.
"""

from __future__ import annotations

from collections.abc import Collection

from loopx.errors import Problem
from loopx.kernel.agents import participant
from loopx.kernel.context import Context
from loopx.kernel.lease_record import ended
from loopx.kernel.outcome import Change, Record, Update
from loopx.kernel.state import State
from loopx.kernel.transitions import update
from loopx.kernel.wording import listed
from loopx.model.goal import Goal
from loopx.model.lease import LeaseStatus
from loopx.model.workspace import WorkspaceConfig


def leaving_workspace(before: WorkspaceConfig, after: WorkspaceConfig) -> list[str]:
    """Agents that ``after`` no longer names, by name."""
    return sorted({each.id for each in before.agents} - {each.id for each in after.agents})


def leaving_goal(state: State, before: Goal, after: Goal) -> list[str]:
    """Agents that could take part in a Goal as it was and cannot as it will be, by name."""
    config = state.config()
    named = {each.id for each in before.agents} or {each.id for each in (config.agents if config else ())}
    return sorted(each for each in named if participant(before, each) and not participant(after, each))


def departures(state: State, agents: Collection[str], context: Context, goal: str | None = None) -> list[Change]:
    """What else changes when ``agents`` leave ``goal``, or the workspace where none is named."""
    changes: list[Change] = []
    for agent in agents:
        changes.extend(_dropped_claims(state, agent, goal))
        changes.extend(_released_leases(state, agent, context, goal))
    return changes


def only_these(before: Goal, after: Goal, leaving: Collection[str]) -> list[Problem]:
    """A notice when a Goal that took any agent names those that take part from now on."""
    if before.agents or not after.agents or not leaving:
        return []
    message = f"{after.id} names its agents from now on; {listed(leaving)} can take part no more."
    return [Problem("agents-named", message, facts={"goal": after.id, "agents": list(leaving)[:5], "field": "agents"})]


def _dropped_claims(state: State, agent: str, goal: str | None) -> list[Update]:
    claimed = [each for each in state.claimed_by(agent, goal) if not each.status.is_closed]
    return [update(each, claimed_by=None, claimed_at=None) for each in claimed]


def _released_leases(state: State, agent: str, context: Context, goal: str | None) -> list[Record]:
    held = state.leases(goal, {LeaseStatus.ACTIVE})
    return [Record(ended(each, context, "its agent left")) for each in held if each.owner == agent]
