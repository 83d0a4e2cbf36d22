"""What a hand edit is, and what a rule of this folder answers when it has nothing against one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from loopx.errors import Place, Problem
from loopx.kernel.outcome import Change
from loopx.kernel.rebinding import changed_fields, file_key
from loopx.model.actor import Actor
from loopx.model.defining import dataclass
from loopx.model.entities import Entity
from loopx.model.kind import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEdit:
    """One document as it was accepted last and as it reads now.

    ``before`` is ``None`` for a new hand-made document, whose missing ``id`` the caller has filled in; ``after`` is
    ``None`` for a deletion. ``goal`` and ``id`` are those of ``after`` where there is one.
    """

    kind: Kind
    goal: str
    id: str
    before: Entity | None
    after: Entity | None
    path: str
    """Below ``.loopx/``, for the place of a refusal."""
    lines: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Key in the file to line and column, from 1."""
    reverts: tuple[str, ...] = ()
    """What of somebody else's accepted change it undoes: field names or operation ids."""
    accepted_by: Actor | None = None
    """The person who takes it in by name (``loopx edit accept``)."""
    has_waited: bool = False
    """This very text was refused before because it must wait for an operator."""
    is_return: bool = False
    """A person brings back the very document of this id that was deleted, or that could no longer be read; without it
    a known id is refused."""

    def place(self, attribute: str | None) -> Place:
        """Where the field ``attribute`` is written; the file as a whole where that is not known."""
        subject = self.after or self.before
        if attribute is None or subject is None:
            return Place(self.path)
        line = self.lines.get(file_key(subject, attribute))
        return Place(self.path, *line) if line else Place(self.path)

    def place_of_refusal(self, attribute: str | None) -> Place:
        """Where ``attribute`` is written, or else what was typed: a new status, or the first other change."""
        named = (attribute, *self._changed())
        return next((place for place in map(self.place, named) if place.line is not None), Place(self.path))

    def _changed(self) -> list[str]:
        if self.before is None or self.after is None:
            return []
        return sorted(changed_fields(self.before, self.after), key=lambda name: name != "status")


@dataclass(frozen=True, slots=True)
class Judged:
    """A hand edit nothing speaks against: the change it is, and what else follows from it."""

    verb: str
    """As typed after the noun at the terminal, such as ``done``; ``add`` and ``delete`` for whole documents."""
    change: Change
    title: str
    additional: tuple[Change, ...] = ()
    notices: tuple[Problem, ...] = ()
