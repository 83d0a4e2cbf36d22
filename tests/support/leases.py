"""Leases for tests: records as the verbs leave them, and a desk whose agents are registered."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from loopx.kernel.commands import AcquireLease, ReleaseLease, RenewLease, TransferLease
from loopx.kernel.lease_standing import live_lease
from loopx.model.actor import Actor
from loopx.model.lease import Lease, LeaseEpoch, LeaseStatus, LeaseVersion, RetiredKey
from loopx.model.workspace import AgentEntry
from tests.support.clock import START
from tests.support.kernel import BOT, T1, Desk, config, goal, todo

TTL = 45 * 60
"""Seconds a lease lives where nobody says otherwise."""
CAT = Actor.parse("agent:cat")
KEY, OTHER_KEY = "k-aaaa1111", "k-bbbb2222"


def lease(todo_id: str = T1, owner: str = "bot", key: str = KEY, **fields: Any) -> Lease:
    """A live lease of the Goal beta, just acquired."""
    stamps = {"acquired_at": START, "renewed_at": START, "expires_at": START + timedelta(seconds=TTL)}
    return Lease(
        **{
            "todo": todo_id,
            "owner": owner,
            "key": key,
            "epoch": LeaseEpoch(1),
            "version": LeaseVersion(1),
            "ttl_seconds": TTL,
            "acquired_by": "op-before",
            "terms": "0",
            "goal": "beta",
            **stamps,
            **fields,
        }
    )


def released(**fields: Any) -> Lease:
    """A lease given back, its key retired."""
    found = lease(**fields)
    return lease(
        **{
            **fields,
            "status": LeaseStatus.RELEASED,
            "released_at": START,
            "retired": (*found.retired, retired(found.key, found.epoch)),
        }
    )


def retired(key: str = OTHER_KEY, epoch: int = 1, reason: str = "released") -> RetiredKey:
    return RetiredKey(key=key, epoch=LeaseEpoch(epoch), at=START, reason=reason)


def crew(*entities: Any, **policies: Any) -> Desk:
    """A desk at which bot, rex and cat are registered; with one Todo unless others are given."""
    agents = [AgentEntry(id=name) for name in ("bot", "rex", "cat")]
    return Desk.of(config(*agents, **policies), goal(), *(entities or (todo(),)))


def acquire(desk: Desk, actor: Actor = BOT, key: str = KEY, **fields: Any) -> Any:
    """The receipt's facts of an acquire that must be granted."""
    way = {name: fields.pop(name) for name in ("op",) if name in fields}
    return desk.do(AcquireLease(**{"todo": T1, "key": key, **fields}), actor, **way).receipt.result


def renew(desk: Desk, version: int, key: str = KEY, todo_id: str = T1) -> RenewLease:
    return RenewLease(todo=todo_id, key=key, version=version)


def transfer(version: int, to: str = "rex", key: str = KEY, new_key: str = OTHER_KEY) -> TransferLease:
    return TransferLease(todo=T1, key=key, version=version, to=to, new_key=new_key)


def give_back(key: str | None = KEY, **fields: Any) -> ReleaseLease:
    return ReleaseLease(**{"todo": T1, "key": key, **fields})


def record(desk: Desk, todo_id: str = T1) -> Lease:
    """The lease record of a Todo, which must be there."""
    found = desk.state.lease(todo_id)
    assert found is not None
    return found


def live(desk: Desk, todo_id: str = T1) -> Lease | None:
    return live_lease(desk.state, todo_id, desk.now)
