"""What a Goal demands of those who work on it: its own policies, else the workspace's, else the defaults.

Claims, leases, turns and the decision ask here, so that "the Goal's value wins" is said once. Lengths are clamped:
a value typed far out of range never makes a sum of times run over.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from loopx.kernel.durations import LONGEST
from loopx.kernel.state import State
from loopx.model.policy import Ownership

if TYPE_CHECKING:
    from loopx.model.goal import Goal, GoalPolicies

LEASE_TTL_LIMIT = timedelta(hours=24)
"""No lease lives longer than this after a renewal."""
_CLAIM_TTL = timedelta(hours=24)
_LEASE_TTL = timedelta(minutes=45)


def goal_policies(goal: Goal | None) -> GoalPolicies:
    """The policies of ``goal`` itself, with the defaults of what it leaves out."""
    if goal is not None and goal.policies is not None:
        return goal.policies
    from loopx.model.goal import GoalPolicies

    return GoalPolicies()


def ownership(state: State, goal_id: str) -> Ownership:
    """What completing a Todo of the Goal takes."""
    goal = state.goal(goal_id)
    own = goal.policies.ownership if goal is not None and goal.policies is not None else None
    if own is not None:
        return own
    config = state.config()
    return config.policies.ownership if config is not None else Ownership.NONE


def claim_ttl(state: State, goal_id: str) -> timedelta:
    """How long a claim of the Goal's Todos holds that no lease and no turn acts on."""
    goal = state.goal(goal_id)
    own = goal.policies.claim_ttl_hours if goal is not None and goal.policies is not None else None
    if own is not None:
        return _hours(own)
    config = state.config()
    return _hours(config.policies.claim_ttl_hours) if config is not None else _CLAIM_TTL


def lease_ttl(state: State) -> timedelta:
    """How long a lease lives after a renewal where nobody asks for another length."""
    config = state.config()
    return clamped(config.policies.lease_ttl_minutes * 60) if config is not None else _LEASE_TTL


def clamped(seconds: int) -> timedelta:
    """A lease's time to live as it counts, whatever its record says: none at least, :data:`LEASE_TTL_LIMIT` at most."""
    return timedelta(seconds=min(max(seconds, 0), int(LEASE_TTL_LIMIT.total_seconds())))


def _hours(count: int) -> timedelta:
    return timedelta(hours=min(max(count, 0), int(LONGEST.total_seconds()) // 3600))
