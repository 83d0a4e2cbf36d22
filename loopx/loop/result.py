"""How a run ended, or where it stands when it is left for later."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from loopx.loop.state import LoopState
from loopx.model.step import ExecutionState, VerificationStatus


class LeftOff(StrEnum):
    """Why a run that has not ended was left for later."""

    STOPPED = "stopped"
    """This process was told to stop, or was interrupted."""
    ALLOWANCE = "allowance"
    """This process has done what it may do; another one goes on at once."""
    PERSON = "person"
    """Nothing can run before a person has answered."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """What :meth:`loopx.loop.engine.LoopEngine.run` comes back with."""

    state: LoopState
    execution_state: ExecutionState
    verification_status: VerificationStatus
    progress: float
    error: str | None = None
    abstention: str | None = None
    partial_results: dict[str, Any] = field(default_factory=dict)
    evidence: dict[str, Any] = field(default_factory=dict)
    question: dict[str, Any] | None = None
    """What a person is asked, when the run waits for one."""
    gates: tuple[str, ...] = ()
    """The Gates a person has to answer before everything can go on; empty where the run has ended."""
    left_off: LeftOff | None = None
    """Why it was left for later; ``None`` where it has ended."""

    @property
    def is_finished(self) -> bool:
        """Whether the run will never go on; false while it waits for a person or was left for later."""
        return self.execution_state.is_terminal
