"""``loopx edit``: hand edits that are not part of history, and what to do with each."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.documents import values
from loopx.cli.grammar import Noun
from loopx.cli.options import common, settles
from loopx.cli.request import Request
from loopx.cli.texts.edits import edit_lines
from loopx.cli.writing import answer_of, render_pages
from loopx.errors import Problem

_MISSED = ("edits-pending", "history-rewritten")
"""Why there may be edits that are not listed."""


@click.group("edit", cls=Noun)
def edit() -> None:
    """Hand edits that are not accepted yet."""


@edit.command("list")
@common
def listing(request: Request) -> Answer:
    """List edits that wait, with the reason and the next step; exits 1 when there are any."""
    missed = tuple(each for each in request.view().warnings if each.code in _MISSED)
    found = request.door.edits(take_in=False)
    problem = None
    if found:
        message = f"{len(found)} hand edit{' is' if len(found) == 1 else 's are'} not accepted."
        problem = Problem("problems-found", message, facts={"count": len(found)})
    facts = {"edits": [values(each) for each in found], "count": len(found)}
    return Answer(facts, lambda screen: edit_lines(found, screen), warnings=missed, problem=problem)


@edit.command("accept", epilog="  loopx edit accept goals/beta/todos/t-4k9x2m7q-guide.md")
@click.argument("path", metavar="PATH")
@settles
def accept(request: Request, path: str) -> Answer:
    """Take an edit in now; a guard that refuses it still does."""
    committed = request.door.accept_edit(request.path_below(path), actor=request.who)
    return answer_of(request, "accepted", committed)


@edit.command("discard", epilog="  loopx edit discard goals/beta/todos/t-4k9x2m7q-guide.md")
@click.argument("path", metavar="PATH")
@settles
def discard(request: Request, path: str) -> Answer:
    """Put the last accepted version back; what was typed is kept aside."""
    named = request.path_below(path)
    kept = request.door.discard_edit(named, actor=request.who)
    warnings = render_pages(request) if request.render else ()
    said = f"{named} put back · what was typed is in {kept}"
    return Answer({"path": named, "kept": kept}, lambda _screen: [said], warnings=warnings)
