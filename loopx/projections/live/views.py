"""Each view of the live page from its facts. One function a view; the templates stand in ``templates/live``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

from loopx.errors import Problem
from loopx.model.todo import Priority, TodoClass
from loopx.projections import cards, words
from loopx.projections.facts import GoalFacts, Item, ItemKind, Lane, Survey, TimelineEntry, TodoFacts
from loopx.projections.goalpage import by_lane
from loopx.projections.graph import goal_graph
from loopx.projections.live import addresses, forms
from loopx.projections.live.facts import (
    Asked,
    CommitView,
    EditView,
    Frame,
    GateView,
    PacketView,
    Said,
    TodoView,
)
from loopx.projections.live.patches import patch_lines
from loopx.projections.live.run_facts import RunWhole
from loopx.projections.markdown import served_html
from loopx.projections.picture import Picture, picture
from loopx.projections.templating import html_page

SHOWN = 8
"""Lines of a section of the overview that are shown at once."""
CARDS_MORE = 1000
_NODES = 120


def overview(frame: Frame, timeline: Sequence[TimelineEntry]) -> str:
    """The ten-second view."""
    gates = {gate.id: gate for goal in frame.survey.goals for gate in goal.gates}
    return _page(
        "overview",
        frame,
        gates=gates,
        gate_kind=ItemKind.GATE,
        edit_kind=ItemKind.EDIT,
        todo_kind=ItemKind.TODO,
        shown=SHOWN,
        recent=told(timeline[:SHOWN]),
        turns=[
            (goal, turn)
            for goal in frame.survey.goals
            for turn in _open_turns(goal)
            if not turn.todo or turn.todo not in {each.todo for each in frame.runs}
        ],
        running=_with_runs_first(frame),
        titles={goal.id: goal.title or goal.id for goal in frame.survey.goals},
    )


def board(frame: Frame, asked: Asked) -> str:
    """Every Todo in columns by state, narrowed to what was asked for."""
    chosen = [todo for todo in frame.survey.todos() if _fits(todo, asked)]
    columns = []
    for lane, todos in by_lane(chosen):
        limit = CARDS_MORE if lane == asked.more else cards.CARDS_SHOWN
        columns.append(cards.Column(lane, words.LANE_TITLES[lane], len(todos), todos[:limit]))
    return _page("board", frame, columns=columns, cards=cards, asked=asked, lane_most=CARDS_MORE)


def goals(frame: Frame) -> str:
    """Every Goal with how far it is."""
    return _page("goals", frame, lanes=_lanes())


def goal(frame: Frame, shown: GoalFacts, history: Sequence[TimelineEntry]) -> str:
    """One Goal whole."""
    return _page(
        "goal",
        frame,
        goal=shown,
        objective=served_html(shown.objective),
        lanes=by_lane(shown.todos),
        lane_titles=words.LANE_TITLES,
        lane_shown=25,
        drawn_graph=_drawn(shown),
        hrefs=_hrefs(shown),
        cards=cards,
        history=told(history),
    )


def todo(frame: Frame, shown: TodoView) -> str:
    """One Todo with its history."""
    body = served_html(shown.todo.body) if shown.todo.body.strip() else ""
    return _page(
        "todo",
        frame,
        shown=shown,
        todo=shown.todo,
        body=body,
        lane_title=words.LANE_TITLES[shown.todo.lane],
        history=told(shown.history),
        patch=patch_lines(shown.patch),
        cards=cards,
    )


def run(frame: Frame, shown: RunWhole) -> str:
    """One run with every step, what went wrong, and the end of its trace."""
    titles = {each.id: each.title for each in frame.survey.goals}
    return _page("run", frame, shown=shown, goal_title=titles.get(shown.run.goal, ""))


def gates(frame: Frame) -> str:
    """Every question: those that wait for an answer first."""
    every = [gate for goal in frame.survey.goals for gate in goal.gates]
    waiting = [each for each in every if forms.is_waiting(each)]
    rest = [each for each in every if not forms.is_waiting(each)]
    rest.sort(key=lambda each: str(each.decided_at or each.created_at or ""), reverse=True)
    return _page("gates", frame, waiting=waiting, settled=rest[:200], settled_left=len(rest[200:]))


def gate(frame: Frame, shown: GateView) -> str:
    """One question with its background and every answer so far."""
    body = served_html(shown.body) if shown.body.strip() else ""
    return _page("gate", frame, shown=shown, gate=shown.gate, body=body, cards=cards, history=told(shown.history))


def decisions(frame: Frame) -> str:
    """What may happen now in each Goal, and which rules said so."""
    return _page("decisions", frame, goals=[goal for goal in frame.survey.goals if goal.work is not None])


def problems(frame: Frame, edits: Sequence[EditView]) -> str:
    """What went wrong: edits that were not taken in, files that cannot be read, what is owed."""
    paths = {each.path for each in edits}
    others = [each for each in frame.survey.problems if each.path not in paths]
    return _page("problems", frame, edits=edits, others=others)


def edit(frame: Frame, shown: EditView) -> str:
    """One edit that was not taken in, beside the accepted version."""
    return _page("edit", frame, edit=shown, patch=patch_lines(shown.patch))


def timeline(frame: Frame, entries: Sequence[TimelineEntry], limit: int) -> str:
    """The audit trail by day."""
    lines = told(entries)
    days = [(day, list(of_day)) for day, of_day in groupby(lines, key=lambda each: words.day(each[0].at))]
    more = addresses.timeline(limit * 4) if len(entries) >= limit else ""
    return _page("timeline", frame, days=days, more=more)


def commit(frame: Frame, shown: CommitView) -> str:
    """One commit: who, why, what it changed, and the ways back."""
    [(_, sentence)] = told([shown.entry])
    return _page(
        "commit", frame, shown=shown, entry=shown.entry, sentence=sentence, patch=patch_lines(shown.patch),
        message=typed(shown.message),
    )  # fmt: skip


def packet(frame: Frame, shown: PacketView) -> str:
    """What going back would do, and the question whether to."""
    return _page("packet", frame, packet=shown)


def said(frame: Frame, shown: Said) -> str:
    """The answer to a form that no script sent."""
    kept = [(name, typed(value)) for name, value in shown.typed.items() if value]
    return _page("said", frame, said=shown, kept=kept)


def sorry(problem: Problem) -> str:
    """A page without a workspace on it: what is wrong, and how to get in."""
    return html_page("live/sorry.html.j2", problem=problem)


def entering(target: str) -> str:
    """The page that leads on once the token is in the cookie."""
    return html_page("live/entering.html.j2", target=target)


def told(entries: Sequence[TimelineEntry]) -> list[tuple[TimelineEntry, words.Sentence]]:
    """Commits with each in words."""
    return [(each, words.sentence(each)) for each in entries]


def typed(text: str) -> Markup:
    """A text of several lines, escaped and with its white space."""
    return escape(text)


def _page(name: str, frame: Frame, **given: Any) -> str:
    survey = frame.survey
    return html_page(
        f"live/{name}.html.j2",
        **{
            "frame": frame,
            "survey": survey,
            "to": addresses,
            "now_waiting": _number_of_gates(survey),
            "failed_runs": [each for each in frame.runs if each.has_failed],
            "run_of": {each.todo: each for each in frame.runs},
            "asked_by": {gate: each for each in frame.runs for gate in each.gates},
            "tally": [(lane, words.LANE_TITLES[lane], survey.counts.get(lane, 0)) for lane in Lane],
            "priorities": [str(each) for each in Priority],
            "classes": [(str(TodoClass.ADVANCEMENT), "work"), (str(TodoClass.USER_ACTION), "for a person")],
            "taking": [goal for goal in survey.goals if forms.takes_work(goal)],
            "forms": forms,
            "typed": typed,
            **given,
        },
    )


def _number_of_gates(survey: Survey) -> int:
    return sum(forms.is_waiting(gate) for goal in survey.goals for gate in goal.gates)


def _lanes() -> list[tuple[Lane, str]]:
    return [(lane, words.LANE_TITLES[lane]) for lane in Lane]


def _with_runs_first(frame: Frame) -> list[Item]:
    """What somebody works on, with runs on the page even where only some of it is shown."""
    carried = {each.todo for each in frame.runs}
    return sorted(frame.survey.running, key=lambda each: each.id not in carried)


def _open_turns(goal: GoalFacts) -> list[Any]:
    return [turn for turn in goal.work.turns if turn.ended_at is None] if goal.work is not None else []


def _fits(todo: TodoFacts, asked: Asked) -> bool:
    if asked.goal and todo.goal != asked.goal:
        return False
    wanted = asked.text.casefold().split()
    if not wanted:
        return True
    parts = (todo.id, todo.title, todo.goal, todo.claimed_by, todo.priority, todo.status, *todo.tags, *todo.reasons)
    text = "\n".join(parts).casefold()
    return all(each in text for each in wanted)


def _drawn(goal: GoalFacts) -> Picture | None:
    graph = goal_graph(goal, {todo.id: todo.title for todo in goal.todos})
    return picture(graph) if graph.nodes and len(graph.nodes) <= _NODES else None


def _hrefs(goal: GoalFacts) -> dict[str, str]:
    ways = {todo.id: addresses.todo(todo.id) for todo in goal.todos}
    return ways | {gate.id: addresses.gate(gate.id) for gate in goal.gates}
