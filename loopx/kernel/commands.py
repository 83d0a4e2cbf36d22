"""Every proposal there is, as data. The CLI, a hand edit and the Python API build these; :func:`loopx.kernel.decide`
answers them. A command holds what was asked and nothing else: who asks, when and by which way is the context's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from loopx.model.goal import GoalStatus
from loopx.model.records import Channel, Evidence
from loopx.model.todo import Priority, TodoClass, Validation


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Base of all proposals. ``name`` is ``noun verb``, as typed at the terminal and kept in the audit trail."""

    name: ClassVar[str] = ""

    @property
    def subject(self) -> str:
        """The id the proposal is about; ``""`` when it makes a new one."""
        return getattr(self, "todo", None) or getattr(self, "gate", None) or getattr(self, "goal", None) or ""


# --- goals -----------------------------------------------------------------------------------


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


# --- todos -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class AddTodo(Command):
    name: ClassVar[str] = "todo add"
    goal: str
    title: str
    priority: Priority = Priority.P2
    todo_class: TodoClass = TodoClass.ADVANCEMENT
    depends_on: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()
    validation: Validation | None = None
    tags: tuple[str, ...] = ()
    body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditTodo(Command):
    """Change human-owned fields. ``fields`` maps attribute names to new JSON values; ``None`` clears a field.

    ``add`` and ``remove`` change list fields item by item.
    """

    name: ClassVar[str] = "todo edit"
    todo: str
    fields: dict[str, Any] = field(default_factory=dict)
    add: dict[str, tuple[str, ...]] = field(default_factory=dict)
    remove: dict[str, tuple[str, ...]] = field(default_factory=dict)
    body: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTodo(Command):
    name: ClassVar[str] = "todo claim"
    todo: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnclaimTodo(Command):
    name: ClassVar[str] = "todo unclaim"
    todo: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockTodo(Command):
    name: ClassVar[str] = "todo block"
    todo: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeferTodo(Command):
    name: ClassVar[str] = "todo defer"
    todo: str
    until: str
    """A wake condition, see ``Todo.resume_when``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeTodo(Command):
    name: ClassVar[str] = "todo resume"
    todo: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteTodo(Command):
    """Done. ``evidence`` holds what a validation run before the decision found; LoopX makes it, callers do not."""

    name: ClassVar[str] = "todo done"
    todo: str
    successors: tuple[str, ...] = ()
    """Titles of Todos to add as successors, or ids of existing ones."""
    no_follow_up: str | None = None
    goal_continues: bool = False
    note: str | None = None
    evidence: Evidence | None = None
    """Result of the declared validation; not part of the request's digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupersedeTodo(Command):
    name: ClassVar[str] = "todo supersede"
    todo: str
    by: tuple[str, ...]
    """Ids of existing Todos, or titles of new ones."""
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelTodo(Command):
    name: ClassVar[str] = "todo cancel"
    todo: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenTodo(Command):
    name: ClassVar[str] = "todo reopen"
    todo: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveTodo(Command):
    name: ClassVar[str] = "todo archive"
    todo: str


# --- gates -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenGate(Command):
    name: ClassVar[str] = "gate open"
    goal: str
    scope: str
    question: str
    options: tuple[str, ...] = ()
    deadline: str | None = None
    valid_until: str | None = None
    evidence: tuple[str, ...] = ()
    body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideGate(Command):
    """approve, reject or defer a Gate. A human's, through a channel that shows it was one."""

    name: ClassVar[str] = "gate decide"
    gate: str
    verb: str
    """approve · reject · defer"""
    reason: str
    option: str | None = None
    channel: Channel = Channel.SCRIPT
    confirmed: bool = False
    """Confirmed on the terminal or page, or by naming the Gate again with ``--confirm``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawGate(Command):
    name: ClassVar[str] = "gate withdraw"
    gate: str
    reason: str | None = None


# --- visions ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SetVision(Command):
    """Write or change an agent's Vision; fields left ``None`` stay as they are."""

    name: ClassVar[str] = "vision set"
    goal: str
    agent: str
    summary: str | None = None
    role_scope: str | None = None
    acceptance: str | None = None
    advancement: str | None = None
    replan_trigger: str | None = None
    dreaming: str | None = None
    last_patch: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetireVision(Command):
    name: ClassVar[str] = "vision retire"
    goal: str
    agent: str
    reason: str | None = None


# --- evidence --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordEvidence(Command):
    """Keep what was observed although nothing follows from it, such as a validation that failed.

    Validations and read-backs are recorded with ``Origin.SYSTEM``: they are what LoopX itself saw.
    """

    name: ClassVar[str] = "evidence record"
    evidence: Evidence


# --- the workspace itself --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class EditWorkspace(Command):
    """Change ``workspace.yaml``."""

    name: ClassVar[str] = "workspace edit"
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollback(Command):
    """Put documents back to a revision. The workspace works out which; the kernel judges whether."""

    name: ClassVar[str] = "rollback"
    revision: str
    reason: str
    goal: str | None = None
    todo: str | None = None
    undo_of: str | None = None
    """The operation undone, when this is ``loopx undo``."""
    documents: tuple[tuple[str, str], ...] = ()
    """(kind, id) of every document put back, worked out by the workspace."""
