"""The lease record of a Todo as each verb leaves it: granted, renewed, handed over, ended.

Whether a verb may is judged in :mod:`loopx.kernel.leases`; whatever else ends a lease (finishing a Todo, an agent that
leaves) takes the record from here, so that versions and epochs rise in one place. The record stays for good.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from loopx.kernel.answering import stamp
from loopx.kernel.apply import updated
from loopx.kernel.context import Context
from loopx.kernel.lease_standing import later, standing_of
from loopx.kernel.outcome import Record, Refused
from loopx.kernel.policies import clamped
from loopx.kernel.state import State
from loopx.kernel.transitions import move
from loopx.model.lease import Lease, LeaseEpoch, LeaseStatus, LeaseVersion, RetiredKey
from loopx.model.times import format_instant


def granted(
    before: Lease | None,
    context: Context,
    *,
    todo: str,
    goal: str,
    owner: str,
    key: str,
    ttl_seconds: int,
    write_scopes: tuple[str, ...],
    terms: str,
    reason: str = "expired",
) -> Lease:
    """The record once ``owner`` has the lease under ``key``. ``reason`` is why the key before, if any, is retired."""
    at = stamp(context)
    return Lease(
        todo=todo,
        status=_moved(before, LeaseStatus.ACTIVE).status if before else LeaseStatus.ACTIVE,
        owner=owner,
        key=key,
        epoch=LeaseEpoch(before.epoch + 1 if before else 1),
        version=LeaseVersion(before.version + 1 if before else 1),
        ttl_seconds=ttl_seconds,
        write_scopes=write_scopes,
        acquired_at=at,
        renewed_at=at,
        expires_at=_end(at, ttl_seconds),
        acquired_by=context.operation,
        terms=terms,
        retired=_retired(before, at, reason) if before else (),
        goal=goal,
    )


def renewed(lease: Lease, context: Context) -> Lease:
    """The record once its holder has shown that it goes on."""
    at = stamp(context)
    expires_at = _end(at, lease.ttl_seconds)
    return replace(lease, version=LeaseVersion(lease.version + 1), renewed_at=at, expires_at=expires_at)


def ended(lease: Lease, context: Context, reason: str) -> Lease:
    """The record once the lease is given back or taken away; its key proves nothing from now on."""
    at = stamp(context)
    return replace(
        _moved(lease, LeaseStatus.RELEASED),
        version=LeaseVersion(lease.version + 1),
        released_at=at,
        retired=_retired(lease, at, reason),
    )


def endings(state: State, todo: str, context: Context, reason: str) -> tuple[Record, ...]:
    """What follows for the lease of ``todo`` when the Todo is closed or its holder leaves; nothing without one."""
    lease = state.lease(todo)
    if lease is None or lease.status is not LeaseStatus.ACTIVE:
        return ()
    return (Record(ended(lease, context, reason)),)


def lease_facts(lease: Lease, now: datetime) -> dict[str, Any]:
    """A lease as receipts tell it: what it is now, each number under its own name."""
    standing = standing_of(lease, now)
    return {
        "todo": lease.todo,
        "status": str(standing.status),
        "owner": lease.owner,
        "epoch": lease.epoch,
        "version": lease.version,
        "expires_at": format_instant(standing.expires_at or lease.expires_at),
    }


def with_lease_of_today(state: State, result: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The facts of a receipt of a lease's verb with the lease as it is now: a receipt tells what was, and grants
    nothing."""
    lease = state.lease(str(result.get("id", "")))
    if lease is None:
        return dict(result)
    is_it = lease.key == result.get("key") and standing_of(lease, now).is_live
    return {**result, "lease": lease_facts(lease, now), "authorises": is_it}


def _moved(lease: Lease, to: LeaseStatus) -> Lease:
    """``lease`` in the status ``to``, as its lifecycle allows; where it is in that one already it stays as it is."""
    change = move(lease, to) if lease.status is not to else None
    if isinstance(change, Refused):
        raise ValueError(change.message)
    return updated(lease, change) if change is not None else lease


def _retired(lease: Lease, at: datetime, reason: str) -> tuple[RetiredKey, ...]:
    """The keys that prove nothing any more, the one in use until now among them."""
    if any(each.key == lease.key for each in lease.retired):
        return lease.retired
    return (*lease.retired, RetiredKey(key=lease.key, epoch=LeaseEpoch(lease.epoch), at=at, reason=reason))


def _end(at: datetime, ttl_seconds: int) -> datetime:
    return later(at, clamped(ttl_seconds))
