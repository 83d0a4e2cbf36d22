"""The verbs of ``loopx goal`` that change one."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.assignments import assigned
from loopx.cli.grammar import Verb
from loopx.cli.inputs import text_or_stdin, words
from loopx.cli.listing import Listing
from loopx.cli.options import writes
from loopx.cli.parameters import EVIDENCE, GOAL
from loopx.cli.request import Request
from loopx.cli.usage import usage
from loopx.cli.writing import submit
from loopx.kernel.commands import (
    EditGoal,
    MeetCriterion,
    NewGoal,
    SetGoalStatus,
    UnmeetCriterion,
    WaiveCriterion,
)
from loopx.model.goal import Goal, GoalStatus

_LISTED = Listing(
    "goals", ("ID", "STATUS", "CRITERIA", "TODOS", "TITLE"), "no Goals yet; make one with `loopx goal new`"
)


@click.command(
    "new", cls=Verb, epilog='  loopx goal new beta --title "Ship the beta" --accept "The guide is published"'
)
@click.argument("goal_id", metavar="ID")
@click.option("--title", required=True, help="What is to be reached, in one line.")
@click.option("--objective", metavar="TEXT|-", default="", help="The objective in full; - reads it from stdin.")
@click.option("--accept", metavar="TEXT", multiple=True, help="An acceptance criterion (repeatable).")
@click.option("--tag", multiple=True, help="A free label (repeatable).")
@click.option("--draft", is_flag=True, help="Make it a draft; activate it later.")
@writes
def new(
    request: Request,
    goal_id: str,
    title: str,
    objective: str,
    accept: tuple[str, ...],
    tag: tuple[str, ...],
    draft: bool,
) -> Answer:
    """Make a Goal; its ID is a short name you choose."""
    objective = text_or_stdin(objective, "--objective")
    command = NewGoal(goal=goal_id, title=title, objective=objective, acceptance=accept, draft=draft, tags=tag)
    return submit(request, command, "made")


@click.command(
    "edit",
    cls=Verb,
    epilog="  loopx goal edit beta --accept 'Ten people tried it'\n  loopx goal edit beta --set tags=q3,docs\n"
    "  loopx goal edit beta --check 'a1=make check'",
)
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@click.option("--title", help="The new title.")
@click.option("--objective", metavar="TEXT|-", help="The new objective; - reads it from stdin.")
@click.option("--accept", metavar="TEXT", multiple=True, help="Add an acceptance criterion (repeatable).")
@click.option(
    "--check",
    "checks",
    metavar="CRITERION='CMD ARG…'",
    multiple=True,
    help="The command that checks a criterion, run without a shell; nothing takes it away (repeatable).",
)
@click.option("--set", "settings", metavar="FIELD=VALUE", multiple=True, help="Set a field; an empty value clears it.")
@writes
def edit(
    request: Request,
    goal_id: str,
    title: str | None,
    objective: str | None,
    accept: tuple[str, ...],
    checks: tuple[str, ...],
    settings: tuple[str, ...],
) -> Answer:
    """Change fields of a Goal."""
    fields = assigned(Goal, settings)
    if title is not None:
        fields["title"] = title
    if objective is not None:
        objective = text_or_stdin(objective, "--objective")
    if not fields and not accept and not checks and objective is None:
        raise usage("Nothing to change was given; see --title, --objective, --accept, --check and --set.")
    command = EditGoal(
        goal=goal_id,
        fields=fields,
        add_acceptance=accept,
        checks=tuple(_check(each) for each in checks),
        objective=objective,
    )
    return submit(request, command, "changed")


@click.command("activate", cls=Verb)
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@click.option("--reason", help="Why, for the audit trail.")
@writes
def activate(request: Request, goal_id: str, reason: str | None) -> Answer:
    """Start work on a draft Goal."""
    return _moved(request, goal_id, "activate", GoalStatus.ACTIVE, reason, "activated")


@click.command("pause", cls=Verb)
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@click.option("--reason", help="Why, for the audit trail.")
@writes
def pause(request: Request, goal_id: str, reason: str | None) -> Answer:
    """Pause a Goal: nothing of it runs until it is resumed."""
    return _moved(request, goal_id, "pause", GoalStatus.PAUSED, reason, "paused")


@click.command("resume", cls=Verb)
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@click.option("--reason", help="Why, for the audit trail.")
@writes
def resume(request: Request, goal_id: str, reason: str | None) -> Answer:
    """Resume a paused or stopped Goal."""
    return _moved(request, goal_id, "resume", GoalStatus.ACTIVE, reason, "resumed")


@click.command("stop", cls=Verb)
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@click.option("--reason", help="Why, for the audit trail.")
@writes
def stop(request: Request, goal_id: str, reason: str | None) -> Answer:
    """Stop a Goal: it stays as it is, and is not achieved."""
    return _moved(request, goal_id, "stop", GoalStatus.STOPPED, reason, "stopped")


@click.command("meet", cls=Verb, epilog="  loopx goal meet beta a1 --evidence t-4k9x2m7q")
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@click.argument("criterion", metavar="CRITERION")
@click.option(
    "--evidence",
    metavar="E",
    multiple=True,
    required=True,
    type=EVIDENCE,
    help="Evidence id, a Todo done with validation, or a person's words (repeatable).",
)
@writes
def meet(request: Request, goal_id: str, criterion: str, evidence: tuple[str, ...]) -> Answer:
    """Say that a criterion is met, and on what evidence."""
    return submit(request, MeetCriterion(goal=goal_id, criterion=criterion, evidence=evidence), f"met {criterion}")


@click.command("unmeet", cls=Verb)
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@click.argument("criterion", metavar="CRITERION")
@click.option("--reason", help="Why it is open again.")
@writes
def unmeet(request: Request, goal_id: str, criterion: str, reason: str | None) -> Answer:
    """Open a criterion again."""
    return submit(request, UnmeetCriterion(goal=goal_id, criterion=criterion, reason=reason), f"reopened {criterion}")


@click.command("waive", cls=Verb)
@click.argument("goal_id", metavar="GOAL", type=GOAL)
@click.argument("criterion", metavar="CRITERION")
@click.option("--reason", required=True, help="Why it need not be met.")
@writes
def waive(request: Request, goal_id: str, criterion: str, reason: str) -> Answer:
    """Waive a criterion; only a person may."""
    return submit(request, WaiveCriterion(goal=goal_id, criterion=criterion, reason=reason), f"waived {criterion}")


def _check(typed: str) -> tuple[str, tuple[str, ...]]:
    criterion, equals, command = typed.partition("=")
    if not equals or not criterion.strip():
        raise usage("--check takes a criterion and a command, such as a1='make check'.", "--check")
    return criterion.strip(), words(command, "--check") if command.strip() else ()


def _moved(request: Request, goal_id: str, verb: str, to: GoalStatus, reason: str | None, done: str) -> Answer:
    return submit(request, SetGoalStatus(goal=goal_id, verb=verb, to=to, reason=reason), done)
