"""Every page from one survey: path to text. Pure: the same facts give the same bytes, whatever the time.

Called by ``workspace`` after a commit and by the daemon; whoever calls writes what differs. Paths are relative to
``.loopx/status/``. Nothing here decides or reads the state; the texts can be encoded as UTF-8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from loopx.projections import links, words
from loopx.projections.board import board_page
from loopx.projections.escape import Raw, joined_surrogates
from loopx.projections.facts import Survey, TimelineEntry
from loopx.projections.goalpage import goal_page
from loopx.projections.graph import goal_graph
from loopx.projections.mermaid import flowchart
from loopx.projections.overview import overview_page
from loopx.projections.statusfile import status_file
from loopx.projections.templating import markdown_page

TIMELINE_LIMIT = 1000
"""Commits told on the timeline page; callers need give no more."""


def render(survey: Survey, timeline: Sequence[TimelineEntry]) -> Mapping[str, str]:
    """Every page. ``timeline`` is newest first; ``survey.truncated["timeline"]`` says how many older ones there are.

    Raises :class:`ValueError` for a brief survey: a board of it would show less than there is.
    """
    if not survey.is_full:
        raise ValueError("pages are made from a full survey")
    pages = {
        links.OVERVIEW: overview_page(survey, timeline),
        links.PROBLEMS: markdown_page("problems.md.j2", survey=survey, links=links),
        links.TIMELINE: timeline_page(survey, timeline),
        links.GRAPH: graph_page(survey),
        links.BOARD: board_page(survey, timeline),
        links.STATUS: status_file(survey),
    }
    pages |= {links.goal_page(goal.id): goal_page(goal) for goal in survey.goals}
    return {path: joined_surrogates(text) for path, text in pages.items()}


def timeline_page(survey: Survey, timeline: Sequence[TimelineEntry]) -> str:
    """``timeline.md``: the audit trail in words, by day."""
    shown = [(entry, words.sentence(entry)) for entry in timeline[:TIMELINE_LIMIT]]
    return markdown_page(
        "timeline.md.j2",
        survey=survey,
        days=[(day, list(lines)) for day, lines in groupby(shown, key=lambda each: words.day(each[0].at))],
        left=len(timeline) - len(shown) + survey.truncated.get("timeline", 0),
    )


def graph_page(survey: Survey) -> str:
    """``graph.md``: what waits for what, Goal by Goal."""
    titles = {todo.id: todo.title for todo in survey.todos()}
    graphs = [(goal, goal_graph(goal, titles)) for goal in survey.goals]
    return markdown_page(
        "graph.md.j2",
        survey=survey,
        graphs=[(goal, graph, Raw(flowchart(graph))) for goal, graph in graphs],
        links=links,
    )
