"""``loopx plan migrate``: reading plans of the old form, and taking one over."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.inputs import text_of
from loopx.cli.keys import execution_key
from loopx.cli.options import common
from loopx.cli.parameters import TODO
from loopx.cli.request import Request, found
from loopx.cli.texts.old_plans import old_facts, old_lines
from loopx.kernel.resolve import find_todo


@click.command(
    "migrate",
    cls=Verb,
    epilog="  loopx plan migrate old-plan.json\n  loopx plan migrate old-plan.json --todo t-4k9x2m7q",
)
@click.argument("file", metavar="FILE|-")
@click.option("--todo", metavar="TODO", type=TODO, help="Take it over as a run of this Todo (default: only show it).")
@click.option("--lease", "lease_key", metavar="KEY", help="Your execution key (default: $LOOPX_LEASE_KEY).")
@common
def migrate(request: Request, file: str, todo: str | None, lease_key: str | None) -> Answer:
    """Show what an old plan becomes, step by step; with --todo, make it."""
    from loopx.loop.plans.migration import migrate as take_over
    from loopx.loop.plans.migration import read_plan

    old = read_plan(text_of(request.around.folder, file, "FILE") or "", "stdin" if file == "-" else file)
    if todo is None:
        return Answer(lambda: old_facts(old), lambda screen: old_lines(old, screen))
    of = found(find_todo(request.door.read().state, todo))
    run = take_over(
        request.door, of.id, old, request.who, lease_key=execution_key(request, lease_key), is_verified=False
    )
    revision = request.door.read(take_in=False).revision
    facts = {**old_facts(old), "run": run, "todo": of.id}
    return Answer(facts, lambda screen: old_lines(old, screen, run, of.id), revision)
