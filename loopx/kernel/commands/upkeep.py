"""Proposals about the workspace itself, and going back."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

from loopx.kernel.commands.base import Command
from loopx.model.defining import dataclass


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
