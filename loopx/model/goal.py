"""A Goal: what is to be reached, by which criteria that is judged, and within which bounds."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import Merge, human, lifecycle, machine
from loopx.model.forms import AgentId, CriterionId, GoalId, Instant, Line, Rev, Text
from loopx.model.kind import Kind
from loopx.model.policy import Ownership


class GoalStatus(StrEnum):
    """Where a Goal is in its life; the transitions are a table in ``kernel``."""

    DRAFT = "draft"
    ACTIVE = "active"
    PAUSED = "paused"
    STOPPED = "stopped"
    CLOSED = "closed"


class GoalOutcome(StrEnum):
    """How a closed Goal ended."""

    ACHIEVED = "achieved"
    NO_FOLLOWUP = "no_followup"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Readback:
    """A fact outside LoopX that must have been read lately."""

    source: Line = human("where it is read")
    fresh_for: Line = human("how long a reading counts, such as 6h")


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One acceptance criterion. Whether it is met is not written here: see ``criteria/<id>.yaml``."""

    id: CriterionId = human("its name within the Goal")
    text: Line = human("what must be true")
    check: tuple[Text, ...] | None = human("a command that checks it", default=None, guard=True)
    readback: Readback | None = human("an outside fact it rests on", default=None)


class CriterionStatus(StrEnum):
    """Whether a criterion is met."""

    OPEN = "open"
    MET = "met"
    WAIVED = "waived"


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """Where work for this Goal may reach."""

    repositories: tuple[Line, ...] = human("repositories", default=())
    write_scopes: tuple[Line, ...] = human("path patterns that may be written", default=())
    authority_sources: tuple[Line, ...] = human("documents that rule", default=())
    private_paths: tuple[Line, ...] = human("paths that stay private", default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How much work a window of time allows."""

    compute: int = human("slots a window; 0 stops the Goal", default=100)
    window_hours: int = human("length of the window", default=24)
    slot_minutes: int = human("length of one slot", default=30)


class VisionNeed(StrEnum):
    """Whether an agent must keep a Vision."""

    REQUIRED = "required"
    OPTIONAL = "optional"


class AgentMode(StrEnum):
    """What an agent does for a Goal."""

    ACTIVE = "active"
    MONITOR_ONLY = "monitor_only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """An agent that takes part in a Goal."""

    id: AgentId = human("the agent")
    role_scope: str | None = human("what it is for", default=None)
    capabilities: tuple[Line, ...] = human("what it can do", default=())
    vision: VisionNeed = human("whether it must keep a Vision", default=VisionNeed.OPTIONAL)
    mode: AgentMode = human("active or monitor_only", default=AgentMode.ACTIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalPolicies:
    """Settings of one Goal. What is left out follows the workspace, or the default named."""

    ownership: Ownership | None = human("what completing a Todo takes: none, claim or lease", default=None)
    claim_ttl_hours: int | None = human("how long a claim nobody acts on holds", default=None)
    outcome_floor_turns: int = human("turns in a row that move nothing before that is an obligation", default=3)
    replan_after_turns: int = human("turns in a row without progress before a replan is due", default=5)
    replan_after_unchanged_polls: int = human("unchanged looks of a monitor before a replan is due", default=12)
    replan_after_dead_polls: int = human("looks of a monitor that could read nothing before a replan is due", default=3)
    replan_above_open_todos: int = human("open Todos above which a replan is due", default=200)
    self_repair: bool = human("whether agents may be told to repair pages, cache and index", default=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What is to be reached. The objective is the body of ``goal.md``; ``id`` is the folder's name."""

    KIND: ClassVar[Kind] = Kind.GOAL

    id: GoalId = machine("the Goal's name; equals its folder's")
    rev: Rev | None = machine("renewed by each command's write; says which version an editor holds", default=None)
    title: Line = human("what is to be reached, in one line")
    status: GoalStatus = lifecycle("draft, active, paused, stopped or closed", default=GoalStatus.ACTIVE)
    outcome: GoalOutcome | None = machine("how a closed Goal ended", default=None)
    reason: Line | None = human("why it is paused, stopped or closed", default=None)
    acceptance: tuple[Criterion, ...] = human(
        "criteria by which it is judged", default=(), merge=Merge.KEYED, guard=True
    )
    boundary: Boundary | None = human("where work may reach", default=None, guard=True)
    quota: Quota | None = human("how much work a window allows", default=None, guard=True)
    policies: GoalPolicies | None = human("settings of this Goal", default=None, guard=True)
    agents: tuple[Participant, ...] = human("agents that take part", default=(), merge=Merge.KEYED, guard=True)
    tags: tuple[Line, ...] = human("free labels", default=(), merge=Merge.SET)
    created_at: Instant | None = machine("when it was made", default=None)
    body: str = field(default="", metadata={"body": True})
