"""``loopx status`` in words: what needs you first, then what runs, what may, what waits, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loopx.cli.columns import cut, padded, shown, table, width_of
from loopx.cli.screen import Screen
from loopx.cli.texts.receipts import short
from loopx.model.times import format_instant
from loopx.projections.facts import GoalFacts, Item, ItemKind, Lane, ProblemFacts, Survey, TimelineEntry
from loopx.workspace.results import EditState

_GOALS = ("GOAL", "STATUS", "CRITERIA", *(lane.value.upper() for lane in Lane), "TITLE")
_LATELY = 5
"""Latest changes shown; `loopx log` has them all."""


def overview_lines(survey: Survey, screen: Screen) -> Iterator[str]:
    """The whole picture. A section with nothing in it is left out, but for what needs the person."""
    yield f"{screen.paint(shown(survey.title), 'bold')}  at {_revision(survey)}"
    yield from _section(survey, "needs_you", "Needs you", [_item(each) for each in survey.needs_you], screen)
    if not survey.needs_you:
        yield "\nNothing needs you."
    yield from _section(survey, "running", "Running", [_item(each) for each in survey.running], screen)
    yield from _section(survey, "frontier", "May run now", [_item(each) for each in survey.frontier], screen)
    yield from _section(survey, "waiting", "Waiting", [_item(each) for each in survey.waiting], screen)
    yield from _section(survey, "blocked", "Blocked", [_item(each) for each in survey.blocked], screen)
    yield from _goals(survey.goals, screen)
    yield from _problems(survey, screen)
    yield from _lately(survey, screen)


def _revision(survey: Survey) -> str:
    at = f" of {format_instant(survey.revision_at)}" if survey.revision_at else ""
    return f"revision {short(survey.revision)}{at}"


def _section(survey: Survey, name: str, title: str, lines: Sequence[str], screen: Screen) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield screen.paint(title, "bold")
    yield from (f"  {line if screen.width is None else cut(line, screen.width - 2)}" for line in lines)
    more = survey.truncated.get(name, 0)
    if more:
        yield f"  and {more} more"


def _item(item: Item) -> str:
    if item.kind is ItemKind.EDIT:  # what is wrong and the remedy stand under Problems
        return " — ".join([f"{shown(item.id)}  hand edit not accepted", *([item.next_step] if item.next_step else [])])
    name = shown(item.title)
    parts = [shown(item.id), item.priority or "", name, f"({item.goal})" if item.goal else ""]
    parts += [f"by {shown(item.who)}" if item.who else "", "overdue" if item.is_overdue else ""]
    line = "  ".join(part for part in parts if part)
    return " — ".join([line, *(shown(each) for each in item.why), *([item.next_step] if item.next_step else [])])


def _goals(goals: Sequence[GoalFacts], screen: Screen) -> Iterator[str]:
    rows = [_goal(each) for each in goals]
    if rows:
        yield ""
        yield from table(_GOALS, rows, screen)


def _goal(goal: GoalFacts) -> tuple[str, ...]:
    counts = [str(goal.counts.get(lane, 0)) for lane in Lane]
    title = f"{goal.title} ({goal.unreadable} unreadable)" if goal.unreadable else goal.title
    return (goal.id, goal.status, f"{goal.criteria_settled}/{len(goal.criteria)}", *counts, title)


def is_settling(problem: ProblemFacts) -> bool:
    """Whether it is a file that was saved just now: nothing is wrong with it, it is only not looked at yet."""
    return problem.state == EditState.SETTLING and problem.code == "edit-settling"


def _problems(survey: Survey, screen: Screen) -> Iterator[str]:
    resting = [each for each in survey.problems if is_settling(each)]
    if resting:
        yield ""
        yield f"{screen.paint('Just saved', 'bold')} (taken in when two seconds have passed; look again then)"
        yield from (f"  {shown(each.place)}" for each in resting)
    wrong = [each for each in survey.problems if not is_settling(each)]
    if not wrong:
        return
    yield ""
    yield screen.paint("Problems", "bold")
    for each in wrong:
        yield from _problem(each, screen)
    more = survey.truncated.get("problems", 0)
    if more:
        yield f"  and {more} more: loopx check"


def _problem(problem: ProblemFacts, screen: Screen) -> Iterator[str]:
    state = f" ({problem.state})" if problem.state else ""
    yield f"  {screen.paint(shown(problem.place), 'red')}{state} [{problem.code}] {shown(problem.message)}"
    if problem.hint:
        yield f"    hint: {shown(problem.hint)}"


def _lately(survey: Survey, screen: Screen) -> Iterator[str]:
    if not survey.recent:
        return
    yield ""
    yield screen.paint("Lately", "bold")
    latest = survey.recent[:_LATELY]
    width = max(width_of(shown(each.who)) for each in latest)
    for each in latest:
        line = _happened(each, width)
        yield f"  {line if screen.width is None else cut(line, screen.width - 2)}"
    more = len(survey.recent) - _LATELY + survey.truncated.get("recent", 0)
    if more > 0:
        yield f"  and {more} more: loopx log"


def _happened(entry: TimelineEntry, width: int) -> str:
    when = format_instant(entry.at)[:16].replace("T", " ")
    return f"{when}  {padded(shown(entry.who), width)}  {shown(entry.headline)}"
