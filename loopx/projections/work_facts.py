"""What pages may know of the work on one Goal: the decision for each agent, what is owed, and everything that is open.

Filled by ``workspace`` for pages alone; a brief survey has none of it. Instants are told as they stand, never as a
length of time from now, so that a page changes when a fact does and not because the clock went on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from loopx.model.defining import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFacts:
    """What one rule of the order said, and the facts it looked at, in words."""

    rule: str
    is_match: bool
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObligationFacts:
    """What somebody owes before other work."""

    id: str
    kind: str
    trigger: str
    owner: str
    message: str
    discharged_by: str
    goal: str = ""
    subjects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionFacts:
    """What may happen now for one agent, or for people where no agent takes part. ``mode`` is ``refused`` where nothing
    could be decided."""

    agent: str
    """Empty: for nobody in particular."""
    mode: str
    reason: str
    message: str
    action: str = ""
    commands: tuple[str, ...] = ()
    spending: str = ""
    """When slots may be spent."""
    question: str = ""
    """What a person is asked; empty when nothing is."""
    ended_by: str = ""
    """The fact that ends the wait, with who owns it; empty when nothing is waited for."""
    about: str = ""
    """The id of what the mode is about."""
    obligations: tuple[str, ...] = ()
    """Ids of the obligations that stand in the way."""
    trace: tuple[StepFacts, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseFacts:
    """A lease that was not given back. Whether it lives is told by the clock: see ``expires_at``."""

    todo: str
    owner: str
    epoch: int
    version: int
    acquired_at: datetime
    renewed_at: datetime
    expires_at: datetime
    write_scopes: tuple[str, ...] = ()
    is_from_future: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """One turn, open or ended."""

    id: str
    agent: str
    status: str
    opened_at: datetime
    todo: str = ""
    obligation: str = ""
    ended_at: datetime | None = None
    scale: str = ""
    outcome: str = ""
    claimed: str = ""
    """The outcome that was claimed, where it was recorded lower."""
    delta: tuple[str, ...] = ()
    checkpoint: str = ""
    slots: int = 0
    next_action: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowFacts:
    """The quota and what is spent of it."""

    spent: int
    limit: int
    hours: int
    frees_at: datetime | None = None
    """When a slot is free again, where it is used up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GapFacts:
    """What is missing between an agent's Vision and its work."""

    agent: str
    code: str
    message: str
    discharged_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorFacts:
    """A Todo that watches something. ``next_due_at`` is ``None`` when nobody is to look any more."""

    todo: str
    title: str
    target: str = ""
    cadence: str = ""
    next_due_at: datetime | None = None
    expires_at: datetime | None = None
    polls: int = 0
    unchanged: int = 0
    dead: int = 0
    last_polled_at: datetime | None = None
    last_seen: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectFacts:
    """An act on the outside of which something is not known yet."""

    id: str
    summary: str
    status: str
    agent: str
    todo: str = ""
    readback: str = ""
    readback_due_at: datetime | None = None
    opened_at: datetime | None = None
    unconfirmed: tuple[str, ...] = ()
    """Follow-ups nobody has seen to hold."""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffFacts:
    """Work on offer from one hand to another."""

    id: str
    sender: str
    receiver: str
    """Empty: anybody."""
    todos: tuple[str, ...] = ()
    next_action: str = ""
    created_at: datetime | None = None
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalFacts:
    """A direction nobody has decided on: it has no authority."""

    id: str
    title: str
    proposed_by: str = ""
    created_at: datetime | None = None
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningFacts:
    """A step that is carried out now: since when, and the how manyth time."""

    id: str
    since: datetime | None = None
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """A plan whose run has not ended."""

    id: str
    todo: str
    objective: str
    status: str
    complete: int
    """Steps that are complete, of those that count."""
    counting: int
    running: tuple[RunningFacts, ...] = ()
    """Steps that are carried out now."""
    gate: str = ""
    """What a person is asked by; empty when nobody is."""
    started_by: str = ""
    started_at: datetime | None = None
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFacts:
    """Everything about the work on one Goal. Counts beside lists that are cut: how many more there are."""

    decisions: tuple[DecisionFacts, ...] = ()
    obligations: tuple[ObligationFacts, ...] = ()
    leases: tuple[LeaseFacts, ...] = ()
    turns: tuple[TurnFacts, ...] = ()
    """Open ones first, then the last that ended, newest first."""
    runs: tuple[RunFacts, ...] = ()
    window: WindowFacts | None = None
    gaps: tuple[GapFacts, ...] = ()
    monitors: tuple[MonitorFacts, ...] = ()
    effects: tuple[EffectFacts, ...] = ()
    handoffs: tuple[HandoffFacts, ...] = ()
    proposals: tuple[ProposalFacts, ...] = ()
    truncated: Mapping[str, int] = field(default_factory=dict)
