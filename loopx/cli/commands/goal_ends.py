"""The verbs of ``loopx goal`` about its end: audit, close, reopen."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.options import reads, writes
from loopx.cli.parameters import GOAL, one_of
from loopx.cli.request import Request, found
from loopx.cli.texts.closure import audit_facts, audit_lines
from loopx.cli.writing import submit
from loopx.kernel.closure.audit import audit as audited
from loopx.kernel.commands import CloseGoal, ReopenGoal
from loopx.kernel.resolve import find_goal
from loopx.model.goal import GoalOutcome


@click.command("audit", cls=Verb, epilog="  loopx goal audit beta\n  loopx goal audit beta --json")
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@reads
def audit(request: Request, goal_id: str) -> Answer:
    """Say, line by line, what keeps a Goal from ending, and the next step for each item."""
    view = request.view()
    goal = found(find_goal(view.state, goal_id))
    facts = audit_facts(goal, audited(view.state, goal, view.at))
    return Answer(facts, lambda screen: audit_lines(facts, screen), view.revision, view.warnings)


@click.command(
    "close",
    cls=Verb,
    epilog="  loopx goal close beta\n"
    '  loopx goal close beta --as no_followup --reason "The trial showed that nobody wants it"\n'
    '  loopx goal close beta --as abandoned --reason "No budget" --compensate "Take the listing down" --in shop',
)
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@click.option(
    "--as",
    "outcome",
    type=one_of(GoalOutcome),
    default=GoalOutcome.ACHIEVED.value,
    show_default=True,
    help="How it ends; giving it up (abandoned) is for a person.",
)
@click.option("--reason", help="Why nothing follows, or why it is given up.")
@click.option("--compensate", metavar="TITLE", multiple=True, help="abandoned: a Todo that makes effects good.")
@click.option("--in", "compensate_in", metavar="GOAL", type=GOAL, help="abandoned: the Goal those Todos go to.")
@writes
def close(
    request: Request,
    goal_id: str,
    outcome: str,
    reason: str | None,
    compensate: tuple[str, ...],
    compensate_in: str | None,
) -> Answer:
    """End a Goal: its audit must be clean, unless it is given up."""
    command = CloseGoal(
        goal=goal_id, outcome=outcome, reason=reason, compensations=compensate, compensate_in=compensate_in
    )
    return submit(request, command, "closed")


@click.command("reopen", cls=Verb, epilog='  loopx goal reopen beta --reason "A customer came back"')
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@click.option("--reason", required=True, help="Why it is taken up again.")
@writes
def reopen(request: Request, goal_id: str, reason: str) -> Answer:
    """Take a closed Goal up again; how it had ended stays on record."""
    return submit(request, ReopenGoal(goal=goal_id, reason=reason), "reopened")
