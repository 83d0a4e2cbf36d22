"""An obligation as data: what somebody owes a Goal before other work, derived and never stored as truth."""

from __future__ import annotations

from enum import StrEnum

from loopx.model.defining import dataclass

OPERATORS = "operators"
"""The owner of what no agent is there to discharge."""


class ObligationKind(StrEnum):
    """What sort of accountable delta discharges it."""

    REPLAN = "replan"
    REPAIR = "repair"
    RECONCILE = "reconcile"
    CHECKPOINT = "checkpoint"
    SUCCESSOR = "successor"
    OUTCOME_FLOOR = "outcome_floor"


@dataclass(frozen=True, slots=True)
class Obligation:
    """One obligation. The same fact arms the same id, whatever else is written meanwhile."""

    id: str
    """``o-`` and a digest of trigger, subjects and the fact that armed it."""
    kind: ObligationKind
    trigger: str
    """Why, as a code such as ``vision_checkpoint_missing``."""
    subjects: tuple[str, ...]
    armed_by: str
    """The id of the fact that armed it: a turn, the Nth poll, a failed operation."""
    owner: str
    """The agent that owes it, or :data:`OPERATORS`."""
    message: str
    """One sentence."""
    discharged_by: str
    """What would discharge it, in words."""
    seen: str = ""
    """What a discharge takes into account, such as the number of the newest look at a monitor: counting starts anew
    after it. Empty where the facts themselves tell."""
