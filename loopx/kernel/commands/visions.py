"""Proposals about Visions."""

from __future__ import annotations

from typing import ClassVar

from loopx.kernel.commands.base import Command
from loopx.model.defining import dataclass


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
    """End a Vision: it no longer holds, another replaces it, its part is reached, or nothing follows it."""

    name: ClassVar[str] = "vision retire"
    goal: str
    agent: str
    to: str = "retired"
    """retired · superseded · closed · no_followup"""
    reason: str | None = None
