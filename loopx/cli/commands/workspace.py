"""``loopx init``, ``where``, ``check`` and ``schema``: the workspace itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loopx.cli.answer import Answer
from loopx.cli.documents import values
from loopx.cli.grammar import Verb
from loopx.cli.options import common
from loopx.cli.parameters import one_of
from loopx.cli.prompting import ask_yes, can_ask
from loopx.cli.request import Request
from loopx.cli.texts.checks import check_lines, fix_lines
from loopx.cli.texts.places import made_lines, where_lines
from loopx.cli.usage import usage
from loopx.errors import Problem
from loopx.model.kind import Kind

if TYPE_CHECKING:
    from loopx.workspace.reports import CheckReport, Fix


@click.command(
    "init", cls=Verb, epilog='  loopx init --title "Beta"\n  loopx init ~/notes --git-dir ~/.loopx-notes.git'
)
@click.argument("path", metavar="[PATH]", required=False)
@click.option("--title", help="What the workspace is for (default: the project folder's name).")
@click.option("--git-dir", metavar="PATH", help="Keep the history there, outside the project.")
@click.option("--sign", is_flag=True, help="Sign every commit as Git is configured to.")
@common
def init(request: Request, path: str | None, title: str | None, git_dir: str | None, sign: bool) -> Answer:
    """Make a workspace in a project."""
    if path is not None and request.workspace is not None:
        raise usage("PATH and --workspace name the same thing; give one.", "--workspace")
    target = path or request.workspace
    made = request.use(
        request.around.create(
            Path(target).expanduser() if target else None,
            title=title,
            git_dir=Path(git_dir).expanduser() if git_dir else None,
            sign=sign,
            environ=request.around.environ,
        )
    )
    where = made.where()
    facts = {**values(where), "created": made.created, "notes": list(made.notes)}
    return Answer(facts, lambda _screen: made_lines(where, made.created, made.notes), where.head)


@click.command("where", cls=Verb)
@common
def where(request: Request) -> Answer:
    """Show which workspace is used, and why."""
    found = request.door.where()
    return Answer(values(found), lambda screen: where_lines(found, screen), found.head)


@click.command("check", cls=Verb, epilog="  loopx check\n  loopx check --fix")
@click.option("--fix", is_flag=True, help="Show what can surely be repaired, ask, and repair it.")
@click.option("--yes", is_flag=True, help="With --fix: repair without asking.")
@common
def check(request: Request, fix: bool, yes: bool) -> Answer:
    """Check every document and say where each problem is."""
    if yes and not fix:
        raise usage("--yes means something with --fix only.", "--yes")
    report = request.door.check(fix=fix, confirm=(lambda fixes: _confirmed(fixes, yes)) if fix else None)
    return Answer(values(report), lambda screen: check_lines(report, screen, fix=fix), problem=_problem(report))


@click.command("schema", cls=Verb, epilog="  loopx schema todo")
@click.argument("kind", metavar="[KIND]", required=False, type=one_of(Kind))
@common
def schema(request: Request, kind: str | None) -> Answer:
    """Print the JSON Schema of a kind of file; without one, list the kinds."""
    if kind is None:
        kinds = [each.value for each in Kind]
        return Answer({"kinds": kinds}, lambda _screen: kinds)
    found = _schema(Kind(kind))
    return Answer({"kind": kind, "schema": found}, lambda _screen: [_written(found)])


def _confirmed(fixes: list[Fix], yes: bool) -> bool:
    if yes or not fixes:
        return yes
    return can_ask() and ask_yes(fix_lines(fixes), "Make these repairs?")


def _problem(report: CheckReport) -> Problem | None:
    if not report.problems:
        return None
    count = len(report.problems)
    message = f"{count} problem{'' if count == 1 else 's'} found."
    return Problem("problems-found", message, facts={"count": count})


def _schema(kind: Kind) -> dict[str, Any]:
    from loopx.model.validation import json_schema

    return json_schema(kind)


def _written(schema_of: dict[str, Any]) -> str:
    import json

    return json.dumps(schema_of, indent=2, ensure_ascii=False)
