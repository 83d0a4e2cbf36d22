"""The contract of a recovery handler: carry one strategy out on a working copy, and say whether it really took."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.failure import Failure
    from loopx.loop.recovery.result import RecoveryResult
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step


class RecoveryHandler(ABC):
    """Base of all handlers. ``state`` is a working copy: it is committed or thrown away whole."""

    def precondition(self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext) -> str | None:
        """Why this strategy cannot be used now, in one sentence; ``None`` when it can. Changes nothing."""
        return None

    @abstractmethod
    async def execute(
        self, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> RecoveryResult:
        """Carry the strategy out."""

    @abstractmethod
    def validate_postconditions(self, step: Step | None, state: LoopState) -> bool:
        """Whether the recovery took. ``state.before`` is the frozen state from before it; ``new_state`` is applied."""

    def violations(self, step: Step | None, state: LoopState) -> tuple[str, ...]:
        """What is broken, in words, for the trace."""
        return () if self.validate_postconditions(step, state) else ("postconditions not met",)
