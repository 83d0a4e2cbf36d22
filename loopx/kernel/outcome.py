"""What a decision comes out as: Accepted with changes and a receipt, or Refused with a reason. Both are values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from loopx.errors import Problem
from loopx.kernel.refusal import Refused as Refused
from loopx.model.actor import Actor, Origin
from loopx.model.defining import dataclass
from loopx.model.entities import Entity
from loopx.model.kind import Kind


@dataclass(frozen=True, slots=True)
class Create:
    """A new document."""

    entity: Entity
    text: str | None = None
    """How it was typed: kept byte for byte, comments too, where it says what ``entity`` does."""


@dataclass(frozen=True, slots=True)
class Update:
    """New values for named fields of an existing document (attribute names; ``body`` too). ``None`` clears a field.

    Values are those of the entity (enums, tuples, nested entities), not JSON.
    """

    kind: Kind
    goal: str
    id: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """A machine-owned record as it now stands, written whole (new or not)."""

    entity: Entity


@dataclass(frozen=True, slots=True)
class Archive:
    """Move a closed document, with its machine-owned records, into the archive folder of ``at``'s month."""

    kind: Kind
    goal: str
    id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove a document (only ever asked for by hand)."""

    kind: Kind
    goal: str
    id: str


Change = Create | Update | Record | Archive | Delete


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was accepted: kept in the commit's trailers, returned again when the operation is replayed."""

    operation: str
    command: str
    actor: Actor
    origin: Origin
    subject: str
    """``noun id``, such as ``todo t-4k9x2m7q``."""
    goal: str
    request: str
    """Digest of actor, command and arguments."""
    at: datetime
    result: Mapping[str, Any] = field(default_factory=dict)
    """Compact facts, such as ``{"id": …, "added": true}``."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Yes. ``changes`` may be empty (nothing to do); ``headline`` is the commit subject."""

    changes: tuple[Change, ...]
    receipt: Receipt
    headline: str
    """``todo: done t-4k9x2m7q "Write the guide"``"""
    body: str = ""
    """Reason and evidence, for people reading ``git log``."""
    notices: tuple[Problem, ...] = ()
    """Things worth saying that stop nothing (an equal title, an edit that undoes somebody's change)."""


Outcome = Accepted | Refused
