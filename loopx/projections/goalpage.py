"""``goals/<goal>.md``: one Goal whole. Acceptance with evidence, what may happen now, what is owed and open, every
Todo by state, Gates, Visions.

Built from that Goal's facts alone, so a change elsewhere does not rewrite it.
"""

from __future__ import annotations

from collections.abc import Iterable

from loopx.projections import links, words
from loopx.projections.escape import Raw, cut, link
from loopx.projections.facts import GoalFacts, Lane, TodoFacts
from loopx.projections.markdown import quotation
from loopx.projections.templating import markdown_page

TITLE_LIMIT = 200
FRONTIER_LIMIT = 10

_WHY = {
    Lane.RUNNABLE: "Needs",
    Lane.WAITING: "Waits for",
    Lane.BLOCKED: "Blocked by",
    Lane.DEFERRED: "Until",
}


def goal_page(goal: GoalFacts) -> str:
    """The page of ``goal``."""
    page = links.goal_page(goal.id)
    lanes = by_lane(goal.todos)
    return markdown_page(
        "goal.md.j2",
        goal=goal,
        work=goal.work,
        more=lambda name: _more(goal, name),
        objective=Raw(quotation(goal.objective, goal.path, page)),
        lanes=[(lane, words.LANE_TITLES[lane], goal.counts.get(lane, len(todos)), todos) for lane, todos in lanes],
        frontier=dict(lanes)[Lane.RUNNABLE][:FRONTIER_LIMIT],
        why=_WHY,
        limit=TITLE_LIMIT,
        here=lambda path: links.to_source(page, path),
        todo_link=lambda todo: link(cut(todo.title, TITLE_LIMIT) or todo.id, links.to_source(page, todo.path)),
    )


def _more(goal: GoalFacts, name: str) -> Raw:
    """How many lines a list of the work leaves out, in a paragraph of its own."""
    left = goal.work.truncated.get(name, 0) if goal.work is not None else 0
    return Raw(f"\n… and {left} more.\n" if left else "")


def by_lane(todos: Iterable[TodoFacts]) -> list[tuple[Lane, list[TodoFacts]]]:
    """Todos in the board's columns: the urgent and old first, the closed by when they ended, newest first."""
    found: dict[Lane, list[TodoFacts]] = {lane: [] for lane in Lane}
    for todo in sorted(todos, key=_urgency):
        found[todo.lane].append(todo)
    found[Lane.DONE].sort(key=_ended, reverse=True)
    return list(found.items())


def _urgency(todo: TodoFacts) -> tuple[str, bool, float, str]:
    """Claimed before unclaimed within a priority: what somebody has in hand is looked for first."""
    return (todo.priority, not todo.claimed_by, todo.created_at.timestamp() if todo.created_at else 0.0, todo.id)


def _ended(todo: TodoFacts) -> tuple[float, str]:
    return (todo.completed_at.timestamp() if todo.completed_at else 0.0, todo.id)
