"""Handoffs: bounded packets with which work changes hands. Ids and one next step, no transcript, nothing private.

A packet grants nothing: whoever accepts it goes through today's guards.
"""

from __future__ import annotations

from loopx.kernel.state import State
from loopx.model.handoff import Handoff, HandoffStatus


def unanswered(state: State, goal_id: str) -> tuple[Handoff, ...]:
    """Handoffs of a Goal that nobody accepted or declined."""
    return tuple(state.handoffs(goal_id, {HandoffStatus.OFFERED}))
