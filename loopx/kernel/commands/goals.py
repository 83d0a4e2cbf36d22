"""Proposals about Goals and their acceptance criteria."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

from loopx.kernel.commands.base import Command
from loopx.model.defining import dataclass

if TYPE_CHECKING:
    from loopx.model.goal import GoalStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGoal(Command):
    name: ClassVar[str] = "goal new"
    goal: str
    title: str
    objective: str = ""
    acceptance: tuple[str, ...] = ()
    """Texts of criteria; they get the ids a1, a2, …"""
    draft: bool = False
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EditGoal(Command):
    """Change fields of a Goal. ``fields`` maps attribute names to new values (JSON values, as in ``model.codec``)."""

    name: ClassVar[str] = "goal edit"
    goal: str
    fields: dict[str, Any] = field(default_factory=dict)
    add_acceptance: tuple[str, ...] = ()
    checks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Pairs of a criterion and the command that checks it; no words take a check away."""
    objective: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetGoalStatus(Command):
    """activate, pause, resume or stop a Goal."""

    name: ClassVar[str] = "goal status"
    goal: str
    verb: str
    """activate · pause · resume · stop"""
    to: GoalStatus
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeetCriterion(Command):
    name: ClassVar[str] = "goal meet"
    goal: str
    criterion: str
    evidence: tuple[str, ...] = ()
    """Evidence ids, ids of Todos done with validation, or (from a person) words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmeetCriterion(Command):
    name: ClassVar[str] = "goal unmeet"
    goal: str
    criterion: str
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiveCriterion(Command):
    name: ClassVar[str] = "goal waive"
    goal: str
    criterion: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseGoal(Command):
    """End a Goal. ``achieved`` and ``no_followup`` need a clean terminal audit; ``abandoned`` lists what stays open."""

    name: ClassVar[str] = "goal close"
    goal: str
    outcome: str
    """achieved · no_followup · abandoned"""
    reason: str | None = None
    compensations: tuple[str, ...] = ()
    """abandoned: titles of Todos that make effects good."""
    compensate_in: str | None = None
    """abandoned: the Goal those Todos go to, since the one given up takes no work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenGoal(Command):
    name: ClassVar[str] = "goal reopen"
    goal: str
    reason: str
