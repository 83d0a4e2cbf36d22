"""Proposals about Turns: opening one, and the controlled writeback that settles it."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

from loopx.kernel.commands.base import Command
from loopx.model.defining import dataclass

if TYPE_CHECKING:
    from loopx.model.records import Evidence
    from loopx.model.turn import DeliveryOutcome, PathDelta, Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTurn(Command):
    """Begin one bounded piece of work on a Todo, or on an obligation."""

    name: ClassVar[str] = "turn open"
    goal: str
    todo: str | None = None
    obligation: str | None = None
    agent: str | None = None
    """``None``: the actor. A person may open one for an agent."""
    slots: int = 1
    """Slots of the quota after which it is to be settled."""
    lease_key: str | None = None
    basis: str | None = None
    """The revision it was decided on; put in by the workspace, not part of the request's digest."""

    @property
    def subject(self) -> str:
        return self.todo or self.goal


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoSettlement:
    """What becomes of the Turn's Todo, which otherwise stays open. At most one of ``done``, ``blocked``,
    ``deferred_until``, ``cancelled`` and ``superseded_by``."""

    done: bool = False
    blocked: str | None = None
    """Why it cannot go on."""
    deferred_until: str | None = None
    """A wake condition."""
    cancelled: str | None = None
    """Why it is given up."""
    superseded_by: tuple[str, ...] = ()
    """Titles of Todos to add, or ids of existing ones, that replace it."""
    successors: tuple[str, ...] = ()
    """Titles of Todos to add that carry the work on; where the Todo is done, ids of existing ones as well."""
    no_follow_up: str | None = None
    """Why nothing follows: of the Todo that is done, or of what the Turn's obligation asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionSettlement:
    """What the Turn says of its agent's Vision: a patch (fields left ``None`` stay), unchanged, or retired."""

    summary: str | None = None
    role_scope: str | None = None
    acceptance: str | None = None
    advancement: str | None = None
    replan_trigger: str | None = None
    dreaming: str | None = None
    last_patch: str | None = None
    unchanged_reason: str | None = None
    retired_reason: str | None = None

    @property
    def patch(self) -> dict[str, str]:
        """The fields to write."""
        names = ("summary", "role_scope", "acceptance", "advancement", "replan_trigger", "dreaming", "last_patch")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleTurn(Command):
    """The controlled writeback: evidence, Todo, Vision, successor or no-follow-up, next action and spend in one commit,
    or nothing. Without an open Turn one is opened and settled at once."""

    name: ClassVar[str] = "refresh-state"
    goal: str
    turn: str | None = None
    """The Turn settled; ``None``: the agent's open one, else a new one."""
    todo: str | None = None
    """``None``: the Turn's. Naming another than the Turn's is refused."""
    obligation: str | None = None
    """Without an open Turn: the obligation the new one is for, instead of a Todo."""
    agent: str | None = None
    scale: Scale
    outcome: DeliveryOutcome
    settlement: TodoSettlement = field(default_factory=TodoSettlement)
    vision: VisionSettlement = field(default_factory=VisionSettlement)
    path_delta: PathDelta | None = None
    evidence: tuple[str, ...] = ()
    """Evidence ids, or words (kept as an observation of the actor)."""
    negative: tuple[str, ...] = ()
    """What turned out not to be so, in words: kept as negative results of the actor."""
    meets: tuple[str, ...] = ()
    """Criteria met by the evidence cited."""
    next_action: str | None = None
    spend: int | None = None
    """Slots used; ``None``: one where something was delivered, none where nothing was."""
    note: str | None = None
    lease_key: str | None = None
    validation: Evidence | None = None
    """Result of the Todo's declared validation; LoopX makes it, callers do not. Not part of the digest."""
    validated_on: str | None = None
    """What the Todo was when that validation began, as a digest; LoopX puts it in. Not part of the digest."""
    checks: tuple[Evidence, ...] = ()
    """Results of the checks of the criteria in ``meets``; LoopX makes them. Not part of the digest."""
    basis: str | None = None
    """The revision a Turn opened here is decided on; put in by the workspace, not part of the digest."""

    @property
    def subject(self) -> str:
        return self.turn or self.todo or self.goal


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidTurn(Command):
    """End an open Turn without a delivery; or, for a person, take back the spend of a settled one."""

    name: ClassVar[str] = "turn void"
    turn: str
    reason: str

    @property
    def subject(self) -> str:
        return self.turn
