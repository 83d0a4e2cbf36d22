"""Proposals that pass between people and agents: who works here, directions, and work that changes hands."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

from loopx.kernel.commands.base import Command
from loopx.model.defining import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAgent(Command):
    """Make an agent known to the workspace, or to one Goal as well."""

    name: ClassVar[str] = "agent add"
    agent: str
    capabilities: tuple[str, ...] = ()
    goal: str | None = None
    role_scope: str | None = None
    vision: str | None = None
    mode: str | None = None

    @property
    def subject(self) -> str:
        return self.agent


@dataclass(frozen=True, slots=True, kw_only=True)
class EditAgent(Command):
    """Change what is known of an agent, or of its part in ``goal``. ``fields`` maps attribute names to JSON values."""

    name: ClassVar[str] = "agent edit"
    agent: str
    goal: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    add: dict[str, tuple[str, ...]] = field(default_factory=dict)
    remove: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        return self.agent


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveAgent(Command):
    """Take an agent out of one Goal or of the workspace; its claims and leases there end."""

    name: ClassVar[str] = "agent remove"
    agent: str
    goal: str | None = None
    reason: str | None = None

    @property
    def subject(self) -> str:
        return self.agent


@dataclass(frozen=True, slots=True, kw_only=True)
class AddProposal(Command):
    name: ClassVar[str] = "proposal add"
    goal: str
    title: str
    body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptProposal(Command):
    """Take a proposal into its Goal: it becomes a Todo."""

    name: ClassVar[str] = "proposal accept"
    proposal: str

    @property
    def subject(self) -> str:
        return self.proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectProposal(Command):
    name: ClassVar[str] = "proposal reject"
    proposal: str
    reason: str

    @property
    def subject(self) -> str:
        return self.proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateHandoff(Command):
    name: ClassVar[str] = "handoff create"
    goal: str
    todos: tuple[str, ...] = ()
    to: str | None = None
    next_action: str
    stop_condition: str | None = None
    evidence: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()
    basis: str | None = None
    """The revision it is made on; put in by the workspace, not part of the request's digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptHandoff(Command):
    name: ClassVar[str] = "handoff accept"
    handoff: str

    @property
    def subject(self) -> str:
        return self.handoff


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclineHandoff(Command):
    name: ClassVar[str] = "handoff decline"
    handoff: str
    reason: str

    @property
    def subject(self) -> str:
        return self.handoff
