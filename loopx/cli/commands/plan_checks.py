"""``loopx plan check``: everything that would keep a plan from being carried out, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.inputs import text_of
from loopx.cli.options import reads
from loopx.cli.parameters import RUN, TODO
from loopx.cli.request import Request, found
from loopx.cli.usage import usage
from loopx.errors import Problem
from loopx.kernel.plans.finding import find_run
from loopx.kernel.resolve import find_todo

if TYPE_CHECKING:
    from loopx.loop.plans.checks import Checked
    from loopx.model.plan import PlanDocument
    from loopx.workspace.results import View

_ENDINGS = (".yaml", ".yml", ".json")


@click.command(
    "check",
    cls=Verb,
    epilog="  loopx plan check t-4k9x2m7q\n  loopx plan check plan.yaml --todo t-4k9x2m7q\n  loopx plan check",
)
@click.argument("target", metavar="[FILE|-|RUN|TODO]", required=False, type=RUN)
@click.option("--todo", metavar="TODO", type=TODO, help="With a file: the Todo it is for, whose write scopes bound it.")
@reads
def check(request: Request, target: str | None, todo: str | None) -> Answer:
    """Say everything that would keep a plan from running, and exit 1 when there is anything; without one, of all."""
    from loopx.cli.texts.proposed_plans import checked_facts, checked_lines

    view = request.view()
    if target is not None and _is_file(request, target):
        checks = [_of_file(request, view, target, todo)]
    elif todo is not None:
        raise usage("--todo goes with a file; name the Todo itself to check its plan.", "--todo")
    elif target is not None:
        checks = [_of_plan(request, view, found(find_run(view.state, target)))]
    else:
        checks = [_of_plan(request, view, each) for each in view.state.plans() if not _has_ended(view, each)]
    count = sum(len(each.problems) for _, each in checks)
    message = f"{count} problem{'' if count == 1 else 's'} found."
    problem = Problem("problems-found", message, facts={"count": count}) if count else None
    return Answer(
        lambda: checked_facts(checks),
        lambda screen: checked_lines(checks, screen),
        view.revision,
        view.warnings,
        problem,
    )


def _is_file(request: Request, target: str) -> bool:
    return target == "-" or "/" in target or target.endswith(_ENDINGS) or (request.around.folder / target).is_file()


def _has_ended(view: View, plan: PlanDocument) -> bool:
    run = view.state.run(plan.run)
    return run is not None and run.status.is_terminal


def _of_file(request: Request, view: View, target: str, todo: str | None) -> tuple[str, Checked]:
    from loopx.loop.plans.checks import check_text

    of = found(find_todo(view.state, todo)) if todo is not None else None
    name = "stdin" if target == "-" else target
    return name, check_text(view.state, text_of(request.around.folder, target, "FILE") or "", name, of)


def _of_plan(request: Request, view: View, plan: PlanDocument) -> tuple[str, Checked]:
    from loopx.loop.plans.checks import check_laid_out

    return plan.run, check_laid_out(view.state, plan, request.door.places.root)
