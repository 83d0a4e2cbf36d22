"""Proposals about evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from loopx.kernel.commands.base import Command
from loopx.model.defining import dataclass

if TYPE_CHECKING:
    from loopx.model.records import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordEvidence(Command):
    """Keep what was observed although nothing follows from it, such as a validation that failed.

    Validations and read-backs are recorded with ``Origin.SYSTEM``: they are what LoopX itself saw.
    """

    name: ClassVar[str] = "evidence record"
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class AddEvidence(Command):
    """Keep what somebody saw, in their own name."""

    name: ClassVar[str] = "evidence add"
    about: str
    """A Todo, a Gate, an effect, or a criterion written GOAL/CRITERION or by its name within ``goal``."""
    goal: str | None = None
    """Needed where ``about`` is a criterion's bare name."""
    summary: str
    kind: str = "observation"
    """observation · readback (a person's) · delivery · negative_result"""
    references: tuple[str, ...] = ()
    fresh_for: str | None = None
    files: tuple[str, ...] = ()
    """Files of the project it rests on."""
    variables: tuple[str, ...] = ()
    """Environment variables it rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReassessEvidence(Command):
    """Judge what a piece of evidence is still worth after what it was made on changed."""

    name: ClassVar[str] = "evidence reassess"
    evidence: str
    assessment: str
    """applies · superseded"""
    reason: str
    difference: str | None = None
    """What changed between then and now; needed for ``applies``."""
    requirement: str | None = None
    """The requirement looked at; needed for ``applies``."""
    method: str | None = None
    """How it was checked; needed for ``applies``."""
    observed: str | None = None
    """What LoopX itself found to differ between then and now. LoopX puts it in; not part of the request's digest."""

    @property
    def subject(self) -> str:
        return self.evidence
