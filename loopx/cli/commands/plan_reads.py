"""The verbs of ``loopx plan`` that read: list, show and graph."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL, RUN, TODO
from loopx.cli.request import Request, found
from loopx.cli.texts.plans import brief_facts, plan_facts, plan_lines, plan_row
from loopx.kernel.plans.finding import find_run
from loopx.kernel.plans.standing import standing
from loopx.kernel.resolve import find_goal, find_todo

_LISTED = Listing("plans", ("RUN", "STATE", "STEPS", "TODO", "GOAL", "OBJECTIVE"), "no plans; `loopx plan new TODO`")
_STEPS = 40
"""Steps shown where nothing else was asked for."""


@click.command("list", cls=Verb, epilog="  loopx plan list --goal beta\n  loopx plan list --todo t-4k9x2m7q --all")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only plans of this Goal.")
@click.option("--todo", metavar="TODO", type=TODO, help="Only plans of this Todo.")
@click.option("--all", "every", is_flag=True, help="Those whose run has ended, too.")
@reads
def listing(request: Request, goal: str | None, todo: str | None, every: bool) -> Answer:
    """List plans with the state of their runs: what has not ended, unless told otherwise."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    of_todo = found(find_todo(view.state, todo)).id if todo else None
    plans = view.state.plans_of(of_todo) if of_todo else view.state.plans(of_goal)
    runs = ((each, view.state.run(each.run)) for each in plans if of_goal in (None, each.goal))
    kept = [(each, run) for each, run in runs if every or run is None or not run.status.is_terminal]
    return listed(_LISTED, view, (brief_facts(standing(view.state, each)) for each, _ in kept), dict, plan_row)


@click.command("show", cls=Verb, epilog="  loopx plan show t-4k9x2m7q\n  loopx plan show run-4k9x2m7q --json")
@click.argument("run", metavar="RUN|TODO", type=RUN)
@click.option("--limit", type=click.IntRange(min=1), default=_STEPS, show_default=True, help="Steps at most.")
@reads
def show(request: Request, run: str, limit: int) -> Answer:
    """Show a plan: every step with where it stands, what went wrong, and what a person is asked."""
    view = request.view()
    facts = plan_facts(view, standing(view.state, found(find_run(view.state, run))), limit)
    folder = request.door.places.root
    return Answer(facts, lambda screen: plan_lines(facts, folder, screen), view.revision, view.warnings)


@click.command(
    "graph",
    cls=Verb,
    epilog="  loopx plan graph t-4k9x2m7q\n  loopx plan graph run-4k9x2m7q --format dot | dot -Tsvg > plan.svg",
)
@click.argument("run", metavar="RUN|TODO", type=RUN)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "mermaid", "dot"]),
    default="text",
    show_default=True,
    help="How it is drawn.",
)
@reads
def graph(request: Request, run: str, form: str) -> Answer:
    """Draw which step waits for which, with where each stands."""
    from loopx.cli.texts.plan_graphs import drawn, graph_facts

    view = request.view()
    stands = standing(view.state, found(find_run(view.state, run)))
    return Answer(
        lambda: {**graph_facts(stands), "format": form, "text": "\n".join(drawn(stands, form))},
        lambda _screen: drawn(stands, form),
        view.revision,
        view.warnings,
    )
