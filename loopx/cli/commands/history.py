"""``loopx log``, ``show``, ``diff`` and ``history``: the audit trail, read; and what to do when it was rewritten."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.documents import values
from loopx.cli.grammar import Noun, Verb
from loopx.cli.inputs import moment
from loopx.cli.lookups import known_id
from loopx.cli.options import common, nameless, settles
from loopx.cli.request import Request
from loopx.cli.texts.history import commit_lines, log_lines, patch_lines
from loopx.cli.usage import usage
from loopx.cli.writing import answer_of

_LIMIT = 50


@click.command("log", cls=Verb, epilog="  loopx log t-4k9x2m7q\n  loopx log --actor agent:claude --since 2d")
@click.argument("about", metavar="[ID]", required=False)
@click.option("--actor", "by", metavar="ACTOR", help="Only what this actor did: human:NAME or agent:ID.")
@click.option("--command", metavar="COMMAND", help='Only this command, such as "todo done".')
@click.option("--since", metavar="TIME", help="Only since then: 2d, 2026-01-31 or 2026-01-31T08:00Z.")
@click.option("--limit", type=click.IntRange(min=1), default=_LIMIT, show_default=True, help="How many at most.")
@click.option("--all", "every", is_flag=True, help="All of it, however much it is.")
@nameless
def log(
    request: Request,
    about: str | None,
    by: str | None,
    command: str | None,
    since: str | None,
    limit: int,
    every: bool,
) -> Answer:
    """List what was done, newest first."""
    return _logged(request, about, by, command, since, None if every else limit, every)


@click.command("show", cls=Verb, epilog="  loopx show HEAD\n  loopx show 3f2a1bc --json")
@click.argument("revision", metavar="REV")
@common
def show(request: Request, revision: str) -> Answer:
    """Show one revision: who, why, and what changed."""
    found = request.door.show(revision)
    facts = {**values(found.entry), "message": found.message, "receipt": found.receipt, "patch": found.patch}
    return Answer(facts, lambda screen: commit_lines(found, screen), found.entry.revision)


@click.command("diff", cls=Verb, epilog="  loopx diff HEAD~3\n  loopx diff 3f2a1bc HEAD --id t-4k9x2m7q")
@click.argument("old", metavar="REV")
@click.argument("new", metavar="[REV]", required=False)
@click.option("--id", "ids", metavar="ID", multiple=True, help="Only the documents of this id (repeatable).")
@common
def diff(request: Request, old: str, new: str | None, ids: tuple[str, ...]) -> Answer:
    """Show what differs between two revisions."""
    named = tuple(known_id(request.door.read().state, each) for each in ids)
    patch = request.door.diff(old, new, named)
    return Answer({"old": old, "new": new, "patch": patch}, lambda screen: patch_lines(patch, screen))


@click.group("history", cls=Noun)
def history() -> None:
    """Look at history, or settle it after it was rewritten."""


@history.command("list")
@click.option("--limit", type=click.IntRange(min=1), default=_LIMIT, show_default=True, help="How many at most.")
@common
def listing(request: Request, limit: int) -> Answer:
    """List what was done, newest first (the same as `loopx log`)."""
    return _logged(request, None, None, None, None, limit, False)


@history.command("keep", epilog='  loopx history keep old --reason "The rebase was a mistake"')
@click.argument("which", metavar="old|new", type=click.Choice(["old", "new"]))
@click.option("--reason", required=True, help="Why, for the audit trail.")
@settles
def keep(request: Request, which: str, reason: str) -> Answer:
    """After somebody rewrote history: go on from the old last revision, or from the new one."""
    committed = request.door.choose_history(which, actor=request.who, reason=reason)
    return answer_of(request, f"settled: the {which} one is kept", committed)


def _logged(
    request: Request,
    about: str | None,
    by: str | None,
    command: str | None,
    since: str | None,
    limit: int | None,
    every: bool,
) -> Answer:
    at = None if since is None else moment(since, request.around.clock().now(), "--since")
    if by is not None and ":" not in by:
        raise usage(f"{by!r} is not human:NAME or agent:ID.", "--actor")
    about = None if about is None else known_id(request.door.read().state, about)
    asked = None if limit is None else limit + 1  # one more tells whether something was left out
    read = request.door.log(id=about, actor=by, command=command, since=at, limit=asked, every=every)
    found = read[:limit]
    truncated = len(read) > len(found)
    facts = {"entries": [values(each) for each in found], "count": len(found), "truncated": truncated}
    return Answer(facts, lambda screen: log_lines(found, truncated, screen))
