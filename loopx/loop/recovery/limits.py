"""How often something may be tried, asked before it is counted, and what only a person may say. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from loopx.model.step import AttemptOutcome, RecoveryStrategy, Resumption

if TYPE_CHECKING:
    from loopx.loop.failure import Failure
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step
    from loopx.model.plan import RunSettings

_LARGEST_EXPONENT = 30
_REPLANS = frozenset({RecoveryStrategy.REPLAN_STEP, RecoveryStrategy.REPLAN_REMAINING_TASK})


def retries_left(step: Step, settings: RunSettings) -> int:
    """Executions the lineage may still have: 3 allowed means four in all, 0 means one."""
    return max(settings.max_retry_attempts - step.retry_count, 0)


def replans_left(state: LoopState, lineage: str, settings: RunSettings) -> int:
    """Replans the lineage may still have."""
    return max(settings.max_replans - state.replans_of.get(lineage, 0), 0)


def attempts_left(failure: Failure, settings: RunSettings) -> int:
    """Recoveries the failure may still have."""
    return max(settings.max_attempts_per_failure - failure.recovery_attempts, 0)


def backoff_seconds(retry_count: int, settings: RunSettings) -> float:
    """How long to wait before another execution: the base doubled for each one so far, and never above the cap."""
    exponent = min(max(retry_count, 0), _LARGEST_EXPONENT)
    return float(max(min(settings.backoff_base * 2**exponent, settings.backoff_cap), 0.0))


def replans_by_lineage(failures: Iterable[Failure]) -> dict[str, int]:
    """Replans that were done, by lineage, told from the failures they were done for."""
    return dict(
        Counter(
            failure.lineage or ""
            for failure in failures
            for action in failure.actions
            if action.success and action.strategy in _REPLANS
        )
    )


def is_outcome_unknown(step: Step) -> bool:
    """Whether the step's newest execution may have happened, and to do it again is not declared harmless."""
    if not step.attempts or step.meant.action.recover is Resumption.REPEAT:
        return False
    return step.attempts[-1].outcome in (AttemptOutcome.UNKNOWN, AttemptOutcome.RUNNING)


def only_with_a_person(step: Step, state: LoopState) -> str | None:
    """Why the step is not done again unless a person says so; ``None`` when nothing speaks against it."""
    if state.permitted == step.id:
        return None
    if step.meant.irreversible and step.attempts:
        return f"{step.id} cannot be undone, so only a person may have it done again."
    if is_outcome_unknown(step):
        return f"Nobody knows whether {step.id} happened, so only a person may have it done again."
    return None
