"""What a lease record is worth now: live, expired or given back, told by the clock and never written.

Live means no later than its last renewal and its time to live. A stamp that lies in the future renews nothing: the
lease is then counted from the stamp before it. Where even its beginning lies in the future the clock went back, and
nothing says how long it has lived; it holds for as long as a lease may live at most, so that no step of a clock makes
it immortal or ends it at once.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from loopx.kernel.durations import format_duration
from loopx.kernel.policies import LEASE_TTL_LIMIT, clamped
from loopx.kernel.state import State
from loopx.model.defining import dataclass
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.model.lease import Lease, LeaseStatus

_ACTIVE: Any = ("active",)
"""The status as text: where nobody has a lease, asking loads nothing."""
_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class LeaseStanding:
    """A lease as the clock has it. ``status`` and ``lease`` are ``None`` where there never was one."""

    status: LeaseStatus | None
    lease: Lease | None
    why: str
    """One sentence."""
    is_from_future: bool = False
    """One of its stamps lies ahead of the clock."""
    expires_at: datetime | None = None
    """When it ends, or ended, unless it is renewed; ``None`` without a lease."""

    @property
    def is_live(self) -> bool:
        return self.status is not None and self.status == "active"


def live_lease(state: State, todo_id: str, now: datetime) -> Lease | None:
    """The lease under which ``todo_id`` is executed right now; ``None`` when nobody has one that still counts."""
    lease = state.lease(todo_id)
    return lease if lease is not None and standing_of(lease, now).is_live else None


class LeaseBook:
    """Live leases by Goal, looked up once: for verdicts over many Todos."""

    def __init__(self, state: State, now: datetime) -> None:
        self._state = state
        self._now = now
        self._found: dict[str, dict[str, Lease]] = {}

    def live(self, goal: str, todo: str) -> Lease | None:
        """The lease under which a Todo of ``goal`` is executed right now."""
        if goal not in self._found:
            active = self._state.leases(goal, _ACTIVE)
            self._found[goal] = {each.todo: each for each in active if standing_of(each, self._now).is_live}
        return self._found[goal].get(todo)


def lease_standing(state: State, todo_id: str, now: datetime) -> LeaseStanding:
    """What is known of the lease of ``todo_id``."""
    lease = state.lease(todo_id)
    if lease is None:
        return LeaseStanding(None, None, "Nobody ever had a lease of it.")
    return standing_of(lease, now)


def standing_of(lease: Lease, now: datetime) -> LeaseStanding:
    """What ``lease`` is worth at ``now``."""
    from loopx.model.lease import LeaseStatus

    ahead = max(lease.renewed_at, lease.acquired_at) > now
    end = ends_at(lease, now)
    note = " A stamp of it lies ahead of the clock and renews nothing." if ahead else ""
    if lease.status is LeaseStatus.RELEASED:
        at = f" at {format_instant(lease.released_at)}" if lease.released_at else ""
        reason = f" ({lease.retired[-1].reason})" if lease.retired else ""
        return LeaseStanding(LeaseStatus.RELEASED, lease, f"The lease of {lease.owner} ended{at}{reason}.", ahead, end)
    if _is_live(lease, now):
        why = f"{lease.owner} executes it until {format_instant(end)} unless it is renewed.{note}"
        return LeaseStanding(LeaseStatus.ACTIVE, lease, why, ahead, end)
    ago = f", {format_duration(now - end)} ago" if end <= now else ""
    why = f"The lease of {lease.owner} expired at {format_instant(end)}{ago}.{note}"
    return LeaseStanding(LeaseStatus.EXPIRED, lease, why, ahead, end)


def ends_at(lease: Lease, now: datetime) -> datetime:
    """When ``lease`` ends by the newest stamp that can be believed at ``now``."""
    stamp = lease.renewed_at if lease.renewed_at <= now else lease.acquired_at
    return later(stamp, clamped(lease.ttl_seconds))


def later(at: datetime, length: timedelta) -> datetime:
    """``at`` and ``length``, no later than the last instant there is."""
    return at + length if _LAST - at >= length else _LAST


def _is_live(lease: Lease, now: datetime) -> bool:
    end = ends_at(lease, now)
    if lease.acquired_at <= now:
        return now <= end
    return end <= later(now, LEASE_TTL_LIMIT)
