"""Waiting for a lock file that somebody else holds, and saying whose it may be.

Called by everything that meets Git's ``*.lock`` files. It only ever looks at them: removing a dead one is the business
of :mod:`loopx.store.stale_locks`.
"""

from __future__ import annotations

import os
from typing import Any

from loopx.model.clock import Clock

_FIRST = 0.002
_LONGEST = 0.05
_GROWTH = 1.5


class Patience:
    """A bounded wait in small, growing steps, told by the time waited and not by the clock."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._left = seconds
        self._step = _FIRST

    def is_left(self) -> bool:
        return self._left > 0

    def wait(self) -> None:
        """Wait one step."""
        step = min(self._step, self._left)
        self._clock.wait(step)
        self._left -= step
        self._step = min(self._step * _GROWTH, _LONGEST)


def lock_facts(lock: str, clock: Clock) -> dict[str, Any]:
    """The lock's path and its age in seconds (``None`` when it has gone meanwhile)."""
    try:
        made = os.stat(lock).st_mtime
    except FileNotFoundError:
        return {"lock": lock, "age_seconds": None}
    return {"lock": lock, "age_seconds": round(max(0.0, clock.now().timestamp() - made), 1)}
