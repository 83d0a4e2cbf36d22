"""Pages are pure, and no text a person can type breaks one."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from loopx.model.todo import Priority, TodoStatus
from loopx.projections.escape import cut, joined_surrogates, one_line
from loopx.projections.facts import Survey, TodoFacts
from loopx.projections.goalpage import TITLE_LIMIT
from loopx.projections.graph import goal_graph
from loopx.projections.layering import HEIGHT, WIDTH, layout
from loopx.projections.pages import render
from tests.unit.projections.reading import Document, tables, tokens
from tests.unit.projections.sample import HOSTILE, SMALL, TIMELINE, hostile
from tests.unit.projections.surveys import NOW, goal, survey, todo

ACTIVE = st.text("\\`*_[]()<>#|~$&\"'{}%!-+=1.:;\n /", max_size=40)
TEXTS = st.sampled_from(HOSTILE) | st.text(st.characters(codec=None), max_size=500) | ACTIVE
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


@st.composite
def surveys(draw: st.DrawFn) -> Survey:
    """Surveys of a few Goals with Todos that wait for one another in any way."""
    made = []
    for name in draw(st.lists(st.sampled_from(("alpha", "beta", "gamma")), unique=True)):
        ids = [f"t-k{number:07d}" for number in range(draw(st.integers(0, 6)))]
        todos = [
            todo(
                number,
                draw(TEXTS),
                name,
                status=draw(st.sampled_from(TodoStatus)),
                priority=draw(st.sampled_from(Priority)),
                depends_on=tuple(draw(st.lists(st.sampled_from(ids), max_size=3, unique=True))),
                reasons=tuple(draw(st.lists(TEXTS, max_size=2))),
                created_at=draw(st.none() | TIMES),
                completed_at=draw(st.none() | TIMES),
                body=draw(TEXTS),
            )
            for number in range(len(ids))
        ]
        made.append(goal(name, draw(TEXTS), todos, objective=draw(TEXTS)))
    return survey(*made, revision_at=draw(TIMES))


@given(surveys(), TIMES)
def test_the_same_facts_give_the_same_bytes_whatever_the_time(shown: Survey, later: datetime) -> None:
    first = render(shown, TIMELINE)
    assert render(replace(shown, as_of=later), TIMELINE) == first
    assert all(text.encode() for text in first.values())


@given(st.integers(1, 10_000))
def test_no_page_tells_a_length_of_time_that_would_have_to_be_counted_from_now(days: int) -> None:
    shown = replace(SMALL, as_of=NOW + timedelta(days=days))
    assert render(shown, TIMELINE) == render(SMALL, TIMELINE)


@given(TEXTS)
def test_a_hostile_text_keeps_every_table_in_shape(title: str) -> None:
    plain, attacked = render(hostile("plain"), TIMELINE), render(hostile(title), TIMELINE)
    for path in (each for each in plain if each.endswith(".md")):
        shape, found = ([[len(row) for row in each] for each in tables(pages[path])] for pages in (plain, attacked))
        assert found == shape, path


@given(TEXTS)
def test_a_hostile_text_reads_in_a_table_as_it_was_typed(title: str) -> None:
    shown = render(survey(goal("g", "G", [todo(1, title, "g")])), ())["goals/g.md"]
    [first] = [each for each in tables(shown) if each[0][0] == "Todo"]
    assert first[1][0] == (joined_surrogates(cut(title, TITLE_LIMIT)) or "t-k0000001")


@given(TEXTS)
def test_a_hostile_text_brings_neither_html_nor_pictures_into_a_markdown_page(title: str) -> None:
    for path, text in render(hostile(title), TIMELINE).items():
        if path.endswith(".md"):
            found = [each for each in tokens(text) if each.type in ("html_inline", "html_block")]
            assert found == [], path


@given(TEXTS)
def test_a_hostile_text_adds_no_card_no_script_and_no_attribute_to_the_board(title: str) -> None:
    shown = Document(render(hostile(title), TIMELINE)["board.html"])
    assert len(shown.cards) == 10
    assert shown.tags.count("script") == 2
    assert not {"img", "iframe", "object", "base", "b64"} & set(shown.tags)
    assert not [each for each in shown.attributes if each.startswith("on") or each in ("style", "src")]
    cards = json.loads(shown.scripts["application/json"])
    assert cards[0]["t"] == (joined_surrogates(one_line(title)) or "t-k0000001")
    assert all(each.strip() for each in shown.titles.values())


@given(TEXTS)
def test_a_hostile_text_stays_within_its_label_in_the_graph(title: str) -> None:
    page = render(hostile(title), TIMELINE)["graph.md"]
    charts = re.findall(r"```mermaid\n(.*?)\n```", page, re.DOTALL)
    assert len(charts) == page.count("```") // 2 == 2
    for line in "\n".join(charts).splitlines():
        assert line.count('"') in (0, 2)
        assert "%" not in line
        assert re.fullmatch(
            r'flowchart LR|  (n\d+(\["[^"]*"\]|\{\{"[^"]*"\}\}):::\w+|n\d+ -\.?->? n\d+|classDef .*)', line
        )


@given(surveys())
def test_every_graph_can_be_laid_out_without_two_boxes_touching(shown: Survey) -> None:
    for each in shown.goals:
        graph = goal_graph(each, {})
        if not graph.nodes:
            continue
        boxes = layout([node.id for node in graph.nodes], [(edge.source, edge.target) for edge in graph.edges]).boxes
        assert len(boxes) == len(graph.nodes)
        for number, one in enumerate(boxes):
            others = boxes[number + 1 :]
            assert all(abs(one.x - other.x) >= WIDTH or abs(one.y - other.y) >= HEIGHT for other in others)


@given(surveys())
def test_every_todo_is_in_the_status_file_and_on_its_goals_page(shown: Survey) -> None:
    pages = render(shown, ())
    listed = [each["id"] for one in json.loads(pages["status.json"])["goals"] for each in one["todos"]]
    assert listed == [each.id for each in shown.todos()]
    for one in shown.goals:
        assert sum(_listed(pages[f"goals/{one.id}.md"], each) for each in one.todos) == len(one.todos)


def _listed(page: str, of: TodoFacts) -> int:
    return page.count(f"| `{of.id}` |")
