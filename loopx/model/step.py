"""The closed sets of the loop engine: where a step may be, who may move it, how a run and a failure stand.

Stored values are the lower-case words; code compares members, never bare strings.
"""

from __future__ import annotations

from enum import StrEnum


class StepStatus(StrEnum):
    """Where a step is in its life; the transitions are a table in ``kernel.plans.steps``."""

    PENDING = "pending"
    """Its dependencies are not met yet, and can be."""
    READY = "ready"
    IN_PROGRESS = "in_progress"
    EXECUTED = "executed"
    """The actor came back; nobody has judged it."""
    EVALUATION_FAILED = "evaluation_failed"
    EVALUATED = "evaluated"
    VERIFICATION_FAILED = "verification_failed"
    VERIFIED_COMPLETED = "verified_completed"
    RECOVERY_PENDING = "recovery_pending"
    """A recovery is being decided or carried out, or a person is awaited."""
    RETRY_PENDING = "retry_pending"
    """Another execution is decided and waits for its moment."""
    BLOCKED = "blocked"
    """A dependency can never be met."""
    SKIPPED = "skipped"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        return self in _TERMINAL_STEP


_TERMINAL_STEP = frozenset({StepStatus.VERIFIED_COMPLETED, StepStatus.SKIPPED, StepStatus.FAILED, StepStatus.CANCELLED})


class Role(StrEnum):
    """Who moves a step."""

    PLANNER = "planner"
    ACTOR = "actor"
    EVALUATOR = "evaluator"
    VERIFIER = "verifier"
    RECOVERY = "recovery"
    SYSTEM = "system"
    """The scheduler."""


class ExecutionState(StrEnum):
    """Where a run is; the transitions are a table in ``kernel.plans.runs``."""

    INITIALIZED = "initialized"
    SPECIFYING = "specifying"
    PLANNING = "planning"
    ACTING = "acting"
    OBSERVING = "observing"
    EVALUATING = "evaluating"
    VERIFYING = "verifying"
    ITERATION_COMPLETE = "iteration_complete"
    RECOVERING = "recovering"
    REPLANNING = "replanning"
    WAITING_FOR_HUMAN = "waiting_for_human"
    COMPLETED = "completed"
    PARTIALLY_COMPLETED = "partially_completed"
    ABSTAINED = "abstained"
    BUDGET_EXHAUSTED = "budget_exhausted"
    POLICY_TERMINATED = "policy_terminated"
    FAILED = "failed"

    @property
    def is_terminal(self) -> bool:
        return self in _TERMINAL_RUN


_TERMINAL_RUN = frozenset(
    {
        ExecutionState.COMPLETED,
        ExecutionState.PARTIALLY_COMPLETED,
        ExecutionState.ABSTAINED,
        ExecutionState.BUDGET_EXHAUSTED,
        ExecutionState.POLICY_TERMINATED,
        ExecutionState.FAILED,
    }
)


class SkipPolicy(StrEnum):
    """What a skipped step does to progress."""

    COUNT = "count"
    """It counts as complete: the default of optional steps."""
    EXCLUDE = "exclude"
    """It is out of numerator and denominator."""
    BLOCK = "block"
    """It holds completion: the default of required steps."""


class VerificationStatus(StrEnum):
    """What a result may say of verification. Never a yes or no."""

    VERIFIED = "VERIFIED"
    PARTIAL = "PARTIAL"
    FAILED = "FAILED"
    NOT_RUN = "NOT_RUN"
    DISABLED = "DISABLED"


class FailureType(StrEnum):
    """What sort of failure it is."""

    TIMEOUT = "timeout"
    BUDGET_EXCEEDED = "budget_exceeded"
    INVALID_OUTPUT = "invalid_output"
    EVALUATION_FAILED = "evaluation_failed"
    VERIFICATION_FAILED = "verification_failed"
    SEMANTIC_DRIFT = "semantic_drift"
    EXECUTION_ERROR = "execution_error"
    PLANNING_FAILURE = "planning_failure"
    GOAL_HIJACKING = "goal_hijacking"
    INTERRUPTED = "interrupted"
    RECOVERY_EXHAUSTED = "recovery_exhausted"


class FailureStatus(StrEnum):
    """Where a failure is in its life."""

    UNHANDLED = "unhandled"
    RECOVERY_PLANNED = "recovery_planned"
    RECOVERY_IN_PROGRESS = "recovery_in_progress"
    RECOVERED = "recovered"
    RECOVERY_FAILED = "recovery_failed"
    ESCALATED = "escalated"
    """A person is asked."""
    TERMINAL = "terminal"

    @property
    def is_open(self) -> bool:
        return self not in (FailureStatus.RECOVERED, FailureStatus.TERMINAL)


class RecoveryStrategy(StrEnum):
    """What may be done about a failure. Every one has a handler."""

    RETRY = "retry"
    RETRY_WITH_BACKOFF = "retry_with_backoff"
    REPLAN_STEP = "replan_step"
    REPLAN_REMAINING_TASK = "replan_remaining_task"
    ROLLBACK = "rollback"
    CHANGE_TOOL = "change_tool"
    CHANGE_MODEL = "change_model"
    REDUCE_SCOPE = "reduce_scope"
    REQUEST_HUMAN = "request_human"
    ABSTAIN = "abstain"
    TERMINATE = "terminate"


class StepEffect(StrEnum):
    """What a step does to the world. Those after ``write`` need a covering Gate."""

    READ = "read"
    WRITE = "write"
    SEND = "send"
    PUBLISH = "publish"
    MANAGE = "manage"


class Resumption(StrEnum):
    """What to do when an attempt's outcome is unknown."""

    REPEAT = "repeat"
    """The action is declared idempotent."""
    PROBE = "probe"
    """A command reads the outcome back."""
    ASK = "ask"
    """A person says."""


class AttemptOutcome(StrEnum):
    """How one execution of a step ended."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    """It came back with a result that may be judged."""
    FAILED = "failed"
    """It ran to its end and said no."""
    NOT_STARTED = "not_started"
    """It never began, so nothing happened."""
    UNKNOWN = "unknown"
    """It began, and its end was not seen."""
    CANCELLED = "cancelled"
