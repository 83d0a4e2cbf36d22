"""Who holds a Todo: how a holder is written, and whom a claim or an exclusion keeps away.

A claim is soft: it says who means to do the work. It fences every exit from open, so completing, superseding and
cancelling ask :func:`fence`, by command and by hand.
"""

from __future__ import annotations

import unicodedata
from hashlib import sha256

from loopx.kernel.context import Context
from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import quoted, refuse
from loopx.model.actor import Actor
from loopx.model.ids import slug
from loopx.model.todo import Todo

PERSON_PREFIX = "human-"
"""How the name of a person begins wherever an agent's might stand."""


def holder_name(actor: Actor) -> str:
    """How ``actor`` is written in ``claimed_by``: an agent by its id, a person as ``human-`` and their name's slug.

    A name without a Latin letter gets a short digest instead, so that two people never share a claim.
    """
    if not actor.is_human:
        return actor.name
    plain = " ".join(unicodedata.normalize("NFKC", actor.name).casefold().split())
    return f"{PERSON_PREFIX}{slug(plain) or sha256(plain.encode()).hexdigest()[:8]}"


def fence(state: State, todo: Todo, context: Context) -> Refused | None:
    """The refusal of an exit from open that an exclusion, another's claim or a missing lease stands in the way of."""
    return excluded(todo, context.actor) or claimed_by_another(todo, context.actor) or _lease_wanted(state, todo)


def claimed_by_another(todo: Todo, actor: Actor) -> Refused | None:
    """The refusal that names whoever else claims ``todo``."""
    if todo.claimed_by is None or todo.claimed_by == holder_name(actor):
        return None
    message = f"{todo.id} {quoted(todo.title)} is claimed by {todo.claimed_by}."
    hint = f"Agree with {todo.claimed_by}; `loopx todo unclaim` gives a claim up." if actor.is_human else ""
    return refuse("todo-claimed", message, hint, field="claimed_by", todo=todo.id, holder=todo.claimed_by)


def excluded(todo: Todo, actor: Actor) -> Refused | None:
    """The refusal of an agent that may not take ``todo``."""
    if actor.is_human or actor.name not in todo.excluded_agents:
        return None
    return refuse("agent-excluded", f"{todo.id} excludes {actor.name}.", todo=todo.id, agent=actor.name)


def _lease_wanted(state: State, todo: Todo) -> Refused | None:
    """Where the policy asks for a lease nothing else passes for one, least of all while none can be had."""
    from loopx.model.workspace import Ownership

    config = state.config()
    if config is None or config.policies.ownership is not Ownership.LEASE:
        return None
    return refuse("lease-required", f"{todo.id} takes a lease to leave open here.", todo=todo.id)


def closed(todo: Todo) -> Refused:
    """The refusal of a verb that only work still to be done can take."""
    message = f"{todo.id} {quoted(todo.title)} is {todo.status}."
    return refuse("todo-closed", message, field="status", todo=todo.id, status=todo.status.value)
