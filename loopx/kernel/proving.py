"""Whether an actor may act as the one who executes a Todo: the proof is the live lease and its execution key.

Verbs of leases ask :func:`proven`, every way out of open asks through :mod:`loopx.kernel.fencing`. Refusals say who
holds the lease and until when, and which command comes next. A key tells executions apart; it is no secret.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from loopx.kernel.claims import holder_name
from loopx.kernel.context import Context
from loopx.kernel.lease_standing import ends_at, standing_of
from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import quoted, refuse
from loopx.model.times import format_instant
from loopx.model.todo import Todo

if TYPE_CHECKING:
    from loopx.model.lease import Lease, RetiredKey


def proven(state: State, todo: Todo, context: Context, key: str) -> Lease | Refused:
    """The live lease of ``todo`` that ``key`` proves to be the actor's; what speaks against it is told in this order:
    a key that is retired, no lease, another's lease, a wrong key, an expired lease."""
    lease = state.lease(todo.id)
    if lease is not None and (gone := retired_key(lease, key)) is not None:
        return key_retired(lease, gone, context.now)
    if lease is None or lease.status == "released":
        return missing(todo)
    standing = standing_of(lease, context.now)
    if lease.owner != holder_name(context.actor):
        return held(todo, lease, context) if standing.is_live else missing(todo)
    if lease.key != key:
        return wrong(todo, key)
    return lease if standing.is_live else expired(todo, lease, context.now)


def expected_version(todo: Todo, lease: Lease | None, version: int | None) -> Refused | None:
    """The refusal of a request based on another version of the lease than there is. ``None`` expects nothing."""
    if version is None or (lease is not None and lease.version == version):
        return None
    found = f"is at version {lease.version}" if lease is not None else "was never taken"
    message = f"The lease of {todo.id} {found}, and the request expects version {version}."
    hint = f"Look at it with `loopx lease show {todo.id}`, then repeat the request on what you see."
    about: dict[str, Any] = {"todo": todo.id, "revision": "lease version", "expected": version}
    return refuse("revision-conflict", message, hint, found=lease.version if lease is not None else None, **about)


def retired_key(lease: Lease, key: str) -> RetiredKey | None:
    """The entry of ``key`` among the retired ones of any generation."""
    return next((each for each in reversed(lease.retired) if each.key == key), None)


def held(todo: Todo, lease: Lease, context: Context) -> Refused:
    """The refusal that names whoever executes ``todo``, and until when."""
    end = format_instant(ends_at(lease, context.now))
    message = f"{todo.id} {quoted(todo.title)} is executed by {lease.owner} until {end} (epoch {lease.epoch})."
    hint = f"Wait, or ask {lease.owner} to release it; `loopx lease show {todo.id}` tells how it stands."
    if context.actor.is_human:
        hint = f"An operator ends it with `loopx lease release {todo.id}`; {lease.owner} then finds its key retired."
    return refuse("lease-held", message, hint, todo=todo.id, holder=lease.owner, expires_at=end, epoch=lease.epoch)


def held_by_you(todo: Todo, lease: Lease, act: str = "") -> Refused:
    """The refusal of an actor whose own lease, under a key it did not give, is live. ``act`` is a clause."""
    message = f"{todo.id} {quoted(todo.title)} is executed by you under another key{act}."
    hint = f"If that key is lost, `loopx lease acquire {todo.id} --take-over` retires it and makes a new one."
    return refuse("lease-held-by-you", message, hint, todo=todo.id, epoch=lease.epoch)


def with_the_lease(todo: Todo, lease: Lease, context: Context) -> Refused:
    """The refusal of whoever would change the claim alone while the lease it goes with is live."""
    if lease.owner != holder_name(context.actor):
        found = held(todo, lease, context)
        return replace(found, facts={**found.facts, "field": "claimed_by"})
    message = f"Your claim of {todo.id} {quoted(todo.title)} goes with your lease."
    hint = f"Give both up with `loopx lease release {todo.id} --key {lease.key}`."
    return refuse("lease-held-by-you", message, hint, field="claimed_by", todo=todo.id, epoch=lease.epoch)


def key_retired(lease: Lease, gone: RetiredKey, now: datetime) -> Refused:
    """The refusal of a key of an execution that has ended."""
    at = format_instant(gone.at)
    message = f"Key {quoted(gone.key)} of {lease.todo} was retired at {at} ({gone.reason})."
    hint = f"Stop what runs under it; `loopx lease acquire {lease.todo}` begins anew under a key of its own."
    if standing_of(lease, now).is_live:
        hint = f"Stop what runs under it: {lease.owner} executes {lease.todo} now, in epoch {lease.epoch}."
    return refuse("lease-key-retired", message, hint, todo=lease.todo, key=gone.key, epoch=gone.epoch, retired_at=at)


def key_outlived(lease: Lease, now: datetime) -> Refused:
    """The refusal of a key whose lease ran out, though nobody has taken the Todo over yet."""
    at = format_instant(ends_at(lease, now))
    message = f"Key {quoted(lease.key)} of {lease.todo} ended with its lease at {at}."
    hint = f"Stop what runs under it; `loopx lease acquire {lease.todo}` begins anew under a key of its own."
    return refuse("lease-key-retired", message, hint, todo=lease.todo, key=lease.key, epoch=lease.epoch, retired_at=at)


def missing(todo: Todo) -> Refused:
    hint = f"Take it with `loopx lease acquire {todo.id}`."
    return refuse("lease-missing", f"You hold no lease of {todo.id} {quoted(todo.title)}.", hint, todo=todo.id)


def key_missing(todo: Todo, lease: Lease) -> Refused:
    """The refusal of a holder that did not show its key."""
    message = f"You hold the lease of {todo.id} {quoted(todo.title)}, and its key was not given."
    return refuse("lease-key-missing", message, todo=todo.id, epoch=lease.epoch)


def wrong(todo: Todo, key: str) -> Refused:
    message = f"Key {quoted(key)} is not that of your lease of {todo.id}."
    hint = f"Where the key is lost, `loopx lease acquire {todo.id} --take-over` retires it and makes a new one."
    return refuse("lease-key-wrong", message, hint, todo=todo.id, key=key)


def expired(todo: Todo, lease: Lease, now: datetime) -> Refused:
    at = format_instant(ends_at(lease, now))
    message = f"Your lease of {todo.id} {quoted(todo.title)} expired at {at}."
    hint = f"Stop what runs under it; `loopx lease acquire {todo.id}` takes it anew, if nobody else has."
    return refuse("lease-expired", message, hint, todo=todo.id, expired_at=at, epoch=lease.epoch)
