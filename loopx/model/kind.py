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

    @property
    def is_markdown(self) -> bool:
        """Whether the document is a header between fences and a body, rather than YAML alone."""
        return self in _MARKDOWN

    @property
    def is_forward_only(self) -> bool:
        """Whether its facts only ever move forward, so that a rollback leaves the file alone."""
        return self in _FORWARD_ONLY


_MARKDOWN = frozenset({Kind.GOAL, Kind.TODO, Kind.GATE, Kind.VISION})
_FORWARD_ONLY = frozenset({Kind.COMPLETION, Kind.DECISION, Kind.CRITERION, Kind.EVIDENCE})
