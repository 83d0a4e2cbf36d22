"""``loopx status`` and ``board``: the whole workspace at a glance."""

from __future__ import annotations

import sys

import click

from loopx.cli.answer import Answer
from loopx.cli.documents import values
from loopx.cli.grammar import Verb
from loopx.cli.options import reads, render
from loopx.cli.parameters import GOAL
from loopx.cli.request import Request, found
from loopx.cli.screen import Screen, is_terminal, screen_of
from loopx.cli.texts.boards import board_lines
from loopx.cli.texts.overview import is_settling, overview_lines
from loopx.cli.usage import usage
from loopx.cli.writing import render_pages
from loopx.errors import Problem
from loopx.kernel.resolve import find_goal
from loopx.projections.facts import Survey

_SECONDS_BETWEEN_LOOKS = 1.0
_CLEAR = "\x1b[H\x1b[2J\x1b[3J"


@click.command("status", cls=Verb, epilog="  loopx status\n  loopx status --watch\n  loopx status --json --at HEAD~5")
@click.option("--watch", is_flag=True, help="Look again every second and redraw what changed, until interrupted.")
@render
@reads
def status(request: Request, watch: bool) -> Answer:
    """Show what needs you, what runs and what waits."""
    if not watch:
        return _answer(request)
    if request.as_json or request.at is not None or request.render:
        raise usage("--watch shows the present to a person: not with --json, --at or --render.", "--watch")
    return _watched(request)


@click.command("board", cls=Verb, epilog="  loopx board --goal beta")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only Todos of this Goal.")
@reads
def board(request: Request, goal: str | None) -> Answer:
    """Show the Todos as a board, by state."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    survey = request.door.survey(view, full=True)
    todos = [each for each in survey.todos() if of_goal is None or each.goal == of_goal]
    facts = {"todos": [{**values(each), "lane": each.lane.value} for each in todos], "count": len(todos)}
    return Answer(facts, lambda screen: board_lines(todos, screen), view.revision, view.warnings)


def _answer(request: Request) -> Answer:
    view = request.view()
    survey = request.door.survey(view)
    failed = render_pages(request) if request.render else ()
    # What is broken is told below, with remedies; saying it again as warnings would say it twice.
    told = {each.place for each in survey.problems}
    warnings = tuple(each for each in view.warnings if str(each.place) not in told)
    return Answer(
        lambda: values(survey),
        lambda screen: overview_lines(survey, screen),
        view.revision,
        (*warnings, *failed),
        _problem(survey),
    )


def _problem(survey: Survey) -> Problem | None:
    count = sum(not is_settling(each) for each in survey.problems) + survey.truncated.get("problems", 0)
    if not count:
        return None
    return Problem("problems-found", f"{count} problem{'' if count == 1 else 's'} found.", facts={"count": count})


def _watched(request: Request) -> Answer:
    """Redraw whenever the picture changed. Being interrupted is how this ends, so it ends well."""
    clock = request.around.clock()
    drawn: list[str] | None = None
    try:
        while True:
            screen = screen_of(sys.stdout, request.around.environ)
            lines = _picture(request, screen)
            if lines != drawn:
                _draw(lines)
                drawn = lines
            clock.wait(_SECONDS_BETWEEN_LOOKS)
    except KeyboardInterrupt:
        return Answer({}, lambda _screen: [])


def _picture(request: Request, screen: Screen) -> list[str]:
    return list(overview_lines(request.door.survey(request.view()), screen))


def _draw(lines: list[str]) -> None:
    sys.stdout.write(_CLEAR if is_terminal(sys.stdout) else "")
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()
