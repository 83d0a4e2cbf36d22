"""Whether the holder of a lease gets anywhere: the newest fact on record that it brought about, renewals apart.

A stuck holder can renew for ever; what it cannot do is leave facts. ``loopx lease show`` tells since when there are
none, so that a person can see it and take over. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from loopx.kernel.state import State

if TYPE_CHECKING:
    from loopx.model.lease import Lease


def progress_at(state: State, lease: Lease) -> datetime | None:
    """When the holder last opened or settled a turn on the Todo, or evidence about it was recorded; ``None`` when that
    has not happened since the lease was acquired."""
    return max((at for at in _signs(state, lease) if at >= lease.acquired_at), default=None)


def _signs(state: State, lease: Lease) -> Iterator[datetime]:
    for turn in state.turns(lease.goal, agent=lease.owner, since=lease.acquired_at):
        if turn.todo == lease.todo:
            yield turn.settled_at or turn.opened_at
            break  # newest first
    for evidence in state.evidence_about(lease.todo):
        yield evidence.observed_at
