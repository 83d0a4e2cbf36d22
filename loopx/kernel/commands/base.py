"""What every proposal has."""

from __future__ import annotations

from typing import ClassVar

from loopx.model.defining import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Base of all proposals. ``name`` is ``noun verb``, as typed at the terminal and kept in the audit trail."""

    name: ClassVar[str] = ""

    @property
    def subject(self) -> str:
        """The id the proposal is about; ``""`` when it makes a new one."""
        return getattr(self, "todo", None) or getattr(self, "gate", None) or getattr(self, "goal", None) or ""
