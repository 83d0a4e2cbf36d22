"""What happens next for one agent in one Goal: a pure read of the state, answered in one record, said once."""

from __future__ import annotations

from datetime import datetime

from loopx.kernel.agents import unregistered
from loopx.kernel.decision.record import AgentChannel, CliChannel, Decision, Mode, Scheduler, UserChannel
from loopx.kernel.fencing import holder_name
from loopx.kernel.obligations.deriving import obligations
from loopx.kernel.outcome import Refused
from loopx.kernel.resolve import find_goal
from loopx.kernel.state import State
from loopx.model.actor import Actor


def next_action(
    state: State, goal_id: str, actor: Actor, now: datetime, revision: str | None = None
) -> Decision | Refused:
    """What ``actor`` may do for the Goal ``goal_id`` at ``now``, or the refusal where nothing can be decided.

    ``revision`` is the workspace's, for the record only.
    """
    goal = find_goal(state, goal_id)
    if isinstance(goal, Refused):
        return goal
    if not actor.is_human and (refused := unregistered(state, actor.name, goal.id)):
        return refused
    name = holder_name(actor)
    return Decision(
        goal=goal.id,
        agent=name,
        mode=Mode.WAIT,
        reason="not-decided",
        message="The rules are not asked yet.",
        user=UserChannel(),
        channel=AgentChannel(False, False, True, "Wait."),
        cli=CliChannel(),
        scheduler=Scheduler(60, "Nothing is known."),
        obligations=obligations(state, goal, now, name),
        revision=revision,
        at=now,
    )
