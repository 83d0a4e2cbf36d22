"""Proposals about what lies outside: monitors, and effects whose outcome must be read back."""

from __future__ import annotations

from typing import ClassVar

from loopx.kernel.commands.base import Command
from loopx.model.defining import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PollMonitor(Command):
    """Record one look at a monitor's target.

    ``seen`` is what was read (kept as a digest and a short summary); ``None`` with ``is_dead`` means that nothing could
    be read. Without ``is_material`` a look that saw something else than the last one is material.
    """

    name: ClassVar[str] = "monitor poll"
    todo: str
    target: str
    """What was looked at; another than the monitor's is refused."""
    seen: str | None = None
    is_dead: bool = False
    is_material: bool | None = None
    summary: str | None = None
    successors: tuple[str, ...] = ()
    """Titles of Todos a material result raises, or ids of existing ones."""
    no_follow_up: str | None = None
    """Why a material result raises none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEffect(Command):
    """Record the intent of an act on the outside, before it is done."""

    name: ClassVar[str] = "effect open"
    goal: str
    summary: str
    todo: str | None = None
    agent: str | None = None
    readback: str | None = None
    readback_after_seconds: int = 0
    write_scopes: tuple[str, ...] = ()
    postconditions: tuple[str, ...] = ()
    lease_key: str | None = None
    """The execution key, where a Lease is held."""

    @property
    def subject(self) -> str:
        return self.todo or self.goal


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleEffect(Command):
    """Record what is known of an effect: confirmed, absent or compensated, and on what."""

    name: ClassVar[str] = "effect settle"
    effect: str
    status: str
    """confirmed · absent · compensated"""
    evidence: tuple[str, ...] = ()
    """Evidence ids, or words (kept as an observation of the actor)."""
    reason: str | None = None

    @property
    def subject(self) -> str:
        return self.effect


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmPostcondition(Command):
    """Record that a follow-up of an effect was seen to hold."""

    name: ClassVar[str] = "effect confirm"
    effect: str
    number: int
    """Counted from 1."""
    evidence: str | None = None
    """An Evidence id, or words."""

    @property
    def subject(self) -> str:
        return self.effect
