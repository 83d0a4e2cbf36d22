"""The verbs of ``loopx todo`` that change one: add, edit, and every step of its life."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.assignments import assigned, items
from loopx.cli.grammar import Verb
from loopx.cli.inputs import text_or_stdin, words
from loopx.cli.keys import execution_key
from loopx.cli.options import writes
from loopx.cli.parameters import GOAL, TODO, one_of
from loopx.cli.request import Request
from loopx.cli.usage import usage
from loopx.cli.writing import answer_of, named, proposal, submit
from loopx.kernel.commands import (
    AddTodo,
    ArchiveTodo,
    BlockTodo,
    CancelTodo,
    ClaimTodo,
    CompleteTodo,
    DeferTodo,
    EditTodo,
    ReopenTodo,
    ResumeTodo,
    SupersedeTodo,
    UnclaimTodo,
)
from loopx.model.todo import Priority, Todo, TodoClass, Validation

_TIME_LIMIT = 600
_LEASE = click.option("--lease", "lease_key", metavar="KEY", help="Your execution key (default: $LOOPX_LEASE_KEY).")
_LEASE_VERSION = click.option(
    "--expect-lease-version", metavar="N", type=int, help="Refuse unless the lease is at this version."
)


@click.command(
    "add",
    cls=Verb,
    epilog='  loopx todo add "Write the guide" --goal beta --priority p1\n'
    '  loopx todo add "Deploy" --goal beta --requires production:goal:deploy --validate "pytest -q"',
)
@click.argument("title")
@click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal it belongs to.")
@click.option("--priority", type=one_of(Priority), default=Priority.P2.value, show_default=True, help="How urgent.")
@click.option(
    "--class",
    "todo_class",
    type=one_of(TodoClass),
    default=TodoClass.ADVANCEMENT.value,
    show_default=True,
    help="The sort of work.",
)
@click.option("--depends-on", metavar="T", multiple=True, type=TODO, help="A Todo to be done first (repeatable).")
@click.option("--requires", metavar="SCOPE", multiple=True, help="A decision an approved Gate must cover (repeatable).")
@click.option("--accept", metavar="A", multiple=True, help="A criterion of the Goal it advances (repeatable).")
@click.option("--validate", metavar="'CMD ARG…'", help="The command that proves it done; run without a shell.")
@click.option("--validate-timeout", metavar="SECONDS", type=click.IntRange(min=1), help="Time limit of that command.")
@click.option("--capability", metavar="NAME", multiple=True, help="What whoever does it must be able to (repeatable).")
@click.option("--write-scope", metavar="GLOB", multiple=True, help="Paths it may write (repeatable).")
@click.option("--exclude-agent", metavar="AGENT", multiple=True, help="An agent that may not take it (repeatable).")
@click.option("--target", help="Monitors: what is watched.")
@click.option("--cadence", metavar="LENGTH", help="Monitors: how often, such as 30m, 6h or 1d.")
@click.option("--expires-at", metavar="TIME", help="Monitors: when watching ends.")
@click.option("--material", metavar="TEXT", help="Monitors: what counts as a change that calls for work.")
@click.option("--watch-only", is_flag=True, help="Monitors: never calls for work by itself.")
@click.option("--tag", multiple=True, help="A free label (repeatable).")
@click.option("--body", metavar="TEXT|-", default="", help="Notes in full; - reads them from stdin.")
@writes
def add(
    request: Request,
    title: str,
    goal: str,
    priority: str,
    todo_class: str,
    depends_on: tuple[str, ...],
    requires: tuple[str, ...],
    accept: tuple[str, ...],
    validate: str | None,
    validate_timeout: int | None,
    capability: tuple[str, ...],
    write_scope: tuple[str, ...],
    exclude_agent: tuple[str, ...],
    target: str | None,
    cadence: str | None,
    expires_at: str | None,
    material: str | None,
    watch_only: bool,
    tag: tuple[str, ...],
    body: str,
) -> Answer:
    """Add a Todo; an open one of the same title is not added twice."""
    command = AddTodo(
        goal=goal,
        title=title,
        priority=Priority(priority),
        todo_class=TodoClass(todo_class),
        depends_on=depends_on,
        requires=requires,
        acceptance=accept,
        validation=_validation(validate, validate_timeout),
        capabilities=capability,
        write_scopes=write_scope,
        excluded_agents=exclude_agent,
        target=target,
        cadence=cadence,
        expires_at=expires_at,
        material=material,
        watch_only=watch_only,
        tags=tag,
        body=text_or_stdin(body, "--body"),
    )
    return submit(request, command, "added")


@click.command(
    "edit",
    cls=Verb,
    epilog="  loopx todo edit t-4k9x2m7q --priority p0 --add tags=docs\n  loopx todo edit t-4k9x2m7q --set depends_on=",
)
@click.argument("todo_id", metavar="TODO", type=TODO)
@click.option("--title", help="The new title.")
@click.option("--priority", type=one_of(Priority), help="The new priority.")
@click.option("--validate", metavar="'CMD ARG…'", help="The command that proves it done; run without a shell.")
@click.option("--validate-timeout", metavar="SECONDS", type=click.IntRange(min=1), help="Time limit of that command.")
@click.option("--body", metavar="TEXT|-", help="The new notes; - reads them from stdin.")
@click.option("--set", "settings", metavar="FIELD=VALUE", multiple=True, help="Set a field; an empty value clears it.")
@click.option("--add", "added", metavar="FIELD=ITEM", multiple=True, help="Add an item to a list field.")
@click.option("--remove", "removed", metavar="FIELD=ITEM", multiple=True, help="Remove an item from a list field.")
@writes
def edit(
    request: Request,
    todo_id: str,
    title: str | None,
    priority: str | None,
    validate: str | None,
    validate_timeout: int | None,
    body: str | None,
    settings: tuple[str, ...],
    added: tuple[str, ...],
    removed: tuple[str, ...],
) -> Answer:
    """Change fields of a Todo; nothing else in its file moves."""
    fields = assigned(Todo, settings)
    validation = _validation(validate, validate_timeout)
    if validation is not None:
        fields["validation"] = {"argv": list(validation.argv), "timeout_seconds": validation.timeout_seconds}
    fields |= {name: value for name, value in (("title", title), ("priority", priority)) if value is not None}
    command = EditTodo(
        todo=todo_id,
        fields=fields,
        add=items(Todo, added, "--add"),
        remove=items(Todo, removed, "--remove"),
        body=None if body is None else text_or_stdin(body, "--body"),
    )
    if not (command.fields or command.add or command.remove) and command.body is None:
        raise usage("Nothing to change was given; see --title, --priority, --body, --set, --add and --remove.")
    return submit(request, command, "changed")


@click.command("claim", cls=Verb)
@click.argument("todo_id", metavar="TODO", type=TODO)
@writes
def claim(request: Request, todo_id: str) -> Answer:
    """Say that you mean to do it."""
    return submit(request, ClaimTodo(todo=todo_id), "claimed")


@click.command("unclaim", cls=Verb)
@click.argument("todo_id", metavar="TODO", type=TODO)
@writes
def unclaim(request: Request, todo_id: str) -> Answer:
    """Give a claim up."""
    return submit(request, UnclaimTodo(todo=todo_id), "unclaimed")


@click.command("block", cls=Verb)
@click.argument("todo_id", metavar="TODO", type=TODO)
@click.option("--reason", required=True, help="What it is blocked by.")
@writes
def block(request: Request, todo_id: str, reason: str) -> Answer:
    """Say that it cannot go on, and why."""
    return submit(request, BlockTodo(todo=todo_id, reason=reason), "blocked")


@click.command("defer", cls=Verb, epilog="  loopx todo defer t-4k9x2m7q --until at:2026-03-01T08:00Z")
@click.argument("todo_id", metavar="TODO", type=TODO)
@click.option(
    "--until",
    metavar="COND",
    required=True,
    help="What ends it: todo_done:ID, gate_approved:ID, evidence:KEY, capability:NAME, at:TIME or pr_merged:#N.",
)
@writes
def defer(request: Request, todo_id: str, until: str) -> Answer:
    """Put it off until something happens."""
    return submit(request, DeferTodo(todo=todo_id, until=until), "deferred")


@click.command("resume", cls=Verb)
@click.argument("todo_id", metavar="TODO", type=TODO)
@writes
def resume(request: Request, todo_id: str) -> Answer:
    """Take a blocked or deferred Todo up again."""
    return submit(request, ResumeTodo(todo=todo_id), "resumed")


@click.command(
    "done",
    cls=Verb,
    epilog='  loopx todo done t-4k9x2m7q\n  loopx todo done t-4k9x2m7q --successor "Translate the guide"',
)
@click.argument("todo_id", metavar="TODO", type=TODO)
@click.option("--successor", "successors", metavar="TITLE|T", multiple=True, help="What carries it on (repeatable).")
@click.option("--no-follow-up", metavar="REASON", help="Nothing follows, and why.")
@click.option("--goal-continues", is_flag=True, help="Say that the Goal goes on by itself (the default).")
@click.option("--note", help="A remark for the record.")
@_LEASE
@_LEASE_VERSION
@writes
def done(
    request: Request,
    todo_id: str,
    successors: tuple[str, ...],
    no_follow_up: str | None,
    goal_continues: bool,
    note: str | None,
    lease_key: str | None,
    expect_lease_version: int | None,
) -> Answer:
    """Complete it; a validation it declares runs first and must pass."""
    from loopx.runtime.completion import finish

    command = CompleteTodo(
        todo=todo_id,
        successors=successors,
        no_follow_up=no_follow_up,
        goal_continues=goal_continues,
        note=note,
        lease_key=execution_key(request, lease_key),
        expect_lease_version=expect_lease_version,
    )
    proposed = proposal(request, command)
    with named(request, proposed.operation):
        committed = finish(request.door, proposed, request.around.environ)
    return answer_of(request, "done", committed)


@click.command("supersede", cls=Verb)
@click.argument("todo_id", metavar="TODO", type=TODO)
@click.option("--by", metavar="TITLE|T", multiple=True, required=True, help="What replaces it (repeatable).")
@click.option("--reason", help="Why.")
@_LEASE
@_LEASE_VERSION
@writes
def supersede(
    request: Request,
    todo_id: str,
    by: tuple[str, ...],
    reason: str | None,
    lease_key: str | None,
    expect_lease_version: int | None,
) -> Answer:
    """Replace it by other Todos, which take over what it requires."""
    command = SupersedeTodo(
        todo=todo_id,
        by=by,
        reason=reason,
        lease_key=execution_key(request, lease_key),
        expect_lease_version=expect_lease_version,
    )
    return submit(request, command, "superseded")


@click.command("cancel", cls=Verb)
@click.argument("todo_id", metavar="TODO", type=TODO)
@click.option("--reason", required=True, help="Why it will not be done.")
@_LEASE
@_LEASE_VERSION
@writes
def cancel(
    request: Request, todo_id: str, reason: str, lease_key: str | None, expect_lease_version: int | None
) -> Answer:
    """Give it up."""
    command = CancelTodo(
        todo=todo_id,
        reason=reason,
        lease_key=execution_key(request, lease_key),
        expect_lease_version=expect_lease_version,
    )
    return submit(request, command, "cancelled")


@click.command("reopen", cls=Verb)
@click.argument("todo_id", metavar="TODO", type=TODO)
@click.option("--reason", required=True, help="Why it is not finished after all.")
@writes
def reopen(request: Request, todo_id: str, reason: str) -> Answer:
    """Open a finished Todo again; only a person may."""
    return submit(request, ReopenTodo(todo=todo_id, reason=reason), "reopened")


@click.command("archive", cls=Verb)
@click.argument("todo_id", metavar="TODO", type=TODO)
@writes
def archive(request: Request, todo_id: str) -> Answer:
    """Move a finished Todo out of the working folder."""
    return submit(request, ArchiveTodo(todo=todo_id), "archived")


def _validation(command: str | None, timeout: int | None) -> Validation | None:
    if command is None:
        if timeout is not None:
            raise usage("--validate-timeout goes with --validate.", "--validate-timeout")
        return None
    return Validation(argv=words(command, "--validate"), timeout_seconds=timeout or _TIME_LIMIT)
