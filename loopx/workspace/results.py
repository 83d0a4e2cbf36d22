"""What every command may answer with: the state that was read, what was committed, the edits that wait."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.model.actor import Origin
from loopx.model.defining import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from loopx.errors import Problem
    from loopx.kernel.outcome import Receipt
    from loopx.kernel.state import State


@dataclass(frozen=True, slots=True)
class Committed:
    """An accepted command. ``revision`` is the commit that holds it; ``None`` when nothing changed."""

    receipt: Receipt
    revision: str | None
    replayed: bool = False
    """The operation was committed before; nothing was executed now."""
    superseded_by: str | None = None
    """The operation of a rollback or a later decision that took it back since."""
    warnings: tuple[Problem, ...] = ()
    pages_pending: bool = False


@dataclass(frozen=True, slots=True)
class Based:
    """What a request to go back was based on, and by which way it came."""

    revision: str | None = None
    """Refuse unless the workspace is at this one: where the packet was shown."""
    origin: Origin = Origin.COMMAND


@dataclass(frozen=True, slots=True)
class View:
    """The state to read from, with what one must know about it."""

    state: State
    revision: str | None
    at: datetime
    """The time verdicts are given for."""
    warnings: tuple[Problem, ...] = ()
    is_past: bool = False
    """Asked for with ``--at REV``."""


class EditState(StrEnum):
    """Why a file on disk differs from the last accepted version."""

    SETTLING = "settling"
    """Just saved; looked at again shortly."""
    UNREADABLE = "unreadable"
    REFUSED = "refused"
    ABSENT = "absent"
    DISPLACED = "displaced"
    """Typed into a file while it was being replaced; kept under ``local/displaced/``."""


@dataclass(frozen=True, slots=True)
class PendingEdit:
    """A hand edit that is not part of history (yet)."""

    path: str
    state: EditState
    problems: tuple[Problem, ...]
    since: datetime | None = None
