"""What a seeded fault is: where it is put in, what is replaced by what, and what it amounts to."""

from __future__ import annotations

from dataclasses import dataclass

ENGINE = ("tests/loop/recovery", "tests/loop/engine")
"""The tests of the engine in memory: the quick ones come first."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One replacement in the source. ``old`` stands in ``file`` exactly once, and ``tests`` are to see it."""

    area: str
    what: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...] = ENGINE
