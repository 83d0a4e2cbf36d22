"""Every lifecycle as a table anyone can read, and the one function that applies them.

A pair of statuses that stands in no table is refused with ``transition-illegal``. Nothing else in the kernel writes a
status of a document that exists. The reference page and its diagram are generated from the tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from loopx.kernel.outcome import Refused, Update
from loopx.kernel.wording import refuse
from loopx.model.defining import dataclass
from loopx.model.entities import goal_of, identity, kind_of
from loopx.model.gate import Gate, GateStatus
from loopx.model.goal import Goal, GoalStatus
from loopx.model.kind import Kind
from loopx.model.todo import Todo, TodoStatus
from loopx.model.vision import Vision, VisionStatus

if TYPE_CHECKING:
    from loopx.model.effect import Effect
    from loopx.model.handoff import Handoff
    from loopx.model.lease import Lease
    from loopx.model.proposal import Proposal
    from loopx.model.turn import Turn

    Living = Goal | Todo | Gate | Vision | Effect | Handoff | Proposal | Lease | Turn


class Who(StrEnum):
    """Who may bring a transition about."""

    ANYBODY = "anybody"
    PERSON = "person"
    """A human, and an operator where the workspace names operators."""
    OWNER = "owner"
    """A human, or the agent the document belongs to (it asked, it claims, it acts, it is the one addressed)."""


class Guard(StrEnum):
    """What must hold beyond the pair of statuses."""

    NONE = "none"
    REASON = "reason"
    """A reason in words."""
    CONDITION = "condition"
    """A wake condition that can come true."""
    FENCE = "fence"
    """Nobody else executes the Todo under a live lease or claims it, the actor is not excluded, and it shows the key of
    its own lease where the policy asks for one."""
    COMPLETION = "completion"
    """The fence; dependencies done; required decisions approved; the declared validation passed."""
    CANCELLATION = "cancellation"
    """A reason; the fence, except for an operator."""
    SUCCESSOR = "successor"
    """The fence; successors that are open and do not lead back."""
    ANSWER = "answer"
    """A reason, an option where options are offered, and a channel that shows a person answered."""
    OUTCOME = "outcome"
    """Evidence of what became of it: evidence on record, or words that are kept as an observation."""
    AUDIT = "audit"
    """A clean terminal audit; for `no_followup` also a reason. To give the Goal up, a person and a reason."""
    ABANDONMENT = "abandonment"
    """A reason; it is given up, and what stays open is listed."""
    PROOF = "proof"
    """The execution key of the live lease; an operator needs none."""
    FREE = "free"
    """The Todo is open and nobody else's, the key is fresh, and no live lease may write the same paths."""
    DELIVERY = "delivery"
    """The fence; the declared validation passed where the work is done; the obligation named is discharged."""
    TODAY = "today"
    """Everything that guards the work today: an active Goal, open Todos, no exclusion, claim or lease in the way."""


@dataclass(frozen=True, slots=True)
class Transition:
    """One allowed change: by which commands (as typed), by whom, under which guard."""

    commands: tuple[str, ...]
    who: Who = Who.ANYBODY
    guard: Guard = Guard.NONE


def _person(*commands: str, guard: Guard = Guard.NONE) -> Transition:
    return Transition(commands, Who.PERSON, guard)


GOAL: Mapping[tuple[GoalStatus, GoalStatus], Transition] = MappingProxyType(
    {
        (GoalStatus.DRAFT, GoalStatus.ACTIVE): _person("goal activate"),
        (GoalStatus.DRAFT, GoalStatus.STOPPED): _person("goal stop"),
        (GoalStatus.DRAFT, GoalStatus.CLOSED): _person("goal close", guard=Guard.ABANDONMENT),
        (GoalStatus.ACTIVE, GoalStatus.PAUSED): _person("goal pause"),
        (GoalStatus.ACTIVE, GoalStatus.STOPPED): _person("goal stop"),
        (GoalStatus.ACTIVE, GoalStatus.CLOSED): Transition(("goal close",), guard=Guard.AUDIT),
        (GoalStatus.PAUSED, GoalStatus.ACTIVE): _person("goal resume", "goal activate"),
        (GoalStatus.PAUSED, GoalStatus.STOPPED): _person("goal stop"),
        (GoalStatus.PAUSED, GoalStatus.CLOSED): _person("goal close", guard=Guard.ABANDONMENT),
        (GoalStatus.STOPPED, GoalStatus.ACTIVE): _person("goal activate"),
        (GoalStatus.STOPPED, GoalStatus.CLOSED): _person("goal close", guard=Guard.ABANDONMENT),
        (GoalStatus.CLOSED, GoalStatus.ACTIVE): _person("goal reopen", guard=Guard.REASON),
    }
)
"""The life of a Goal. Only an active one is achieved or ends with nothing to follow; pausing or stopping is no end. A
closed one is worked on again only after a person reopened it."""

_CANCEL = ("todo cancel", "goal close")
"""Closing a Goal ends the monitors in it that only watch."""

TODO: Mapping[tuple[TodoStatus, TodoStatus], Transition] = MappingProxyType(
    {
        (TodoStatus.OPEN, TodoStatus.BLOCKED): Transition(("todo block",), guard=Guard.REASON),
        (TodoStatus.OPEN, TodoStatus.DEFERRED): Transition(("todo defer",), guard=Guard.CONDITION),
        (TodoStatus.OPEN, TodoStatus.DONE): Transition(("todo done",), guard=Guard.COMPLETION),
        (TodoStatus.OPEN, TodoStatus.SUPERSEDED): Transition(("todo supersede",), guard=Guard.SUCCESSOR),
        (TodoStatus.OPEN, TodoStatus.CANCELLED): Transition(_CANCEL, guard=Guard.CANCELLATION),
        (TodoStatus.BLOCKED, TodoStatus.OPEN): Transition(("todo resume",)),
        (TodoStatus.BLOCKED, TodoStatus.DEFERRED): Transition(("todo defer",), guard=Guard.CONDITION),
        (TodoStatus.BLOCKED, TodoStatus.SUPERSEDED): Transition(("todo supersede",), guard=Guard.SUCCESSOR),
        (TodoStatus.BLOCKED, TodoStatus.CANCELLED): Transition(_CANCEL, guard=Guard.CANCELLATION),
        (TodoStatus.DEFERRED, TodoStatus.OPEN): Transition(("todo resume",)),
        (TodoStatus.DEFERRED, TodoStatus.BLOCKED): Transition(("todo block",), guard=Guard.REASON),
        (TodoStatus.DEFERRED, TodoStatus.SUPERSEDED): Transition(("todo supersede",), guard=Guard.SUCCESSOR),
        (TodoStatus.DEFERRED, TodoStatus.CANCELLED): Transition(_CANCEL, guard=Guard.CANCELLATION),
        (TodoStatus.DONE, TodoStatus.OPEN): _person("todo reopen", guard=Guard.REASON),
        (TodoStatus.SUPERSEDED, TodoStatus.OPEN): _person("todo reopen", guard=Guard.REASON),
        (TodoStatus.CANCELLED, TodoStatus.OPEN): _person("todo reopen", guard=Guard.REASON),
    }
)
"""The life of a Todo. Only open work is completed; whatever closed is reopened by a person or not at all."""

GATE: Mapping[tuple[GateStatus, GateStatus], Transition] = MappingProxyType(
    {
        (GateStatus.OPEN, GateStatus.APPROVED): _person("gate approve", guard=Guard.ANSWER),
        (GateStatus.OPEN, GateStatus.REJECTED): _person("gate reject", guard=Guard.ANSWER),
        (GateStatus.OPEN, GateStatus.DEFERRED): _person("gate defer", guard=Guard.ANSWER),
        (GateStatus.OPEN, GateStatus.WITHDRAWN): Transition(("gate withdraw",), Who.OWNER),
        (GateStatus.DEFERRED, GateStatus.APPROVED): _person("gate approve", guard=Guard.ANSWER),
        (GateStatus.DEFERRED, GateStatus.REJECTED): _person("gate reject", guard=Guard.ANSWER),
        (GateStatus.DEFERRED, GateStatus.WITHDRAWN): Transition(("gate withdraw",), Who.OWNER),
        (GateStatus.APPROVED, GateStatus.REJECTED): _person("gate reject", guard=Guard.ANSWER),
        (GateStatus.REJECTED, GateStatus.APPROVED): _person("gate approve", guard=Guard.ANSWER),
    }
)
"""The life of a Gate. A person may change an answer. ``expired`` is what an approval looks like once its
``valid_until`` has passed: the clock says so, no command writes it, and a passed deadline approves nothing."""

_ENDING_A_VISION = Transition(("vision retire",), Who.OWNER)
_NOTHING_FOLLOWS = Transition(("vision retire",), Who.OWNER, Guard.REASON)
_WRITING_A_VISION = Transition(("vision set",), Who.OWNER)

VISION: Mapping[tuple[VisionStatus, VisionStatus], Transition] = MappingProxyType(
    {
        (VisionStatus.ACTIVE, VisionStatus.CLOSED): _ENDING_A_VISION,
        (VisionStatus.ACTIVE, VisionStatus.RETIRED): _ENDING_A_VISION,
        (VisionStatus.ACTIVE, VisionStatus.SUPERSEDED): _ENDING_A_VISION,
        (VisionStatus.ACTIVE, VisionStatus.NO_FOLLOWUP): _NOTHING_FOLLOWS,
        (VisionStatus.CLOSED, VisionStatus.ACTIVE): _WRITING_A_VISION,
        (VisionStatus.CLOSED, VisionStatus.RETIRED): _ENDING_A_VISION,
        (VisionStatus.CLOSED, VisionStatus.SUPERSEDED): _ENDING_A_VISION,
        (VisionStatus.CLOSED, VisionStatus.NO_FOLLOWUP): _NOTHING_FOLLOWS,
        (VisionStatus.RETIRED, VisionStatus.ACTIVE): _WRITING_A_VISION,
        (VisionStatus.RETIRED, VisionStatus.NO_FOLLOWUP): _NOTHING_FOLLOWS,
        (VisionStatus.SUPERSEDED, VisionStatus.ACTIVE): _WRITING_A_VISION,
        (VisionStatus.SUPERSEDED, VisionStatus.NO_FOLLOWUP): _NOTHING_FOLLOWS,
        (VisionStatus.NO_FOLLOWUP, VisionStatus.ACTIVE): _WRITING_A_VISION,
    }
)
"""The life of a Vision. It is closed when its part is reached, retired when it no longer holds, superseded when another
agent's takes its place, and no_followup when nothing comes after it. Writing one that ended brings it back."""

EFFECT: Mapping[tuple[str, str], Transition] = MappingProxyType(
    {
        ("unknown", "confirmed"): Transition(("effect settle",), Who.OWNER, Guard.OUTCOME),
        ("unknown", "absent"): Transition(("effect settle",), Who.OWNER, Guard.OUTCOME),
        ("confirmed", "compensated"): Transition(("effect settle",), Who.OWNER, Guard.OUTCOME),
    }
)
"""What is known of an effect. Unknown is not failed: only evidence leads out of it, and what happened stays so."""

LEASE: Mapping[tuple[str, str], Transition] = MappingProxyType(
    {
        ("active", "released"): Transition(
            ("lease release", "todo done", "todo supersede", "todo cancel"), Who.OWNER, Guard.PROOF
        ),
        ("released", "active"): Transition(("lease acquire",), guard=Guard.FREE),
    }
)
"""The life of a lease. Its record stays and goes on in the next epoch. ``expired`` is what the clock makes of an active
one: no command writes it, and taking the Todo over from there is an acquire like any other."""

TURN: Mapping[tuple[str, str], Transition] = MappingProxyType(
    {
        ("open", "settled"): Transition(("refresh-state",), Who.OWNER, Guard.DELIVERY),
        ("open", "voided"): Transition(("turn void",), Who.OWNER, Guard.REASON),
    }
)
"""The life of a turn. What was settled stays settled: its spend is taken back by a compensating entry, not its end."""

HANDOFF: Mapping[tuple[str, str], Transition] = MappingProxyType(
    {
        ("offered", "accepted"): Transition(("handoff accept",), Who.OWNER, Guard.TODAY),
        ("offered", "declined"): Transition(("handoff decline",), Who.OWNER, Guard.REASON),
    }
)
"""The life of a handoff. It is answered once; whoever has to ask again makes a new one."""

PROPOSAL: Mapping[tuple[str, str], Transition] = MappingProxyType(
    {
        ("proposed", "accepted"): _person("proposal accept"),
        ("proposed", "rejected"): Transition(("proposal reject",), Who.OWNER, Guard.REASON),
    }
)
"""The life of a proposal. Accepting it makes a Todo, which lives by itself from then on."""

TABLES: Mapping[Kind, Mapping[tuple[Any, Any], Transition]] = MappingProxyType(
    {
        Kind.GOAL: GOAL,
        Kind.TODO: TODO,
        Kind.GATE: GATE,
        Kind.VISION: VISION,
        Kind.EFFECT: EFFECT,
        Kind.LEASE: LEASE,
        Kind.TURN: TURN,
        Kind.HANDOFF: HANDOFF,
        Kind.PROPOSAL: PROPOSAL,
    }
)
"""All of them, by the kind of document they rule. Those that few commands meet name statuses by their words, so that
their classes need not be loaded for the others."""


def move(entity: Living, to: StrEnum, command: str | None = None, **values: Any) -> Update | Refused:
    """The change that brings ``entity`` to the status ``to`` and sets ``values`` with it.

    ``command`` is the verb as typed; ``None`` (a hand edit, already judged) takes any. ``values`` that the entity
    holds already are left out, and ``None`` stands for a field's default.
    """
    found = TABLES[kind_of(entity)].get((entity.status, to))
    if found is None or (command is not None and command not in found.commands):
        return _illegal(entity, to)
    return update(entity, status=to, **values)


def update(entity: Living, **values: Any) -> Update:
    """The change that sets ``values`` on ``entity``, without those it holds already."""
    defaults = {each.name: each.default for each in fields(entity) if each.default is not MISSING}
    wanted = {name: defaults.get(name) if value is None else value for name, value in values.items()}
    changed = {name: value for name, value in wanted.items() if getattr(entity, name) != value}
    return Update(kind_of(entity), goal_of(entity), identity(entity), changed)


def transition(kind: Kind, before: StrEnum, after: StrEnum) -> Transition | None:
    """The table's line for a change of status; ``None`` where there is none."""
    return TABLES[kind].get((before, after))


def _illegal(entity: Living, to: StrEnum) -> Refused:
    kind, subject, now = kind_of(entity), identity(entity), entity.status
    ways = [f"{after} (loopx {line.commands[0]})" for (before, after), line in TABLES[kind].items() if before == now]
    hint = f"From {now} it can become {', '.join(ways)}." if ways else f"Nothing leads out of {now}."
    message = f"{kind.capitalize()} {subject} is {now} and cannot become {to} this way."
    return refuse("transition-illegal", message, hint, field="status", id=subject, status=now.value, to=to.value)
