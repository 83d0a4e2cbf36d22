"""The two things the outside must lend to a pure decision: the time and fresh ids."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time (aware, UTC) and waits. One real one exists, in ``workspace``; tests pass their own."""

    def now(self) -> datetime: ...

    def wait(self, seconds: float) -> None: ...


class IdSource(Protocol):
    """Makes fresh random ids."""

    def fresh(self, prefix: str) -> str:
        """A new id such as ``t-4k9x2m7q`` for the prefix ``t``."""
        ...
