"""What carrying out a recovery came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from loopx.model.step import ExecutionState, StepStatus

TERMINAL = "terminal"
"""A key of the evidence: the failure ends the run, whatever attempts are left."""


@dataclass(slots=True)
class RecoveryResult:
    """How a recovery ended. ``new_state`` is applied before the postconditions are looked at."""

    success: bool
    new_state: ExecutionState | None = None
    step_status: StepStatus | None = None
    message: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)
