"""The verbs of ``loopx lease`` that change one."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.inputs import seconds
from loopx.cli.keys import execution_key
from loopx.cli.options import writes
from loopx.cli.parameters import TODO
from loopx.cli.request import Request
from loopx.cli.texts.leases import answered_facts, answered_lines
from loopx.cli.usage import usage
from loopx.cli.writing import named, with_pages
from loopx.kernel.commands import AcquireLease, Command, ReleaseLease, RenewLease, TransferLease
from loopx.model.ids import KEY, derived

_KEY = click.option("--key", metavar="KEY", help="The execution key of the lease (default: $LOOPX_LEASE_KEY).")
_VERSION = click.option(
    "--expect-lease-version", "version", metavar="N", type=int, required=True, help="The version you last saw."
)


@click.command(
    "acquire",
    cls=Verb,
    epilog="  loopx lease acquire t-4k9x2m7q\n  loopx lease acquire t-4k9x2m7q --ttl 2h --write 'docs/**' --json",
)
@click.argument("todo_id", metavar="TODO", type=TODO)
@click.option("--key", metavar="KEY", help="An execution key nobody has used (default: one is made).")
@click.option("--ttl", metavar="TIME", help="How long it lives after each renewal, such as 30m; at most 24h.")
@click.option("--write", "write_scopes", metavar="PATTERN", multiple=True, help="Paths it may write (repeatable).")
@click.option("--take-over", is_flag=True, help="Retire the key of your own live lease, which is lost.")
@writes
def acquire(
    request: Request,
    todo_id: str,
    key: str | None,
    ttl: str | None,
    write_scopes: tuple[str, ...],
    take_over: bool,
) -> Answer:
    """Take the lease of a Todo, and its claim; nobody else executes it while it lives."""
    operation = request.op or (request.door.fresh_operation() if key is None else None)
    command = AcquireLease(
        todo=todo_id,
        key=key if key is not None else derived(KEY, operation or ""),
        ttl_seconds=None if ttl is None else seconds(ttl, "--ttl"),
        write_scopes=write_scopes,
        take_over=take_over,
    )
    return _submitted(request, command, "acquired", operation)


@click.command("renew", cls=Verb, epilog="  loopx lease renew t-4k9x2m7q --key k-4k9x2m7q --expect-lease-version 3")
@click.argument("todo_id", metavar="TODO", type=TODO)
@_KEY
@_VERSION
@writes
def renew(request: Request, todo_id: str, key: str | None, version: int) -> Answer:
    """Show that you go on; the lease lives anew from now."""
    command = RenewLease(todo=todo_id, key=_needed(request, key), version=version)
    return _submitted(request, command, "renewed", request.op)


@click.command(
    "transfer",
    cls=Verb,
    epilog="  loopx lease transfer t-4k9x2m7q --to codex --key k-4k9x2m7q --expect-lease-version 3",
)
@click.argument("todo_id", metavar="TODO", type=TODO)
@click.option("--to", metavar="HOLDER", required=True, help="Who goes on: an agent's name, or human:NAME.")
@_KEY
@_VERSION
@click.option("--new-key", metavar="KEY", help="The key of whoever goes on (default: one is made).")
@writes
def transfer(request: Request, todo_id: str, to: str, key: str | None, version: int, new_key: str | None) -> Answer:
    """Hand lease and claim to somebody else; your key proves nothing from then on."""
    operation = request.op or (request.door.fresh_operation() if new_key is None else None)
    fresh = new_key if new_key is not None else derived(KEY, operation or "")
    command = TransferLease(todo=todo_id, key=_needed(request, key), version=version, to=to, new_key=fresh)
    return _submitted(request, command, "transferred", operation)


@click.command(
    "release",
    cls=Verb,
    epilog='  loopx lease release t-4k9x2m7q --key k-4k9x2m7q\n  loopx lease release t-4k9x2m7q --reason "it is stuck"',
)
@click.argument("todo_id", metavar="TODO", type=TODO)
@_KEY
@click.option("--reason", help="Why it ends.")
@writes
def release(request: Request, todo_id: str, key: str | None, reason: str | None) -> Answer:
    """Give the lease back, and the claim; an operator ends anybody's without a key."""
    command = ReleaseLease(todo=todo_id, key=execution_key(request, key), reason=reason)
    return _submitted(request, command, "released", request.op)


def _needed(request: Request, typed: str | None) -> str:
    key = execution_key(request, typed)
    if key is None:
        raise usage("The execution key is missing: pass --key, or set LOOPX_LEASE_KEY.", "--key")
    return key


def _submitted(request: Request, command: Command, done: str, operation: str | None) -> Answer:
    """Hand ``command`` over under ``operation``, from which a key that was made follows: the same id, the same key."""
    proposed = request.door.proposal(command, actor=request.who, op=operation, expect_revision=request.expect_revision)
    with named(request, proposed.operation):
        committed = with_pages(request, request.door.settle(proposed))
    facts = answered_facts(committed)
    return Answer(
        facts, lambda screen: answered_lines(committed, facts, done, screen), committed.revision, committed.warnings
    )
