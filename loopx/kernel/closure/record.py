"""The terminal audit as data: eight lines, and what else keeps a Goal from ending."""

from __future__ import annotations

from loopx.model.defining import dataclass


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One thing in the way. ``why`` is one sentence, ``next_step`` a command or words."""

    id: str
    title: str
    why: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One line of the audit. It holds when nothing is in the way: unknown is not zero and is an item too."""

    key: str
    """snake_case, such as ``open_todos``."""
    name: str
    """As the audit prints it, such as ``open todos = 0``."""
    items: tuple[AuditItem, ...] = ()

    @property
    def holds(self) -> bool:
        return not self.items


@dataclass(frozen=True, slots=True)
class Audit:
    """The whole audit of one Goal, over the whole state."""

    goal: str
    lines: tuple[AuditLine, ...]
    """The eight lines of the terminal audit, in their order."""
    others: tuple[AuditLine, ...]
    """What else refuses an end: other obligations, unknown outcomes, open turns, live leases, unanswered handoffs,
    unreadable files."""

    @property
    def is_clean(self) -> bool:
        return all(each.holds for each in (*self.lines, *self.others))
