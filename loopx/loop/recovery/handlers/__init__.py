"""The eleven handlers, one a strategy, in one literal table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from loopx.loop.recovery.handler import RecoveryHandler
from loopx.loop.recovery.handlers.asking import RequestHuman
from loopx.loop.recovery.handlers.changing import ChangeModel, ChangeTool
from loopx.loop.recovery.handlers.reducing import ReduceScope
from loopx.loop.recovery.handlers.replanning import ReplanRemaining, ReplanStep
from loopx.loop.recovery.handlers.restoring import Rollback
from loopx.loop.recovery.handlers.retrying import Retry, RetryWithBackoff
from loopx.loop.recovery.handlers.stopping import Abstain, Terminate
from loopx.model.step import RecoveryStrategy

HANDLERS: Mapping[RecoveryStrategy, Callable[[], RecoveryHandler]] = MappingProxyType(
    {
        RecoveryStrategy.RETRY: Retry,
        RecoveryStrategy.RETRY_WITH_BACKOFF: RetryWithBackoff,
        RecoveryStrategy.REPLAN_STEP: ReplanStep,
        RecoveryStrategy.REPLAN_REMAINING_TASK: ReplanRemaining,
        RecoveryStrategy.ROLLBACK: Rollback,
        RecoveryStrategy.CHANGE_TOOL: ChangeTool,
        RecoveryStrategy.CHANGE_MODEL: ChangeModel,
        RecoveryStrategy.REDUCE_SCOPE: ReduceScope,
        RecoveryStrategy.REQUEST_HUMAN: RequestHuman,
        RecoveryStrategy.ABSTAIN: Abstain,
        RecoveryStrategy.TERMINATE: Terminate,
    }
)
