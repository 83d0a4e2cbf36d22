"""``board.html``: the whole workspace in one file that needs no server and no network.

Columns by state, Goals with their acceptance, the graph as a drawn picture, the timeline and the problems. Style and
script stand in the page and are named by their digests in its security policy; nothing else may run or be fetched.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby

from markupsafe import Markup

from loopx.projections import cards, links, words
from loopx.projections.escape import cut
from loopx.projections.facts import GoalFacts, Survey, TimelineEntry, TodoFacts
from loopx.projections.goalpage import by_lane
from loopx.projections.graph import goal_graph
from loopx.projections.markdown import html
from loopx.projections.picture import Picture, picture
from loopx.projections.templating import html_page, source

ENTRIES_LIMIT = 200
"""Commits the page tells; the timeline page has more."""

PROBLEMS_LIMIT = 200
NODES_LIMIT = 2_000
"""Nodes drawn on the page, all Goals together."""

BODIES_LIMIT, BODY_LIMIT = 600_000, 6_000
"""Characters of Todos' texts the page carries: together, and of one Todo."""

_BODY_FRAME = 120
"""What a body costs beyond its characters."""


def board_page(survey: Survey, timeline: Sequence[TimelineEntry]) -> str:
    """The page for ``survey``; ``timeline`` is newest first."""
    lanes = by_lane(survey.todos())
    data, left = cards.card_data(lanes)
    told = [(entry, words.sentence(entry)) for entry in timeline[:ENTRIES_LIMIT]]
    return html_page(
        "board.html.j2",
        survey=survey,
        policy=_policy(),
        style=Markup(source("board.css")),
        script=Markup(source("board.js")),
        columns=cards.columns(lanes, survey.counts),
        data=Markup(data),
        data_left=left,
        bodies=list(_bodies(todo for _, todos in lanes for todo in todos)),
        objectives={goal.id: _objective(goal) for goal in survey.goals},
        pictures=_pictures(survey),
        days=[(day, list(lines)) for day, lines in groupby(told, key=lambda each: words.day(each[0].at))],
        entries_left=len(timeline) - len(told) + survey.truncated.get("timeline", 0),
        problems=survey.problems[:PROBLEMS_LIMIT],
        problems_left=survey.total("problems") - len(survey.problems[:PROBLEMS_LIMIT]),
        obligations=survey.obligations[:PROBLEMS_LIMIT],
        obligations_left=len(survey.obligations[PROBLEMS_LIMIT:]),
        cards=cards,
        links=links,
        here=lambda path: links.to_source(links.BOARD, path),
    )


@cache
def _policy() -> str:
    """The page's Content-Security-Policy: its own style and script by digest, pictures from within, nothing else."""
    style, script = (_digest(source(name)) for name in ("board.css", "board.js"))
    return (
        f"default-src 'none'; style-src {style}; script-src {script}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _objective(goal: GoalFacts) -> Markup:
    return html(goal.objective, goal.path, links.BOARD)


def _bodies(todos: Iterator[TodoFacts]) -> Iterator[tuple[str, Markup]]:
    """Todos' texts as HTML, in the order of the columns, until the page carries enough of them."""
    room = BODIES_LIMIT
    for todo in todos:
        if not todo.body.strip():
            continue
        shown = todo.body if len(todo.body) <= BODY_LIMIT else todo.body[:BODY_LIMIT] + "\n\n…"
        made = html(shown, todo.path, links.BOARD)
        room -= len(made) + _BODY_FRAME
        if room < 0:
            return
        yield todo.id, made


def _pictures(survey: Survey) -> Mapping[str, Picture | None]:
    """A picture of each Goal's graph that has an edge; ``None`` once the page carries as many nodes as it should."""
    titles = {todo.id: cut(todo.title, 200) for todo in survey.todos()}
    found: dict[str, Picture | None] = {}
    room = NODES_LIMIT
    for goal in survey.goals:
        graph = goal_graph(goal, titles)
        room -= len(graph.nodes)
        if graph.nodes:
            found[goal.id] = picture(graph) if room >= 0 else None
    return found
