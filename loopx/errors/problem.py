"""The one shape in which anything that is wrong is told: code, place, sentence, next step, facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from loopx.errors.catalogue import entry
from loopx.errors.exits import Exit


@dataclass(frozen=True, slots=True)
class Place:
    """Where a problem is: a path below ``.loopx/`` (or a command-line option), with line and column from 1."""

    path: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = [self.path, *(str(n) for n in (self.line, self.column) if n is not None)]
        return ":".join(parts)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong, told so that the reader can act on it.

    ``code`` must stand in the catalogue; ``hint`` is the next thing to do and falls back to the catalogue's remedy.
    """

    code: str
    message: str
    place: Place | None = None
    hint: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = entry(self.code)
        if not self.hint:
            object.__setattr__(self, "hint", known.remedy)

    @property
    def exit(self) -> Exit:
        """The exit status this problem leads to when it is what the request ended with."""
        return entry(self.code).exit

    def at(self, path: str, line: int | None = None, column: int | None = None) -> Problem:
        """This problem at another place."""
        return replace(self, place=Place(path, line, column))

    def as_json(self) -> dict[str, Any]:
        """The problem as the ``error`` or a ``warnings`` item of the JSON envelope."""
        found: dict[str, Any] = {"code": self.code, "message": self.message, "hint": self.hint}
        if self.place is not None:
            found["place"] = {"path": self.place.path, "line": self.place.line, "column": self.place.column}
        if self.facts:
            found["facts"] = dict(self.facts)
        return found


class LoopxError(Exception):
    """Breakage: something the caller asked for could not be carried out. Carries one :class:`Problem`."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        place: Place | None = None,
        hint: str = "",
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.problem = Problem(code, message, place, hint, facts or {})

    @classmethod
    def of(cls, problem: Problem) -> LoopxError:
        """The exception that carries ``problem``."""
        return cls(problem.code, problem.message, place=problem.place, hint=problem.hint, facts=problem.facts)

    @property
    def code(self) -> str:
        return self.problem.code

    @property
    def exit(self) -> Exit:
        return self.problem.exit
