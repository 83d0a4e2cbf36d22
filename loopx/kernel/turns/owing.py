"""The obligations a turn may be opened for, and those its settling accounts for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from loopx.kernel.context import Context
from loopx.kernel.obligations.record import OPERATORS, Obligation
from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import quoted, refuse
from loopx.model.goal import Goal


def owed_by(state: State, goal: Goal, agent: str, now: datetime, *, is_person: bool) -> tuple[Obligation, ...]:
    """What ``agent`` owes ``goal``; a person owes what the operators owe as well."""
    from loopx.kernel.obligations.deriving import obligations  # only turns that may owe something load the triggers

    own = obligations(state, goal, now, agent)
    return (*own, *obligations(state, goal, now, OPERATORS)) if is_person else own


def find_obligation(state: State, goal: Goal, agent: str, typed: str, context: Context) -> Obligation | Refused:
    """The obligation of ``agent`` that ``typed`` names."""
    from loopx.kernel.obligations.deriving import obligations

    wanted = typed.strip().lower()
    found = next((each for each in obligations(state, goal, context.now) if each.id == wanted), None)
    if found is None:
        return refuse("obligation-unknown", f"No obligation {quoted(typed)} is armed in {goal.id}.", obligation=typed)
    if found.owner == agent or (found.owner == OPERATORS and context.actor.is_human):
        return found
    message = f"{found.id} ({found.trigger}) is owed by {found.owner}, not by {agent}."
    return refuse("obligation-unknown", message, obligation=found.id, owner=found.owner)


def armed_replan(armed: Sequence[Obligation]) -> Obligation | None:
    """The first replan among ``armed``."""
    return next((each for each in armed if each.kind == "replan"), None)
