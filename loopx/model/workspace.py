"""``workspace.yaml``: who takes part in a workspace and which policies hold in it."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import Merge, human, machine
from loopx.model.forms import AgentId, Instant, Line, Rev, Text
from loopx.model.kind import Kind
from loopx.model.policy import Ownership as Ownership

SCHEMA_VERSION = 1


class Hooks(StrEnum):
    """Whether the hooks of ``.loopx/.git`` run at each commit."""

    RUN = "run"
    SKIP = "skip"


class Durability(StrEnum):
    """What is on disk before success is reported."""

    FULL = "full"
    FAST = "fast"
    """Nothing is flushed: for throwaway workspaces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """Settings of a workspace; every one has a default a person alone never trips over."""

    ownership: Ownership = human("what completing a Todo takes: none, claim or lease", default=Ownership.NONE)
    claim_ttl_hours: int = human("how long a claim holds that no lease and no turn acts on", default=24)
    lease_ttl_minutes: int = human("how long a lease lives after a renewal, at most 1440", default=45)
    shared: bool = human(
        "whether others read this workspace, so that texts keep out machine paths and private links", default=False
    )
    hooks: Hooks = human("whether hooks of .loopx/.git run: run or skip", default=Hooks.RUN)
    hook_timeout_seconds: int = human("how long a hook may take", default=30)
    durability: Durability = human("full, or fast for throwaway workspaces", default=Durability.FULL)
    mass_deletion_share: float = human(
        "share of documents that must be missing at once to be taken for an accident", default=0.3
    )
    lock_timeout_seconds: float = human("how long a command waits for the lock", default=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEntry:
    """An agent known to the workspace."""

    id: AgentId = human("its name")
    capabilities: tuple[Line, ...] = human("what it can do", default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEntry:
    """A program steps of plans may be carried out with."""

    name: Line = human("what a step calls it")
    argv: tuple[Text, ...] = human("program and leading arguments; no shell; {model} is put in")
    instead_of: tuple[Line, ...] = human(
        "tools whose place it may take where they do not do; none: it is never put in", default=(), merge=Merge.SET
    )

    @property
    def id(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceConfig:
    """The workspace's own document."""

    KIND: ClassVar[Kind] = Kind.WORKSPACE

    version: int = machine("schema version of the files")
    id: Line = machine("identity of the workspace, the same in every clone")
    rev: Rev | None = machine("renewed by each command's write; says which version an editor holds", default=None)
    title: Line = human("what this workspace is for")
    operators: tuple[Line, ...] = human(
        "people who may decide, by e-mail or name; empty means anybody here", default=(), merge=Merge.SET, guard=True
    )
    agents: tuple[AgentEntry, ...] = human("agents that work here", default=(), merge=Merge.KEYED, guard=True)
    tools: tuple[ToolEntry, ...] = human(
        "programs steps of plans name as their tool", default=(), merge=Merge.KEYED, guard=True
    )
    models: tuple[Line, ...] = human("models steps of plans may name", default=(), merge=Merge.SET, guard=True)
    policies: Policies = human("settings", factory=Policies, guard=True)
    created_at: Instant | None = machine("when it was made", default=None)
