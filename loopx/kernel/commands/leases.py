"""Proposals about Leases: the right to execute one Todo."""

from __future__ import annotations

from typing import ClassVar

from loopx.kernel.commands.base import Command
from loopx.model.defining import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AcquireLease(Command):
    """Take the Lease of a Todo. ``key`` is the caller's execution key; the same one again is a replay."""

    name: ClassVar[str] = "lease acquire"
    todo: str
    key: str
    ttl_seconds: int | None = None
    """``None``: what the workspace's policy says."""
    write_scopes: tuple[str, ...] = ()
    take_over: bool = False
    """The same owner, who lost its key, retires it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewLease(Command):
    name: ClassVar[str] = "lease renew"
    todo: str
    key: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferLease(Command):
    """Hand the Lease, and the claim with it, to another agent under a new key."""

    name: ClassVar[str] = "lease transfer"
    todo: str
    key: str
    version: int
    to: str
    new_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseLease(Command):
    """Give the Lease back. ``key`` may be left out by an operator, who thereby ends anybody's."""

    name: ClassVar[str] = "lease release"
    todo: str
    key: str | None = None
    reason: str | None = None
