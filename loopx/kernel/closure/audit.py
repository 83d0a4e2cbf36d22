"""The terminal audit: what keeps a Goal from ending, line by line, counted over the whole state.

``loopx goal audit`` prints it, ``loopx goal close`` requires it to be clean, the decision asks it before it says that a
Goal may be closed out. It changes nothing, and an empty list of Todos alone never satisfies it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from loopx.kernel.closure import beyond, lines
from loopx.kernel.closure.record import Audit, AuditLine
from loopx.kernel.state import State
from loopx.model.goal import Goal

Finding = Callable[[State, Goal, datetime], lines.Items]

LINES: tuple[tuple[str, str, Finding], ...] = (
    ("open_todos", "open todos = 0", lines.open_todos),
    ("due_monitors", "due monitors = 0", lines.due_monitors),
    ("unresolved_blocking_gates", "unresolved blocking gates = 0", lines.unresolved_blocking_gates),
    ("pending_successors", "pending successors = 0", lines.pending_successors),
    ("replan_obligations", "replan obligations = 0", lines.replan_obligations),
    ("acceptance_gaps", "acceptance gaps = 0", lines.acceptance_gaps),
    ("retryable_postconditions", "retryable postconditions = 0", lines.retryable_postconditions),
    (
        "required_external_readbacks_are_fresh",
        "required external readbacks are fresh",
        lines.external_readbacks,
    ),
)
"""The lines of the specification: key, printed name, and what finds the items in the way."""

OTHERS: tuple[tuple[str, str, Finding], ...] = (
    ("other_obligations", "other obligations = 0", beyond.other_obligations),
    ("unknown_outcomes", "unknown outcomes = 0", beyond.unknown_outcomes),
    ("open_turns", "open turns = 0", beyond.open_turns),
    ("live_leases", "live leases = 0", beyond.live_leases),
    ("unanswered_handoffs", "unanswered handoffs = 0", beyond.unanswered_handoffs),
    ("standing_monitors", "monitors that may raise work = 0", beyond.standing_monitors),
    ("unreadable_files", "unreadable files = 0", beyond.unreadable_files),
)
"""What else refuses an end."""


def audit(state: State, goal: Goal, now: datetime) -> Audit:
    """The whole audit of ``goal`` at ``now``."""
    return Audit(goal.id, _found(LINES, state, goal, now), _found(OTHERS, state, goal, now))


def _found(
    table: tuple[tuple[str, str, Finding], ...], state: State, goal: Goal, now: datetime
) -> tuple[AuditLine, ...]:
    return tuple(AuditLine(key, name, tuple(finding(state, goal, now))) for key, name, finding in table)
