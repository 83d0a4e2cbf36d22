"""The decision as a record: one mode, one reason, three channels, and where it all comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from loopx.kernel.obligations.record import Obligation
from loopx.model.defining import dataclass


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


NO_FACTS: Mapping[str, Any] = MappingProxyType({})

OPEN_COUNTS = ("open", "blocked", "deferred", "gates", "due_monitors", "obligations", "unknown_effects")
"""Counts that are all zero once a Goal has ended."""


class UserChannel(NamedTuple):
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


class CliChannel(NamedTuple):
    """The exact next commands, ids filled in, and when spending is allowed."""

    commands: tuple[str, ...] = ()
    spend_allowed: bool = False
    spend_when: str = ""


class Selected(NamedTuple):
    """What the mode is about. ``kind`` is todo, monitor, gate, turn, obligation, effect or goal."""

    kind: str
    id: str
    title: str = ""
    facts: Mapping[str, Any] = NO_FACTS


class GateLine(NamedTuple):
    """A Gate that bears on the Goal: open, or answered and no longer covering."""

    id: str
    scope: str
    question: str
    status: str
    blocks: int | None = None
    """Todos that wait for it; ``None`` where that was not counted."""


class Scheduler(NamedTuple):
    """When to look again and why: a hint, not authority. ``ended_by`` names the fact that ends the wait."""

    after_seconds: int
    why: str
    look_again_at: datetime | None = None
    ended_by: str = ""
    owner: str = ""
    """Who owns that fact."""


class Step(NamedTuple):
    """What one rule of the order said."""

    rule: str
    is_match: bool
    facts: Mapping[str, Any] = NO_FACTS


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

    def __post_init__(self) -> None:
        for wrong in _contradictions(self):
            raise ValueError(f"no decision to {self.mode}: {wrong}")


_SPENDING = frozenset({Mode.DELIVER, Mode.OBSERVE, Mode.REPLAN, Mode.SETTLE})
"""Modes in which slots may be spent; settling spends what a turn delivered before."""
_DELIVERING = frozenset({Mode.DELIVER})
_STILL = frozenset({Mode.STOPPED, Mode.TERMINAL, Mode.THROTTLED, Mode.WAIT, Mode.WAIT_FOR_PEERS})
"""Modes that end by a fact somebody else brings about, or time."""


def _contradictions(decision: Decision) -> Iterator[str]:
    """What makes a decision impossible to build, one clause each."""
    left = [name for name, count in decision.counts.items() if count and name in OPEN_COUNTS]
    if decision.mode is Mode.TERMINAL and (left or decision.obligations or decision.gates):
        yield f"something is open ({', '.join(left) or 'obligations or gates'})"
    if decision.channel.delivery_allowed is not (decision.mode in _DELIVERING):
        yield "delivery is allowed in deliver and nowhere else"
    if decision.cli.spend_allowed and decision.mode not in _SPENDING:
        yield "nothing may be spent in it"
    if decision.mode in _STILL and not (decision.channel.quiet_allowed and decision.scheduler.ended_by):
        yield "a wait is quiet and names the fact that ends it"
    if decision.mode in _STILL and not decision.scheduler.owner:
        yield "a wait names who owns the fact that ends it"
    if decision.mode is Mode.ASK_USER and not decision.user.question:
        yield "a person is asked a question"
