"""The decision as a record: one mode, one reason, three channels, and where it all comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from loopx.kernel.obligations.record import Obligation


class Mode(StrEnum):
    """What is called for. Exactly one holds."""

    STOPPED = "stopped"
    TERMINAL = "terminal"
    SELF_REPAIR = "self_repair"
    RECONCILE = "reconcile"
    REPLAN = "replan"
    SETTLE = "settle"
    THROTTLED = "throttled"
    OBSERVE = "observe"
    DELIVER = "deliver"
    ASK_USER = "ask_user"
    REPAIR_CAPABILITY = "repair_capability"
    WAIT_FOR_PEERS = "wait_for_peers"
    WAIT = "wait"
    CLOSE_OUT = "close_out"


@dataclass(frozen=True, slots=True)
class UserChannel:
    """What a person has to do with it. ``notify`` never decides whether the agent may run."""

    action_required: bool = False
    notify: bool = False
    question: str | None = None
    """The concrete question, with the command that answers it."""


@dataclass(frozen=True, slots=True)
class AgentChannel:
    """What the agent does. ``must_attempt`` and ``quiet_allowed`` are never both true."""

    must_attempt: bool
    delivery_allowed: bool
    quiet_allowed: bool
    primary_action: str
    """One sentence."""

    def __post_init__(self) -> None:
        if self.must_attempt and self.quiet_allowed:
            raise ValueError("an agent that must attempt something may not stay quiet")


@dataclass(frozen=True, slots=True)
class CliChannel:
    """The exact next commands, ids filled in, and when spending is allowed."""

    commands: tuple[str, ...] = ()
    spend_allowed: bool = False
    spend_when: str = ""


@dataclass(frozen=True, slots=True)
class Selected:
    """What the mode is about. ``kind`` is todo, monitor, gate, turn, obligation, effect or goal."""

    kind: str
    id: str
    title: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GateLine:
    """A Gate that bears on the Goal: open, or answered and no longer covering."""

    id: str
    scope: str
    question: str
    status: str
    blocks: int = 0
    """Todos that wait for it."""


@dataclass(frozen=True, slots=True)
class Scheduler:
    """When to look again and why: a hint, not authority. ``ended_by`` names the fact that ends the wait."""

    after_seconds: int
    why: str
    look_again_at: datetime | None = None
    ended_by: str = ""
    owner: str = ""
    """Who owns that fact."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one rule of the order said."""

    rule: str
    is_match: bool
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision. ``reason`` is a code in kebab-case, ``message`` one sentence."""

    goal: str
    agent: str
    mode: Mode
    reason: str
    message: str
    user: UserChannel
    channel: AgentChannel
    cli: CliChannel
    scheduler: Scheduler
    selected: Selected | None = None
    obligations: tuple[Obligation, ...] = ()
    gates: tuple[GateLine, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    """Open, blocked, deferred, runnable, due monitors…: over the whole Goal, never over a visible slice."""
    revision: str | None = None
    at: datetime | None = None
    trace: tuple[Step, ...] = ()
