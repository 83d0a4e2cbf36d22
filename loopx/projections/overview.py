"""``README.md``: the ten-second view. What needs you, runs, waits, is blocked, changed since yesterday; problems."""

from __future__ import annotations

from collections.abc import Sequence

from loopx.projections import links, words
from loopx.projections.escape import Raw, cut, link
from loopx.projections.facts import GoalFacts, Item, Lane, Survey, TimelineEntry
from loopx.projections.templating import markdown_page
from loopx.projections.work_facts import RunFacts

CHANGES_LIMIT = 15
PROBLEMS_LIMIT = 10
RUNS_LIMIT = 20
TITLE_LIMIT = 160


def overview_page(survey: Survey, timeline: Sequence[TimelineEntry]) -> str:
    """The page for ``survey``; ``timeline`` is newest first."""
    since = words.yesterday(survey)
    changes = [each for each in timeline if since is not None and each.at >= since]
    goes_on = len(changes) == len(timeline) and survey.truncated.get("timeline", 0) > 0
    runs = [(goal.id, run) for goal in survey.goals for run in _runs(goal)]
    return markdown_page(
        "overview.md.j2",
        survey=survey,
        lanes=[(words.LANE_TITLES[lane], survey.counts.get(lane, 0)) for lane in Lane],
        since=since,
        changes=[(each, words.sentence(each)) for each in changes[:CHANGES_LIMIT]],
        runs=runs[:RUNS_LIMIT],
        more_runs=len(runs[RUNS_LIMIT:]),
        has_more_changes=len(changes) > CHANGES_LIMIT or goes_on,
        problems=survey.problems[:PROBLEMS_LIMIT],
        more_problems=survey.total("problems") - len(survey.problems[:PROBLEMS_LIMIT]),
        limit=PROBLEMS_LIMIT,
        now=words.now,
        links=links,
        item_link=_item_link,
        goal_link=_goal_link,
        run_link=_run_link,
    )


def _runs(goal: GoalFacts) -> list[RunFacts]:
    """Runs that were begun and have not ended."""
    return [each for each in goal.work.runs if each.started_at is not None] if goal.work is not None else []


def _run_link(run: RunFacts) -> Raw:
    return link(cut(run.objective, TITLE_LIMIT) or run.id, links.to_source(links.OVERVIEW, run.path))


def _item_link(item: Item) -> Raw:
    return link(cut(item.title, TITLE_LIMIT) or item.id, links.to_source(links.OVERVIEW, item.path))


def _goal_link(goal: str, text: str) -> Raw:
    return link(cut(text, TITLE_LIMIT), links.to_page(links.OVERVIEW, links.goal_page(goal))) if goal else Raw("")
