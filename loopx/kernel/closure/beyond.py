"""What refuses an end besides the eight lines: work in hand, and whatever nobody knows. Unknown is not zero."""

from __future__ import annotations

from datetime import datetime

from loopx.kernel.cadence import monitor_standing
from loopx.kernel.closure.lines import UNCLOSED, Items, obliged
from loopx.kernel.closure.record import AuditItem
from loopx.kernel.effects import unknown_effects
from loopx.kernel.handoffs import unanswered
from loopx.kernel.lease_standing import lease_standing
from loopx.kernel.obligations.record import ObligationKind
from loopx.kernel.state import State
from loopx.model.goal import Goal
from loopx.model.lease import LeaseStatus
from loopx.model.times import format_instant
from loopx.model.todo import TodoClass

_ELSEWHERE = frozenset({ObligationKind.SUCCESSOR, ObligationKind.REPLAN})
"""Obligations that have a line of their own."""


def other_obligations(state: State, goal: Goal, now: datetime) -> Items:
    """Whatever else somebody owes the Goal."""
    yield from obliged(state, goal, now, frozenset(ObligationKind) - _ELSEWHERE)


def unknown_outcomes(state: State, goal: Goal, now: datetime) -> Items:
    """Acts on the outside of which nobody knows whether they happened."""
    for each in unknown_effects(state, goal.id):
        why = f"Its outcome is unknown; it should be read back from {format_instant(each.readback_due_at)} on."
        step = f"loopx effect settle {each.id} --status … --evidence …"
        yield AuditItem(each.id, each.summary, why, step)


def open_turns(state: State, goal: Goal, now: datetime) -> Items:
    """Turns that were opened and neither settled nor voided."""
    for each in state.open_turns(goal.id):
        why = f"{each.agent} opened it at {format_instant(each.opened_at)}."
        step = f"loopx refresh-state --goal {goal.id} --turn {each.id} --scale … --outcome … --evidence …"
        yield AuditItem(each.id, each.todo or each.obligation or "", why, step)


def live_leases(state: State, goal: Goal, now: datetime) -> Items:
    """Leases under which somebody may still be writing."""
    for each in state.leases(goal.id, {LeaseStatus.ACTIVE}):
        found = lease_standing(state, each.todo, now)
        if found.is_live:
            yield AuditItem(each.todo, "", found.why, f"loopx lease release {each.todo}")


def unanswered_handoffs(state: State, goal: Goal, now: datetime) -> Items:
    """Work that was handed over and nobody took or declined."""
    for each in unanswered(state, goal.id):
        why = f"{each.sender} offers it to {each.receiver or 'anybody'}, and nobody answered."
        yield AuditItem(each.id, each.next_action, why, f"loopx handoff accept {each.id}")


def standing_monitors(state: State, goal: Goal, now: datetime) -> Items:
    """Monitors that may still raise work. Those that only watch are retired by closing."""
    for each in state.todos(goal.id, UNCLOSED):
        if each.todo_class is not TodoClass.MONITOR or each.watch_only:
            continue
        found = monitor_standing(state, each, now)
        if not found.is_due:
            step = f"loopx todo cancel {each.id} --reason …"
            yield AuditItem(each.id, each.title, f"It may still raise work. {found.why}", step)


def unreadable_files(state: State, goal: Goal, now: datetime) -> Items:
    """Committed files of the Goal that cannot be read, so that nobody knows what they hold."""
    for path in state.unreadable(goal.id):
        yield AuditItem(path, "", "It cannot be read: unknown is not zero.", "loopx check")
