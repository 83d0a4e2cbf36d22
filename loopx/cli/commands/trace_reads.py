"""The verbs of ``loopx trace``: list, show and verify."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL, RUN
from loopx.cli.request import Request, found
from loopx.cli.texts.traces import listed_facts, listed_row, trace_facts, trace_lines, verified_facts, verified_lines
from loopx.kernel.plans.finding import begun, find_run, find_step
from loopx.kernel.resolve import find_goal

if TYPE_CHECKING:
    from loopx.model.plan import PlanDocument

_LINES = 50
"""Lines shown where nothing else was asked for."""
_RUNS = 20
"""Runs listed where nothing else was asked for."""


_LISTED = Listing("traces", ("RUN", "STATE", "LINES", "BEGUN", "BY", "TODO"), "no run was begun")


@click.command("list", cls=Verb, epilog="  loopx trace list --goal beta")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only runs of this Goal.")
@click.option("--limit", type=click.IntRange(min=1), default=_RUNS, show_default=True, help="How many at most.")
@reads
def listing(request: Request, goal: str | None, limit: int) -> Answer:
    """List the runs that were begun, newest first, with how long their traces are."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    runs = sorted(view.state.runs(of_goal), key=lambda each: (each.started_at, each.id), reverse=True)
    return listed(_LISTED, view, runs[:limit], listed_facts, listed_row, total=len(runs))


@click.command(
    "show",
    cls=Verb,
    epilog="  loopx trace show t-4k9x2m7q\n  loopx trace show run-4k9x2m7q --step build --last 200 --json",
)
@click.argument("run", metavar="RUN|TODO", type=RUN)
@click.option("--step", metavar="STEP", help="Only what is about this step.")
@click.option(
    "--last", metavar="N", type=click.IntRange(min=1), default=_LINES, show_default=True, help="Lines at most, newest."
)
@reads
def show(request: Request, run: str, step: str | None, last: int) -> Answer:
    """Tell what happened in a run, oldest first."""
    from loopx.loop.keeping.retelling import show as retold

    view = request.view()
    plan: PlanDocument = found(find_run(view.state, run))
    record = found(begun(view.state, plan))
    of_step = found(find_step(view.state, plan, step)) if step is not None else None
    told = retold(view.state, plan.run, step=of_step)
    shown = told.entries[-last:]
    left_out = len(told.entries) - len(shown)
    return Answer(
        lambda: trace_facts(record, shown, left_out),
        lambda screen: trace_lines(record, shown, left_out, screen),
        view.revision,
        view.warnings,
    )


@click.command("verify", cls=Verb, epilog="  loopx trace verify t-4k9x2m7q")
@click.argument("run", metavar="RUN|TODO", type=RUN)
@reads
def verify(request: Request, run: str) -> Answer:
    """Check that nothing in a run's trace was changed and its records say the same; exits 1 otherwise."""
    from loopx.loop.keeping.retelling import verify as wrong_with

    view = request.view()
    plan: PlanDocument = found(find_run(view.state, run))
    record = found(begun(view.state, plan))
    problems = wrong_with(view.state, plan.run)
    return Answer(
        verified_facts(record, problems),
        lambda screen: verified_lines(record, problems, screen),
        view.revision,
        view.warnings,
        problems[0] if problems else None,
    )
