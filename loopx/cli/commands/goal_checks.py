"""``loopx goal check``: LoopX runs what criteria declare, and keeps what it found."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.options import operates
from loopx.cli.parameters import GOAL
from loopx.cli.request import Request
from loopx.cli.texts.evidence import check_facts, check_lines
from loopx.cli.writing import named, render_pages


@click.command("check", cls=Verb, epilog="  loopx goal check beta\n  loopx goal check beta a1 --json")
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@click.argument("criteria", metavar="[CRITERION]...", nargs=-1)
@operates
def check(request: Request, goal_id: str, criteria: tuple[str, ...]) -> Answer:
    """Run the checks of a Goal's criteria and keep what they found as evidence; exits 5 when one fails."""
    from loopx.runtime.checking import check as checked

    operation = request.op or request.door.fresh_operation()
    with named(request, operation):
        found = checked(
            request.door, goal_id, criteria, actor=request.who, op=operation, environ=request.around.environ
        )
    failed = render_pages(request) if request.render else ()
    warnings = (*(problem for each in found for problem in each.committed.warnings), *failed)
    problem = next((each.problem for each in found if each.problem is not None), None)
    revision = found[-1].committed.revision if found else None
    return Answer(check_facts(found), lambda screen: check_lines(found, screen), revision, warnings, problem)
