"""What a seeded fault is: where it is put in, what is replaced by what, and what it amounts to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One replacement in the source. ``old`` stands in ``file`` exactly once."""

    area: str
    what: str
    file: str
    old: str
    new: str
