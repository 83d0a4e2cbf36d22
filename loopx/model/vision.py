"""A Vision: one agent's route towards a Goal, within a budget of characters."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import human, lifecycle, machine
from loopx.model.forms import AgentId, GoalId, Instant, Line, Rev, Text
from loopx.model.kind import Kind


class VisionStatus(StrEnum):
    """Where a Vision is in its life; the transitions are a table in ``kernel``."""

    ACTIVE = "active"
    CLOSED = "closed"
    RETIRED = "retired"
    SUPERSEDED = "superseded"
    NO_FOLLOWUP = "no_followup"


class Advancement(StrEnum):
    """How the agent goes on."""

    AS_NEEDED = "as_needed"
    REPEAT_UNTIL_CLOSED = "repeat_until_closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vision:
    """One agent's route. Over a budget is refused, never cut."""

    KIND: ClassVar[Kind] = Kind.VISION

    agent: AgentId = machine("whose route it is; equals the file's name")
    rev: Rev | None = machine("renewed by each command's write; says which version an editor holds", default=None)
    status: VisionStatus = lifecycle("active, closed, retired, superseded or no_followup", default=VisionStatus.ACTIVE)
    summary: Text = human("the route (420 characters)")
    role_scope: str | None = human("what this agent is for (280)", default=None)
    acceptance: str | None = human("how it tells that it arrived (420)", default=None)
    advancement: Advancement = human("as_needed or repeat_until_closed", default=Advancement.AS_NEEDED)
    replan_trigger: str | None = human("what would change the route (240)", default=None)
    dreaming: str | None = human("directions without authority (240)", default=None)
    last_patch: str | None = human("what changed last (240)", default=None)
    reason: Line | None = human("why it was retired", default=None)
    created_at: Instant | None = machine("when it was first set", default=None)
    goal: GoalId = field(default="", metadata={"from_path": True})
    body: str = field(default="", metadata={"body": True})


VISION_BUDGETS = {
    "summary": 420,
    "role_scope": 280,
    "acceptance": 420,
    "replan_trigger": 240,
    "dreaming": 240,
    "last_patch": 240,
}
"""Characters each field may hold."""

VISION_TOTAL = 1200
"""Characters all of them together may hold."""
