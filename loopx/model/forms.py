"""The forms a value may take: types with a rule attached, checked by pydantic at the door.

Each form tells pydantic its rule when asked, so that importing this module imports no pydantic.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from loopx.model import ids
from loopx.model.defining import dataclass
from loopx.model.times import parse_instant

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


@dataclass(frozen=True, slots=True)
class TextForm:
    """Text of a bounded length (characters) and, where given, a pattern; ``about`` says in words what is wanted."""

    about: str
    pattern: str | None = None
    at_least: int = 1
    at_most: int | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema: Any = handler(source)
        schema["min_length"] = self.at_least
        if self.at_most is not None:
            schema["max_length"] = self.at_most
        if self.pattern is not None:
            schema["pattern"] = self.pattern
        return schema  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class InstantForm:
    """An instant with an offset; a text without one is refused rather than guessed at."""

    about: str = "a time with an offset, such as 2026-01-02T03:04:05Z"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        def read(value: Any) -> Any:
            if isinstance(value, str):
                return parse_instant(value)
            raise ValueError(f"{value!r} is not {self.about}")

        return core_schema.no_info_before_validator_function(read, handler(source))


@dataclass(frozen=True, slots=True)
class CountForm:
    """A number that counts from 1, so that 0 is never taken for one that is missing."""

    about: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema: Any = handler(source)
        schema["ge"] = 1
        return schema  # type: ignore[no-any-return]


Instant = Annotated[datetime, InstantForm()]
Line = Annotated[str, TextForm("one line of text", pattern=r"^[^\r\n]*\S[^\r\n]*$", at_most=1000)]
"""A title, a question: one line, not blank."""
Text = Annotated[str, TextForm("text")]
GoalId = Annotated[str, TextForm("a goal's name: lower-case letters, digits and dashes", pattern=ids.GOAL_PATTERN)]
TodoId = Annotated[str, TextForm("a Todo id such as t-4k9x2m7q", pattern=ids.TODO_PATTERN)]
GateId = Annotated[str, TextForm("a Gate id such as g-4k9x2m7q", pattern=ids.GATE_PATTERN)]
EvidenceId = Annotated[str, TextForm("an Evidence id such as e-4k9x2m7q", pattern=ids.EVIDENCE_PATTERN)]
TurnId = Annotated[str, TextForm("a Turn id such as turn-4k9x2m7q", pattern=ids.TURN_PATTERN)]
EffectId = Annotated[str, TextForm("an Effect id such as x-4k9x2m7q", pattern=ids.EFFECT_PATTERN)]
HandoffId = Annotated[str, TextForm("a Handoff id such as h-4k9x2m7q", pattern=ids.HANDOFF_PATTERN)]
ProposalId = Annotated[str, TextForm("a Proposal id such as p-4k9x2m7q", pattern=ids.PROPOSAL_PATTERN)]
RunId = Annotated[str, TextForm("a run id such as run-4k9x2m7q", pattern=ids.RUN_PATTERN)]
StepId = Annotated[
    str, TextForm("a step's name: lower-case letters, digits, dots, dashes and underscores", pattern=ids.STEP_PATTERN)
]
Rev = Annotated[str, TextForm("a document revision such as r-4k9x2m7q", pattern=ids.REVISION_PATTERN)]
AgentId = Annotated[
    str, TextForm("an agent's name: lower-case letters, digits, dots and dashes", pattern=ids.AGENT_PATTERN)
]
ExecutionKey = Annotated[str, TextForm("an execution key such as k-4k9x2m7q", pattern=ids.OPERATION_PATTERN)]
CriterionId = Annotated[
    str, TextForm("a criterion's name: lower-case letters, digits and dashes", pattern=ids.CRITERION_PATTERN)
]
OperationId = Annotated[str, TextForm("an operation id such as op-4k9x2m7q", pattern=ids.OPERATION_PATTERN)]

_COMMIT = r"^[0-9a-f]{7,64}$"
ArtifactRevision = Annotated[str, TextForm("a commit of the project", pattern=_COMMIT)]
"""Which artifact was validated or delivered. Says nothing about a revision of the workspace, nor about a lease."""
ProviderRevision = Annotated[str, TextForm("a revision of the workspace: a commit of .loopx", pattern=_COMMIT)]
"""Which state a decision or a write was based on."""
FROM_ONE = CountForm("a number from 1")
ActorName = Annotated[
    str, TextForm("human:NAME or agent:ID", pattern=r"^(?:human:[^\r\n]*\S[^\r\n]*|agent:[a-z0-9][a-z0-9._-]*)$")
]
