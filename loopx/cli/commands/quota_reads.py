"""The verbs of ``loopx quota``: list, show, and the decision under its full name."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.deciding import asker, decision_answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import GOAL
from loopx.cli.request import Request, found
from loopx.cli.texts.decisions import quota_facts, window_lines, window_row
from loopx.kernel.decision.deciding import next_action
from loopx.kernel.resolve import find_goal
from loopx.model.goal import GoalStatus

_LISTED = Listing("quotas", ("GOAL", "SPENT", "LIMIT", "LEFT", "FREES AT"), "no active Goals")


@click.command("list", cls=Verb, epilog="  loopx quota")
@reads
def listing(request: Request) -> Answer:
    """List what each active Goal's window of time allows: slots spent, left, and when one frees up."""
    view = request.view()
    told = [quota_facts(view, each) for each in view.state.goals((GoalStatus.ACTIVE,))]
    return listed(_LISTED, view, told, dict, window_row)


@click.command("show", cls=Verb, epilog="  loopx quota show beta")
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@reads
def show(request: Request, goal_id: str) -> Answer:
    """Show what one Goal's window of time allows."""
    view = request.view()
    facts = quota_facts(view, found(find_goal(view.state, goal_id)))
    return Answer(facts, lambda screen: window_lines(facts, screen), view.revision, view.warnings)


@click.command("should-run", cls=Verb, epilog="  loopx quota should-run --goal beta --agent bot --json")
@click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal to decide about.")
@click.option("--agent", metavar="AGENT", help="Decide for this agent (default: the actor).")
@click.option("--explain", is_flag=True, help="Print every rule with what it said.")
@reads
def should_run(request: Request, goal: str, agent: str | None, explain: bool) -> Answer:
    """Decide whether an agent should run for a Goal now, and what for: ``loopx next`` under its full name."""
    view = request.view()
    decision = found(next_action(view.state, goal, asker(request, agent), view.at, view.revision))
    return decision_answer(decision, view, explain)
