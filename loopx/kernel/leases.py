"""The verbs of Leases: acquire, renew, transfer, release. Every check in one fixed order, each with a code of its own.

A lease says who executes a Todo right now. It takes the claim with it, and gives it up with itself, so that the two
are one fact. Nobody's word ends a live one but its holder's, with the key, and an operator's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from loopx.kernel import proving
from loopx.kernel.agents import unregistered
from loopx.kernel.answering import accepted, headline, stamp
from loopx.kernel.authority import is_operator, person_only
from loopx.kernel.claims import holder_name
from loopx.kernel.commands import AcquireLease, Command, ReleaseLease, RenewLease, TransferLease
from loopx.kernel.context import Context
from loopx.kernel.fencing import closed, excluded, held_by_another
from loopx.kernel.holding import claimed
from loopx.kernel.lease_keys import known, unusable
from loopx.kernel.lease_record import ended, granted, lease_facts, renewed, with_lease_of_today
from loopx.kernel.lease_standing import live_lease, standing_of
from loopx.kernel.lease_terms import Terms, bad_key, read_recipient, read_terms, terms_digest
from loopx.kernel.outcome import Accepted, Change, Outcome, Receipt, Record, Refused
from loopx.kernel.resolve import find_todo
from loopx.kernel.scopes import overlap
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line
from loopx.kernel.transitions import update
from loopx.kernel.wording import cut, listed, quoted, refuse
from loopx.model.actor import Origin
from loopx.model.lease import Lease, LeaseStatus
from loopx.model.todo import Todo, TodoStatus


def acquire(state: State, command: AcquireLease, context: Context) -> Outcome:
    """Take the lease of a Todo, and its claim.

    The same key on the same terms while the lease lives is answered with the original receipt and the lease as it is
    now; nothing changes.
    """
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    terms = read_terms(state, todo, command, context)
    if isinstance(terms, Refused):
        return terms
    if refused := _may_not_execute(state, todo, context):
        return refused
    lease = state.lease(todo.id)
    if _is_repeated(lease, terms, context):
        assert lease is not None
        return _repeated(state, lease, context)
    if refused := unusable(state, todo, lease, terms, context) or _taken(todo, lease, command, context):
        return refused
    if refused := _scope_conflict(state, todo, terms.write_scopes, context):
        return refused
    return _granted(state, command, todo, lease, terms, context)


def renew(state: State, command: RenewLease, context: Context) -> Outcome:
    """Show that the holder goes on; the epoch stays."""
    found = _proven(state, command, context)
    if isinstance(found, Refused):
        return found
    todo, lease = found
    after = renewed(lease, context)
    return _answer(command, context, todo, after, [Record(after)])


def transfer(state: State, command: TransferLease, context: Context) -> Outcome:
    """Hand lease and claim to another under a new key, in one change. Whoever had them is fenced from then on."""
    found = _proven(state, command, context)
    if isinstance(found, Refused):
        return found
    todo, lease = found
    to = read_recipient(state, todo, command.to)
    if isinstance(to, Refused):
        return to
    if to == lease.owner:
        return proving.held_by_you(todo, lease, ", and a transfer is to somebody else")
    if refused := bad_key(command.new_key) or known(state, todo, lease, command.new_key, context):
        return refused
    after = _handed_over(lease, to, command.new_key, context)
    return _answer(command, context, todo, after, [Record(after), _claim(state, todo, to, context, is_new=True)])


def release(state: State, command: ReleaseLease, context: Context) -> Outcome:
    """Give the lease back, and the claim with it. Given back already is no error and changes nothing.

    An operator ends anybody's without a key, so that nobody is stuck for ever behind a holder that only renews.
    """
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    if command.reason is not None and (refused := bad_line(command.reason, "reason")):
        return refused
    lease = state.lease(todo.id)
    if lease is None or _is_over(lease, command):
        return _answer(command, context, todo, lease, [])
    if refused := _may_not_release(state, todo, lease, command, context):
        return refused
    after = ended(lease, context, _why(lease, command, context))
    changes: list[Change] = [Record(after)]
    if todo.claimed_by == lease.owner:
        changes.append(update(todo, claimed_by=None, claimed_at=None))
    return _answer(command, context, todo, after, changes, body=command.reason or "")


# who may ---------------------------------------------------------------------------------------


def _may_not_execute(state: State, todo: Todo, context: Context) -> Refused | None:
    """Registered, not excluded, the Todo open, no claim of another that still holds."""
    actor = context.actor
    refused = None if actor.is_human else unregistered(state, actor.name, todo.goal)
    refused = refused or excluded(todo, actor)
    if refused:
        return refused
    if todo.status.is_closed:
        return closed(todo)
    if todo.status is not TodoStatus.OPEN:
        message = f"{todo.id} {quoted(todo.title)} is {todo.status}."
        return refuse("todo-not-open", message, field="status", todo=todo.id, status=todo.status.value)
    if live_lease(state, todo.id, context.now) is not None:
        return None  # whose lease it is comes later; a claim beside a live lease disarms nobody
    return held_by_another(state, todo, context)


def _proven(state: State, command: RenewLease | TransferLease, context: Context) -> tuple[Todo, Lease] | Refused:
    """The Todo and the actor's live lease of it, at the version expected."""
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    actor = context.actor
    refused = None if actor.is_human else unregistered(state, actor.name, todo.goal)
    if refused := refused or excluded(todo, actor):
        return refused
    lease = proving.proven(state, todo, context, command.key)
    if isinstance(lease, Refused):
        return lease
    return proving.expected_version(todo, lease, command.version) or (todo, lease)


def _may_not_release(state: State, todo: Todo, lease: Lease, command: ReleaseLease, context: Context) -> Refused | None:
    is_live, is_own = standing_of(lease, context.now).is_live, lease.owner == holder_name(context.actor)
    if is_own and (command.key == lease.key or (command.key is None and not is_live)):
        return None
    if command.key is None and is_operator(state, context.actor):
        return None
    if command.key is None and context.actor.is_human and not is_own:
        return person_only(state, context, f"ending the lease of {lease.owner}")
    if not is_own:
        return proving.held(todo, lease, context) if is_live else proving.missing(todo)
    return proving.wrong(todo, command.key) if command.key is not None else proving.key_missing(todo, lease)


def _is_over(lease: Lease, command: ReleaseLease) -> bool:
    """Whether what is to be given back has been already: the lease is free, or the key stands for an earlier one."""
    is_earlier = command.key is not None and proving.retired_key(lease, command.key) is not None
    return lease.status is LeaseStatus.RELEASED or is_earlier


def _why(lease: Lease, command: ReleaseLease, context: Context) -> str:
    if command.reason is not None:
        return cut(command.reason, 200)
    is_own = lease.owner == holder_name(context.actor)
    return "released" if is_own else cut(f"released by {context.actor}", 200)


# keys, terms and scopes ------------------------------------------------------------------------


def _is_repeated(lease: Lease | None, terms: Terms, context: Context) -> bool:
    """Whether this very lease was asked for before and is live still."""
    return (
        lease is not None
        and lease.key == terms.key
        and lease.owner == terms.owner
        and terms.are_those_of(lease)
        and standing_of(lease, context.now).is_live
    )


def _taken(todo: Todo, lease: Lease | None, command: AcquireLease, context: Context) -> Refused | None:
    """The refusal over a live lease: another's, or the actor's own under a key it did not give."""
    if lease is None or not standing_of(lease, context.now).is_live:
        return None
    if lease.owner != holder_name(context.actor):
        return proving.held(todo, lease, context)
    return None if command.take_over else proving.held_by_you(todo, lease)


def _scope_conflict(state: State, todo: Todo, scopes: Sequence[str], context: Context) -> Refused | None:
    """The refusal over what another Todo of the Goal is executed on right now."""
    if not scopes:
        return None
    for each in state.leases(todo.goal, {LeaseStatus.ACTIVE}):
        is_live = standing_of(each, context.now).is_live
        if each.todo != todo.id and is_live and overlap(scopes, each.write_scopes):
            return _scopes_held(each, scopes, context)
    return None


def _scopes_held(lease: Lease, scopes: Sequence[str], context: Context) -> Refused:
    end = lease_facts(lease, context.now)["expires_at"]
    message = f"{lease.owner} executes {lease.todo} until {end}, which may write {listed(lease.write_scopes, 3)} too."
    hint = f"Wait, or ask for other scopes; `loopx lease show {lease.todo}` tells how that one stands."
    facts = {"todo": lease.todo, "holder": lease.owner, "expires_at": end, "asked": list(scopes)}
    return refuse("write-scope-conflict", message, hint, field="write_scopes", **facts)


# answers ---------------------------------------------------------------------------------------


def _granted(
    state: State, command: AcquireLease, todo: Todo, before: Lease | None, terms: Terms, context: Context
) -> Outcome:
    was_live = before is not None and standing_of(before, context.now).is_live
    after = granted(
        before,
        context,
        todo=todo.id,
        goal=todo.goal,
        owner=terms.owner,
        key=terms.key,
        ttl_seconds=terms.ttl_seconds,
        write_scopes=terms.write_scopes,
        terms=terms.digest,
        reason="taken over" if was_live else "expired",
    )
    return _answer(command, context, todo, after, [Record(after), _claim(state, todo, terms.owner, context)])


def _handed_over(lease: Lease, to: str, key: str, context: Context) -> Lease:
    return granted(
        lease,
        context,
        todo=lease.todo,
        goal=lease.goal,
        owner=to,
        key=key,
        ttl_seconds=lease.ttl_seconds,
        write_scopes=lease.write_scopes,
        terms=terms_digest(to, lease.todo, None, ()),
        reason="transferred",
    )


def _claim(state: State, todo: Todo, owner: str, context: Context, *, is_new: bool = False) -> Change:
    if is_new:
        return update(todo, claimed_by=owner, claimed_at=stamp(context))
    return update(todo, **claimed(state, todo, owner, context))


def _repeated(state: State, lease: Lease, context: Context) -> Outcome:
    """The receipt of the operation that acquired ``lease``, with the lease as it is now."""
    original = state.receipt(lease.acquired_by) or _rebuilt(lease, context)
    told = replace(original, result=with_lease_of_today(state, original.result, context.now))
    return Accepted((), told, f"{original.subject}: replay {original.operation}")


def _rebuilt(lease: Lease, context: Context) -> Receipt:
    """The receipt of an acquire that cannot be found, from the record it left."""
    result = {"id": lease.todo, "owner": lease.owner, "key": lease.key, "epoch": lease.epoch, "rebuilt": True}
    return Receipt(
        operation=lease.acquired_by,
        command=AcquireLease.name,
        actor=context.actor,
        origin=Origin.COMMAND,
        subject=f"lease {lease.todo}",
        goal=lease.goal,
        request="",
        at=lease.acquired_at,
        result=result,
    )


def _answer(
    command: Command, context: Context, todo: Todo, lease: Lease | None, changes: Sequence[Change], body: str = ""
) -> Accepted:
    result: dict[str, Any] = {"id": todo.id, "already": not changes}
    if lease is not None:
        result |= _told(lease, context)
    return accepted(
        command,
        context,
        subject=f"lease {todo.id}",
        goal=todo.goal,
        headline=headline("lease", command.name.split()[1], todo.id, todo.title),
        changes=changes,
        body=body,
        result=result,
    )


def _told(lease: Lease, context: Context) -> Mapping[str, Any]:
    """What a receipt tells of the lease as the operation left it."""
    facts = lease_facts(lease, context.now)
    named = {name: facts[name] for name in ("status", "owner", "epoch", "version")}
    if lease.status is LeaseStatus.ACTIVE:
        return {**named, "key": lease.key, "expires_at": facts["expires_at"]}
    return named
