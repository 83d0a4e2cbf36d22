"""What a lease is asked on: holder, key, time to live and write scopes, read from a request and compared with a record.

The verbs of leases ask; nothing here looks at who may.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from loopx.kernel.agents import unregistered
from loopx.kernel.claims import holder_name
from loopx.kernel.context import Context
from loopx.kernel.fencing import excluded
from loopx.kernel.policies import LEASE_TTL_LIMIT, lease_ttl
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import folded_name
from loopx.kernel.state import State
from loopx.kernel.texts import bad_agent, bad_lines, fits
from loopx.kernel.wording import quoted, refuse
from loopx.model.actor import Actor, ActorKind
from loopx.model.defining import dataclass
from loopx.model.forms import ExecutionKey
from loopx.model.todo import Todo

if TYPE_CHECKING:
    from loopx.kernel.commands import AcquireLease
    from loopx.model.lease import Lease

_LONGEST_TTL = int(LEASE_TTL_LIMIT.total_seconds())


@dataclass(frozen=True, slots=True)
class Terms:
    """What an acquire asks for, with what was left out filled in. ``digest`` stands for the request as it was made."""

    owner: str
    key: str
    ttl_seconds: int
    write_scopes: tuple[str, ...]
    digest: str

    def are_those_of(self, lease: Lease) -> bool:
        """Whether ``lease`` was given on these terms: asked for in the same words, or coming to the same."""
        same = (self.ttl_seconds, set(self.write_scopes)) == (lease.ttl_seconds, set(lease.write_scopes))
        return self.owner == lease.owner and (self.digest == lease.terms or same)


def read_terms(state: State, todo: Todo, command: AcquireLease, context: Context) -> Terms | Refused:
    """The terms ``command`` asks for; the policy says how long, and the Todo where, when it does not."""
    refused = bad_key(command.key) or _bad_ttl(command.ttl_seconds) or bad_lines(command.write_scopes, "write_scopes")
    if refused:
        return refused
    owner = holder_name(context.actor)
    ttl = command.ttl_seconds or int(lease_ttl(state).total_seconds())
    digest = terms_digest(owner, todo.id, command.ttl_seconds, command.write_scopes)
    return Terms(owner, command.key, ttl, command.write_scopes or todo.write_scopes, digest)


def terms_digest(owner: str, todo: str, ttl_seconds: int | None, write_scopes: Sequence[str]) -> str:
    """SHA-256 (hex) of the terms as asked for; scopes in any order."""
    asked = {"owner": owner, "todo": todo, "ttl_seconds": ttl_seconds, "write_scopes": sorted(write_scopes)}
    return sha256(json.dumps(asked, sort_keys=True).encode("ascii")).hexdigest()


def bad_key(key: str) -> Refused | None:
    """The refusal of a text that cannot be an execution key."""
    if fits(key, ExecutionKey):
        return None
    return refuse("lease-key-invalid", f"{quoted(key)} cannot be an execution key.", field="key")


def read_recipient(state: State, todo: Todo, typed: str) -> str | Refused:
    """The holder ``typed`` names: an agent's id, ``agent:ID`` or ``human:NAME``; refused when it may not take over."""
    actor = _actor(typed)
    if isinstance(actor, Refused):
        return actor
    refused = None if actor.is_human else unregistered(state, actor.name, todo.goal)
    return refused or excluded(todo, actor) or holder_name(actor)


def _actor(typed: str) -> Actor | Refused:
    text = typed if ":" in typed else f"{ActorKind.AGENT}:{folded_name(typed)}"
    try:
        return Actor.parse(text)
    except ValueError:
        return bad_agent(typed) or refuse("agent-invalid", f"{quoted(typed)} names nobody.", field="to")


def _bad_ttl(seconds: int | None) -> Refused | None:
    if seconds is None or 1 <= seconds <= _LONGEST_TTL:
        return None
    message = f"A lease of {seconds} seconds was asked for; it lives for 1 to {_LONGEST_TTL}."
    return refuse("lease-ttl-invalid", message, field="ttl_seconds", asked=seconds, limit=_LONGEST_TTL)
