"""No, as a value. Apart from the other outcomes, since reads meet it and load none of the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from loopx.errors import Place, Problem
from loopx.model.defining import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """No, and why."""

    code: str
    message: str
    hint: str = ""
    place: Place | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def problem(self) -> Problem:
        return Problem(self.code, self.message, self.place, self.hint, self.facts)
