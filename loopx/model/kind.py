"""The kinds of document there are."""

from enum import StrEnum


class Kind(StrEnum):
    """What a file under ``.loopx/`` is; its value names its schema."""

    WORKSPACE = "workspace"
    GOAL = "goal"
    TODO = "todo"
    GATE = "gate"
    VISION = "vision"
    COMPLETION = "completion"
    DECISION = "decision"
    CRITERION = "criterion"
    EVIDENCE = "evidence"
    LEASE = "lease"
    TURN = "turn"
    MONITOR = "monitor"
    EFFECT = "effect"
    HANDOFF = "handoff"
    PROPOSAL = "proposal"
    BASELINE = "baseline"
    CLOSURE = "closure"
    PLAN = "plan"
    RUN = "run"
    STEP = "step"
    TRACE = "trace"

    @property
    def is_markdown(self) -> bool:
        """Whether the document is a header between fences and a body, rather than YAML alone."""
        return self in _MARKDOWN

    @property
    def is_forward_only(self) -> bool:
        """Whether its facts only ever move forward, so that a rollback leaves the file alone."""
        return self in _FORWARD_ONLY

    @property
    def is_per_goal(self) -> bool:
        """Whether its identity is unique within its Goal only, so that the Goal is needed to find it."""
        return self in _PER_GOAL


_MARKDOWN = frozenset({Kind.GOAL, Kind.TODO, Kind.GATE, Kind.VISION, Kind.PROPOSAL})
_FORWARD_ONLY = frozenset(
    {
        Kind.COMPLETION,
        Kind.DECISION,
        Kind.CRITERION,
        Kind.EVIDENCE,
        Kind.LEASE,
        Kind.TURN,
        Kind.MONITOR,
        Kind.EFFECT,
        Kind.HANDOFF,
        Kind.BASELINE,
        Kind.CLOSURE,
        Kind.RUN,
        Kind.STEP,
        Kind.TRACE,
    }
)
_PER_GOAL = frozenset({Kind.VISION, Kind.CRITERION, Kind.BASELINE})
