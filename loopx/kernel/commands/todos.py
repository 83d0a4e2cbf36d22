"""Proposals about Todos."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

from loopx.kernel.commands.base import Command
from loopx.model.defining import dataclass
from loopx.model.todo import Priority, TodoClass

if TYPE_CHECKING:
    from loopx.model.records import Evidence
    from loopx.model.todo import Validation


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
    capabilities: tuple[str, ...] = ()
    write_scopes: tuple[str, ...] = ()
    excluded_agents: tuple[str, ...] = ()
    target: str | None = None
    """Monitors: what is watched."""
    cadence: str | None = None
    """Monitors: how often, such as 30m."""
    expires_at: str | None = None
    """Monitors: when watching ends."""
    material: str | None = None
    watch_only: bool = False
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
    lease_key: str | None = None
    """The execution key, where a Lease is held."""
    expect_lease_version: int | None = None
    """Refuse unless the Lease is at this version; ``None`` expects nothing, and no lease is no version."""
    evidence: Evidence | None = None
    """Result of the declared validation; not part of the request's digest."""
    validated_on: str | None = None
    """What the Todo was when that validation began (:func:`loopx.kernel.digest.completion_basis`); LoopX puts it in,
    and it is not part of the digest either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupersedeTodo(Command):
    name: ClassVar[str] = "todo supersede"
    todo: str
    by: tuple[str, ...]
    """Ids of existing Todos, or titles of new ones."""
    reason: str | None = None
    lease_key: str | None = None
    expect_lease_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelTodo(Command):
    name: ClassVar[str] = "todo cancel"
    todo: str
    reason: str
    lease_key: str | None = None
    expect_lease_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenTodo(Command):
    name: ClassVar[str] = "todo reopen"
    todo: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveTodo(Command):
    name: ClassVar[str] = "todo archive"
    todo: str
