"""Proposals about Gates."""

from __future__ import annotations

from typing import ClassVar

from loopx.kernel.commands.base import Command
from loopx.model.actor import Channel
from loopx.model.defining import dataclass


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
