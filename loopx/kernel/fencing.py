"""What keeps an actor away from a Todo: an exclusion, another's live lease, another's claim, a lease that is demanded.

Every exit from open (complete, supersede, cancel, deletion by hand) and every settling asks :func:`fence`. A live lease
is the stronger fact: whoever holds it is not disarmed by a claim, and without its key nothing passes where the policy
asks for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel import proving
from loopx.kernel.claims import holder
from loopx.kernel.claims import holder_name as holder_name
from loopx.kernel.context import Context
from loopx.kernel.lease_standing import live_lease
from loopx.kernel.policies import ownership
from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import quoted, refuse
from loopx.model.actor import Actor
from loopx.model.policy import Ownership
from loopx.model.todo import Todo

if TYPE_CHECKING:
    from loopx.model.lease import Lease


def fence(state: State, todo: Todo, context: Context, key: str | None = None) -> Refused | None:
    """The refusal of an exit from open; ``key`` is the actor's execution key, if it gave one.

    Asked in this order: exclusion, another's live lease, the key given, another's claim, the lease the policy asks for.
    """
    lease = live_lease(state, todo.id, context.now)
    refused = excluded(todo, context.actor) or _leased_to_another(todo, lease, context)
    if refused:
        return refused
    if key is not None:
        proof = proving.proven(state, todo, context, key)
        return proof if isinstance(proof, Refused) else None
    if lease is None and (refused := _claimed(state, todo, context)):
        return refused
    return _lease_wanted(state, todo, lease)


def held_by_another(state: State, todo: Todo, context: Context) -> Refused | None:
    """The refusal that names whoever else executes ``todo`` under a live lease, or claims it.

    Whoever executes it themselves is kept away by nobody's claim.
    """
    lease = live_lease(state, todo.id, context.now)
    if lease is not None:
        return _leased_to_another(todo, lease, context)
    return _claimed(state, todo, context)


def excluded(todo: Todo, actor: Actor) -> Refused | None:
    """The refusal of an agent that may not take ``todo``."""
    if actor.is_human or actor.name not in todo.excluded_agents:
        return None
    return refuse("agent-excluded", f"{todo.id} excludes {actor.name}.", todo=todo.id, agent=actor.name)


def closed(todo: Todo) -> Refused:
    """The refusal of a verb that only work still to be done can take."""
    message = f"{todo.id} {quoted(todo.title)} is {todo.status}."
    return refuse("todo-closed", message, field="status", todo=todo.id, status=todo.status.value)


def _leased_to_another(todo: Todo, lease: Lease | None, context: Context) -> Refused | None:
    if lease is None or lease.owner == holder_name(context.actor):
        return None
    return proving.held(todo, lease, context)


def _claimed(state: State, todo: Todo, context: Context) -> Refused | None:
    claimant = holder(state, todo, context.now)
    if claimant is None or claimant == holder_name(context.actor):
        return None
    message = f"{todo.id} {quoted(todo.title)} is claimed by {claimant}."
    hint = f"Agree with {claimant}; `loopx todo unclaim` gives a claim up." if context.actor.is_human else ""
    return refuse("todo-claimed", message, hint, field="claimed_by", todo=todo.id, holder=claimant)


def _lease_wanted(state: State, todo: Todo, own: Lease | None) -> Refused | None:
    """Where the policy asks for a lease nothing else passes for one. ``own``: the actor's live one, its key missing."""
    if ownership(state, todo.goal) is not Ownership.LEASE:
        return None
    if own is not None:
        return proving.key_missing(todo, own)
    message = f"{todo.id} {quoted(todo.title)} is ended here by whoever holds its lease, and you hold none."
    hint = f"Take it with `loopx lease acquire {todo.id}`, then pass its key with --lease."
    return refuse("lease-required", message, hint, todo=todo.id)
