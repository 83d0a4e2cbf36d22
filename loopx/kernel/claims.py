"""Claims: who means to do a Todo, for as long as that can be believed, and how such a holder is written.

A claim lapses when nobody acts on it, so that work an agent forgot is not lost. Whoever decides anything by a claim
asks :func:`holder` and never the field alone; nothing here writes.
"""

from __future__ import annotations

import unicodedata
from datetime import datetime
from hashlib import sha256

from loopx.kernel.lease_standing import standing_of
from loopx.kernel.policies import claim_ttl
from loopx.kernel.state import State
from loopx.model.actor import Actor
from loopx.model.ids import slug
from loopx.model.todo import Todo

PERSON_PREFIX = "human-"
"""How the name of a person begins wherever an agent's might stand."""


def holder_name(actor: Actor) -> str:
    """How ``actor`` is written as a holder: an agent by its id, a person as ``human-`` and their name's slug.

    A name without a Latin letter gets a short digest instead, so that two people never share a claim.
    """
    if not actor.is_human:
        return actor.name
    plain = " ".join(unicodedata.normalize("NFKC", actor.name).casefold().split())
    return f"{PERSON_PREFIX}{slug(plain) or sha256(plain.encode()).hexdigest()[:8]}"


def holder(state: State, todo: Todo, now: datetime) -> str | None:
    """Who holds the claim of ``todo`` at ``now``, as written in ``claimed_by``; ``None`` when nobody does any more.

    A claim that was made with a lease, or before it, ends with that lease. Any other one lapses when it is older than
    the Goal allows and its holder has neither an open turn on the Todo nor settled one lately. One without a time (it
    was typed before claims had one) never lapses by itself.
    """
    name, since = todo.claimed_by, todo.claimed_at
    if name is None or since is None:
        return name
    lease = state.lease(todo.id)
    if lease is not None and lease.owner == name:
        if standing_of(lease, now).is_live:
            return name
        if since <= lease.renewed_at:
            return None
    if now - since <= claim_ttl(state, todo.goal):
        return name
    return name if _is_at_work(state, todo, name, now) else None


def _is_at_work(state: State, todo: Todo, name: str, now: datetime) -> bool:
    """Whether ``name`` has a turn open on ``todo``, or settled one within the time a claim lasts."""
    if any(each.agent == name and each.todo == todo.id for each in state.open_turns(todo.goal)):
        return True
    since = now - claim_ttl(state, todo.goal)
    return any(each.todo == todo.id for each in state.turns(todo.goal, agent=name, since=since))
