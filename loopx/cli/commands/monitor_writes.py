"""The verb of ``loopx monitor`` that records a look."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.inputs import text_or_stdin
from loopx.cli.options import writes
from loopx.cli.parameters import TODO
from loopx.cli.request import Request
from loopx.cli.writing import submit
from loopx.kernel.commands import PollMonitor


@click.command(
    "poll",
    cls=Verb,
    epilog="  curl -s https://example.org | loopx monitor poll t-4k9x2m7q --target https://example.org --seen -\n"
    "  loopx monitor poll t-4k9x2m7q --target https://example.org --dead",
)
@click.argument("todo_id", metavar="TODO", type=TODO)
@click.option("--target", required=True, metavar="TARGET", help="What was looked at; the monitor's own target.")
@click.option("--seen", metavar="TEXT|-", help="What was read there; - reads it from stdin. A digest of it is kept.")
@click.option("--dead", is_flag=True, help="Nothing could be read.")
@click.option("--material/--not-material", default=None, help="Whether it calls for work, whatever it was before.")
@click.option("--summary", metavar="TEXT", help="What was seen, in one line.")
@click.option("--successor", "successors", metavar="TITLE|T", multiple=True, help="What carries it on (repeatable).")
@click.option("--no-follow-up", metavar="REASON", help="It calls for work and yet nothing follows, and why.")
@writes
def poll(
    request: Request,
    todo_id: str,
    target: str,
    seen: str | None,
    dead: bool,
    material: bool | None,
    summary: str | None,
    successors: tuple[str, ...],
    no_follow_up: str | None,
) -> Answer:
    """Record one look at what a monitor watches."""
    command = PollMonitor(
        todo=todo_id,
        target=target,
        seen=None if seen is None else text_or_stdin(seen, "--seen"),
        is_dead=dead,
        is_material=material,
        summary=summary,
        successors=successors,
        no_follow_up=no_follow_up,
    )
    return submit(request, command, "looked at")
