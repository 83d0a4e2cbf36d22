"""The verbs of ``loopx step`` that read: list and show."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL, RUN
from loopx.cli.request import Request, found
from loopx.cli.texts.plans import step_facts
from loopx.cli.texts.steps import one_step_facts, step_lines, step_row
from loopx.kernel.plans.finding import find_run, find_step
from loopx.kernel.plans.standing import standing
from loopx.kernel.resolve import find_goal
from loopx.model.step import StepStatus

_LISTED = Listing("steps", ("RUN", "STEP", "STATUS", "TRIES", "BY", "TITLE"), "no step is on its way")
_QUIET = (StepStatus.PENDING, StepStatus.BLOCKED, StepStatus.READY)


@click.command("list", cls=Verb, epilog="  loopx step list --goal beta\n  loopx step list --all --json")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only steps of this Goal's runs.")
@click.option("--all", "every", is_flag=True, help="Those that are over or have not begun, too.")
@reads
def listing(request: Request, goal: str | None, every: bool) -> Answer:
    """List the steps that are on their way in runs that have not ended."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    plans = (view.state.plan(each.id) for each in view.state.open_runs(of_goal))
    stands = [standing(view.state, each) for each in plans if each is not None]
    chosen = (
        {"run": one.plan.run, "todo": one.plan.todo, **step_facts(each)}
        for one in stands
        for each in one.steps
        if every or not (each.status.is_terminal or each.status in _QUIET)
    )
    return listed(_LISTED, view, chosen, dict, step_row)


@click.command(
    "show", cls=Verb, epilog="  loopx step show t-4k9x2m7q build\n  loopx step show run-4k9x2m7q build --json"
)
@click.argument("run", metavar="RUN|TODO", type=RUN)
@click.argument("step", metavar="STEP")
@click.option("--output", "is_whole", is_flag=True, help="All that was kept of its output, not only the end.")
@reads
def show(request: Request, run: str, step: str, is_whole: bool) -> Answer:
    """Show a step: its attempts, its output, what judges said, and what went wrong."""
    view = request.view()
    plan = found(find_run(view.state, run))
    facts = one_step_facts(view.state, plan, found(find_step(view.state, plan, step)), is_whole=is_whole)
    return Answer(facts, lambda screen: step_lines(facts, screen), view.revision, view.warnings)
