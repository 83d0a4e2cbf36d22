"""Which handler carries out which strategy, and the frame around it: postconditions decide whether it took."""

from __future__ import annotations

from loopx.loop.context import LoopContext
from loopx.loop.failure import Failure
from loopx.loop.recovery.handler import RecoveryHandler
from loopx.loop.recovery.result import RecoveryResult
from loopx.loop.state import LoopState
from loopx.loop.step import Step
from loopx.model.step import RecoveryStrategy


class RecoveryRegistry:
    """Strategies and their handlers."""

    def __init__(self, handlers: dict[RecoveryStrategy, RecoveryHandler] | None = None) -> None:
        self._handlers = dict(handlers or {})

    @classmethod
    def shipped(cls) -> RecoveryRegistry:
        """A registry with the eleven handlers that come with LoopX; others may be registered over them."""
        from loopx.loop.recovery.handlers import HANDLERS

        return cls({strategy: make() for strategy, make in HANDLERS.items()})

    def register(self, strategy: RecoveryStrategy, handler: RecoveryHandler) -> None:
        """Let ``handler`` carry out ``strategy`` from now on."""
        self._handlers[strategy] = handler

    def handler(self, strategy: RecoveryStrategy) -> RecoveryHandler | None:
        return self._handlers.get(strategy)

    async def execute(
        self, strategy: RecoveryStrategy, failure: Failure, step: Step | None, state: LoopState, context: LoopContext
    ) -> RecoveryResult:
        """Carry ``strategy`` out on ``state``, a working copy, and look at its postconditions."""
        handler = self._handlers.get(strategy)
        if handler is None:
            return RecoveryResult(False, message=f"No handler for strategy {strategy}")
        result = await handler.execute(failure, step, state, context)
        if not result.success:
            return result
        if result.new_state is not None:
            context.lifecycle.turn(state, result.new_state, f"recovery {strategy}")
        broken = handler.violations(step, state)
        if broken:
            return RecoveryResult(
                False,
                message="Recovery postconditions not met",
                evidence={**result.evidence, "violations": list(broken)},
            )
        return result
