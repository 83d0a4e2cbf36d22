"""What ``doctor`` and ``repair`` answer with: the basis they looked on, findings, and what was done about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum

from loopx.model.defining import dataclass


class Surface(StrEnum):
    """What shows something wrong."""

    FILES = "files"
    """Documents as they lie on disk."""
    HISTORY = "history"
    """Commits of ``.loopx/.git``, with their receipts, and the two references."""
    DOCUMENTS = "documents"
    """Documents as they are committed."""
    CACHE = "cache"
    INDEX = "index"
    """Git's index in ``.loopx/.git``."""
    PAGES = "pages"
    JOURNAL = "journal"
    """The note of a write in progress, and what an interrupted one left lying around."""
    SCHEMAS = "schemas"
    """The copies of the file schemas that editors are pointed to."""
    CLOCK = "clock"
    REPAIRS = "repairs"
    """The trace of what had to be repaired on this machine."""


class Difference(StrEnum):
    """What sort of difference it is."""

    NOT_COMMITTED = "not_committed"
    """Something is on disk or in Git that is no accepted history (yet)."""
    SOURCE_WRONG = "source_wrong"
    """What is committed is itself wrong: its lifecycle mends it, nothing else."""
    PAGE_STALE = "page_stale"
    """Something derived is behind its source, or was tampered with."""
    READ_FAILED = "read_failed"
    """It could not be looked at: nothing is known of it, which is not the same as nothing being wrong."""
    MIGRATION_DIFFERENCE = "migration_difference"
    """It was written by another version."""


DERIVED = frozenset({Surface.CACHE, Surface.INDEX, Surface.PAGES, Surface.JOURNAL, Surface.SCHEMAS})
"""Surfaces that can be made anew from what owns their facts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One disagreement.

    ``owner`` names the source that owns the fact, in words; ``why`` and ``next_step`` are sentences. ``is_fault`` is
    false for what resolves itself with the next command. ``ids`` are what the wrong surface spoke of.
    """

    surface: Surface
    kind: Difference
    owner: str
    place: str
    why: str
    next_step: str
    is_fault: bool = True
    ids: tuple[str, ...] = ()

    @property
    def may_be_repaired(self) -> bool:
        """Whether ``loopx repair`` makes it right."""
        return self.is_fault and self.surface in DERIVED


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What was looked at: to be compared with what one thinks one is looking at."""

    root: str
    """The ``.loopx`` folder."""
    found_by: str
    """option · environment · folder · worktree"""
    notes: tuple[str, ...] = ()
    goal: str | None = None
    """The Goal looked at alone; ``None`` for all."""
    goals: Mapping[str, str] = field(default_factory=dict)
    """Every Goal looked at, with its status."""
    head: str | None = None
    admitted: str | None = None
    """The last accepted revision: the source of everything that is derived."""
    cache_revision: str | None = None
    is_past: bool = False
    actor: str | None = None
    """Who this environment says is acting; ``None``: the person Git is configured for."""
    mode: Mapping[str, str] = field(default_factory=dict)
    """Settings that change what commands do: durability, hooks, pages, ownership."""
    now: datetime
    newest_stamp: datetime | None = None
    """The newest time any record bears."""
    truncated: Mapping[str, int] = field(default_factory=dict)
    """How many lines ``loopx status`` leaves out, by section. Counts and decisions are over everything all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Everything found."""

    basis: Basis
    findings: tuple[Finding, ...]
    looked_at: tuple[str, ...]
    """Surfaces that were compared."""

    @property
    def faults(self) -> tuple[Finding, ...]:
        return tuple(each for each in self.findings if each.is_fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reassess:
    """Dependent work to look at again, since it may have been decided on the wrong surface."""

    id: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """What a repair did, and what is left."""

    before: Diagnosis
    after: Diagnosis
    done: tuple[str, ...]
    """What was done, a line each."""
    reassess: tuple[Reassess, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether the reading back found nothing that could be repaired."""
        return not any(each.may_be_repaired for each in self.after.findings)
