"""What the decision makes of one document: what is owed because of it, and what an actor is told instead of it.

For explanations (:mod:`loopx.kernel.why`) only.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from loopx.kernel.decision.deciding import next_action
from loopx.kernel.decision.record import Decision
from loopx.kernel.obligations.deriving import obligations
from loopx.kernel.refusal import Refused
from loopx.kernel.wording import listed, quoted, refuse

if TYPE_CHECKING:
    from loopx.kernel.obligations.record import Obligation
    from loopx.kernel.state import State
    from loopx.model.actor import Actor
    from loopx.model.goal import Goal
    from loopx.model.todo import Todo

Told = tuple[str, str, dict[str, object]]
"""A verdict (``ok``, ``no`` or ``note``), a sentence and facts."""


def decided(state: State, todo: Todo, actor: Actor, now: datetime) -> Told:
    """What ``actor`` is told to do in the Goal of ``todo`` now, and whether that is ``todo``."""
    found = next_action(state, todo.goal, actor, now)
    if isinstance(found, Refused):
        return ("note", found.message, {"code": found.code})
    facts: dict[str, object] = {"mode": found.mode.value, "reason": found.reason, "rule": _rule(found)}
    if _is_about(found, todo):
        return ("ok", f"{found.agent} is told to {_words(found)} it now.", facts)
    about = f" {found.selected.id}" if found.selected is not None else ""
    return ("note", f"{found.agent} is told to {_words(found)}{about} first. {found.message}", facts)


def owed_for(state: State, goal: Goal, now: datetime, subjects: frozenset[str] | None = None) -> Iterator[Told]:
    """Obligations of ``goal``, all or those one of ``subjects`` is a subject of."""
    for each in obligations(state, goal, now):
        if subjects is None or subjects & set(each.subjects):
            facts: dict[str, object] = {"id": each.id, "trigger": each.trigger, "owner": each.owner}
            yield ("note", f"{each.owner} owes {each.id} ({each.trigger}). {each.message}", facts)


def find_obligation(state: State, typed: str, now: datetime) -> tuple[Goal, Obligation] | Refused:
    """The armed obligation ``typed`` names, whole or by an unambiguous prefix, with its Goal."""
    wanted = typed.strip().lower()
    found = [
        (goal, each) for goal in state.goals() for each in obligations(state, goal, now) if each.id.startswith(wanted)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        ids = [each.id for _, each in found]
        return refuse("id-ambiguous", f"{quoted(typed)} could be {listed(ids)}.", typed=typed, candidates=ids)
    return refuse("obligation-unknown", f"No obligation {quoted(typed)} is armed.", obligation=typed)


def _is_about(decision: Decision, todo: Todo) -> bool:
    selected = decision.selected
    return selected is not None and todo.id in (selected.id, selected.facts.get("todo"))


def _words(decision: Decision) -> str:
    return decision.mode.value.replace("_", " ")


def _rule(decision: Decision) -> str:
    return next(each.rule for each in decision.trace if each.is_match)
