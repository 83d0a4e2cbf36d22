"""Answers to questions about history and health: the audit trail, read-back, rollback packets, checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from loopx.model.defining import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from loopx.errors import Problem
    from loopx.kernel.outcome import Receipt
    from loopx.workspace.results import Committed


class OperationState(StrEnum):
    """What is known of an operation."""

    COMMITTED = "committed"
    RECEIPT_MISSING = "committed_receipt_missing"
    """In history, but its receipt was not on record: told again from its commit, where that commit tells it."""
    PENDING = "pending"
    ABSENT = "absent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class OperationReport:
    """Read-back of an operation by its id."""

    operation: str
    state: OperationState
    receipt: Receipt | None = None
    revision: str | None = None
    superseded_by: str | None = None
    recovery: Mapping[str, Any] = field(default_factory=dict)
    """For an unknown outcome: identity, reread[], entrypoint, stop_when, owner."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One commit of the audit trail."""

    revision: str
    at: datetime
    author: str
    actor: str
    origin: str
    command: str
    operation: str | None
    subject: str
    headline: str
    ids: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommitReport:
    """One commit with its message, receipt and textual difference."""

    entry: LogEntry
    message: str
    receipt: Mapping[str, Any] | None
    patch: str


@dataclass(frozen=True, slots=True)
class PackItem:
    """One document a rollback would put back."""

    kind: str
    id: str
    path: str
    change: str
    """restored · removed · changed"""
    operations: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RollbackPacket:
    """What a rollback would do: evidence for a decision, not permission."""

    target: str
    head: str
    items: tuple[PackItem, ...]
    dependants: tuple[str, ...] = ()
    """Ids that refer to something put back."""
    effects: tuple[Mapping[str, Any], ...] = ()
    """Effects outside LoopX that cannot be undone here; each becomes a compensation Todo."""
    judgements: tuple[str, ...] = ()
    """Criteria (``goal criterion``) that have to be judged anew: what was recorded about them since counts no more."""
    kept: tuple[str, ...] = ()
    """Forward-only records that stay."""
    choices: tuple[Mapping[str, Any], ...] = ()
    """revert · fix forward · external cleanup · support request, with prerequisites, approval and validation."""
    operations: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()
    destructive: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RolledBack:
    """A rollback that was carried out, with the proof: the digest over the documents equals that at the target."""

    committed: Committed
    packet: RollbackPacket
    digest: str
    compensation: tuple[str, ...] = ()
    saved: tuple[str, ...] = ()
    """Files that hold hand edits which are not accepted: they were left as typed."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A sure repair ``check --fix`` may make, shown before it is made."""

    path: str
    code: str
    about: str
    patch: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Everything ``loopx check`` found."""

    documents: int
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    fixes: tuple[Fix, ...] = ()
    fixed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Where:
    """What was found as the workspace, and why."""

    root: str
    """The ``.loopx`` folder."""
    project: str
    git_dir: str
    found_by: str
    """option · environment · folder · worktree"""
    workspace_id: str | None = None
    title: str | None = None
    head: str | None = None
    notes: tuple[str, ...] = ()
