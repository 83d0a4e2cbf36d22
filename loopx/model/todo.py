"""A Todo: one piece of work of a Goal, in a file of its own."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import Merge, human, lifecycle, machine
from loopx.model.forms import AgentId, CriterionId, GoalId, Instant, Line, Rev, Text, TodoId
from loopx.model.kind import Kind


class TodoStatus(StrEnum):
    """Where a Todo is in its life; the transitions are a table in ``kernel``."""

    OPEN = "open"
    BLOCKED = "blocked"
    DEFERRED = "deferred"
    DONE = "done"
    SUPERSEDED = "superseded"
    CANCELLED = "cancelled"

    @property
    def is_closed(self) -> bool:
        return self in (TodoStatus.DONE, TodoStatus.SUPERSEDED, TodoStatus.CANCELLED)


class TodoClass(StrEnum):
    """What sort of work it is."""

    ADVANCEMENT = "advancement"
    MONITOR = "monitor"
    USER_ACTION = "user_action"
    BLOCKER = "blocker"


class Priority(StrEnum):
    """p0 is the most urgent."""

    P0 = "p0"
    P1 = "p1"
    P2 = "p2"
    P3 = "p3"
    P4 = "p4"


class Continuation(StrEnum):
    """Who may take up what follows."""

    INDEPENDENT_HANDOFF = "independent_handoff"
    SAME_AGENT = "same_agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """A command whose exit status says whether the work is done: an argument list, run without a shell."""

    argv: tuple[Text, ...] = human("program and arguments; no shell")
    label: str | None = human("a name for reports", default=None)
    timeout_seconds: int = human("time limit in seconds", default=600)
    rests_on: tuple[Line, ...] = human("files it rests on beyond the write scopes: paths, or patterns", default=())
    variables: tuple[Line, ...] = human("environment variables it rests on; never secret ones", default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Todo:
    """One piece of work. ``goal`` comes from the folder, ``body`` is the text below the header."""

    KIND: ClassVar[Kind] = Kind.TODO

    id: TodoId = machine("identity; the file name is not")
    rev: Rev | None = machine("renewed by each command's write; says which version an editor holds", default=None)
    title: Line = human("what is to be done, in one line")
    status: TodoStatus = lifecycle("open, blocked, deferred, done, superseded or cancelled", default=TodoStatus.OPEN)
    todo_class: TodoClass = human("the sort of work", default=TodoClass.ADVANCEMENT, key="class")
    priority: Priority = human("p0 (most urgent) to p4", default=Priority.P2)
    tags: tuple[Line, ...] = human("free labels", default=(), merge=Merge.SET)
    claimed_by: AgentId | None = lifecycle("who means to do it", default=None)
    claimed_at: Instant | None = machine("when the claim was made; a claim nobody acts on lapses", default=None)
    depends_on: tuple[TodoId, ...] = human("Todos that must be done first", default=(), merge=Merge.SET, guard=True)
    requires: tuple[Line, ...] = human(
        "decision scopes (kind:granularity:key) an approved Gate must cover", default=(), merge=Merge.SET, guard=True
    )
    resume_when: Line | None = human(
        "what ends a deferral: todo_done:ID, gate_approved:ID, evidence:KEY, capability:NAME, at:TIME, pr_merged:#N",
        default=None,
    )
    reason: Line | None = human("why it is blocked, cancelled or reopened", default=None)
    acceptance: tuple[CriterionId, ...] = human("criteria of the Goal it advances", default=(), merge=Merge.SET)
    validation: Validation | None = human("the command that proves it done", default=None, guard=True)
    excluded_agents: tuple[AgentId, ...] = human("agents that may not take it", default=(), merge=Merge.SET, guard=True)
    capabilities: tuple[Line, ...] = human("capabilities the executor needs", default=(), merge=Merge.SET)
    repository: Line | None = human("the repository it works in", default=None)
    write_scopes: tuple[Line, ...] = human("path patterns it may write", default=(), merge=Merge.SET, guard=True)
    supersedes: tuple[TodoId, ...] = machine("Todos this one replaces", default=(), merge=Merge.SET)
    superseded_by: tuple[TodoId, ...] = machine("Todos that replace this one", default=(), merge=Merge.SET)
    successors: tuple[TodoId, ...] = machine("Todos that carry the work on", default=(), merge=Merge.SET)
    continuation: Continuation | None = human("who may take up what follows", default=None)
    created_at: Instant | None = machine("when it was added or adopted", default=None)
    target: Line | None = human("monitor: what is watched", default=None)
    cadence: Line | None = human("monitor: how often, such as 30m, 6h or 1d", default=None)
    material: Line | None = human("monitor: what counts as a change that calls for work", default=None)
    watch_only: bool = human("monitor: never raises work by itself", default=False)
    expires_at: Instant | None = human("monitor: when watching ends", default=None)
    goal: GoalId = field(default="", metadata={"from_path": True})
    body: str = field(default="", metadata={"body": True})
