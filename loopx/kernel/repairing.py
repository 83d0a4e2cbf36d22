"""Who may repair derived surfaces. Repairing changes no fact, so a person always may."""

from __future__ import annotations

from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import listed, refuse
from loopx.model.actor import Actor
from loopx.model.goal import GoalPolicies, GoalStatus

_DEFAULT = GoalPolicies()


def may_repair(state: State, actor: Actor) -> Refused | None:
    """The refusal of an agent where a Goal's policy leaves self-repair to people.

    The surfaces belong to every Goal of the workspace, so one that is not closed and says no is enough.
    """
    if actor.is_human:
        return None
    barred = [each.id for each in state.goals() if each.status is not GoalStatus.CLOSED
              and not (each.policies or _DEFAULT).self_repair]  # fmt: skip
    if not barred:
        return None
    message = f"{actor} may not repair surfaces here: {listed(barred)} leaves self-repair to people."
    return refuse("actor-not-permitted", message, "Ask a person to run `loopx repair`.", actor=str(actor))
