"""``board.html``: one file that needs nothing, shows what there is and says what it leaves out."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace

import pytest

from loopx.model.todo import TodoStatus
from loopx.projections import board
from loopx.projections.cards import CARDS_SHOWN, card_data
from loopx.projections.goalpage import by_lane
from loopx.projections.pages import render
from tests.unit.projections.reading import Document
from tests.unit.projections.sample import HOSTILE, READER, SMALL, TIMELINE, hostile
from tests.unit.projections.surveys import entry, goal, large, survey, todo


@pytest.fixture(scope="module")
def small() -> Document:
    return Document(render(SMALL, TIMELINE)["board.html"])


@pytest.fixture(scope="module")
def big() -> str:
    return render(large(50, 200), ())["board.html"]


def test_each_todo_is_a_card_in_the_order_of_the_columns(small: Document) -> None:
    assert small.cards == [f"t-k{number:07d}" for number in (1, 2, 10, 3, 4, 9, 5, 6, 7, 8)]
    assert small.titles["t-k0000005"] == "Ship fonts for Chinese and Arabic"


def test_the_script_gets_every_todo_that_is_shown(small: Document) -> None:
    cards = json.loads(small.scripts["application/json"])
    assert [each["i"] for each in cards] == small.cards
    first = cards[0]
    assert first == {
        "i": "t-k0000001",
        "t": "Decide how two devices agree on the last page read",
        "g": "reader",
        "l": 0,
        "p": "p0",
        "w": "coder-1",
        "k": ["sync"],
        "a": "2026-02-21 14:04 UTC",
        "f": "../goals/reader/todos/t-k0000001-x.md",
        "m": 1,
    }


def test_style_and_script_run_by_their_digest_and_nothing_else_may(small: Document) -> None:
    rules = dict(rule.strip().partition(" ")[::2] for rule in small.policy.split(";"))
    assert rules == {
        "default-src": "'none'",
        "style-src": digest(small.style),
        "script-src": digest(small.scripts[""]),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_page_asks_for_nothing_from_elsewhere(small: Document) -> None:
    assert not {"img", "iframe", "object", "embed", "base"} & set(small.tags)
    assert not {"src", "srcset", "style", "action"} & small.attributes
    assert not [each for each in small.attributes if each.startswith("on")]
    assert "url(" not in small.style
    assert "@import" not in small.style
    assert not [each for each in ("fetch(", "XMLHttp", "innerHTML", "eval(", "import(") if each in small.scripts[""]]


@pytest.mark.parametrize("title", HOSTILE)
def test_a_hostile_title_changes_no_tag_of_the_page(title: str) -> None:
    plain, attacked = (Document(render(hostile(each), TIMELINE)["board.html"]) for each in ("plain", title))
    bodies = {"p", "strong", "em", "code", "pre", "h4", "ul", "ol", "li", "a", "br"}
    kept = [[tag for tag in page.tags if tag not in bodies] for page in (plain, attacked)]
    assert kept[0] == kept[1]
    assert attacked.cards == plain.cards
    assert attacked.attributes <= plain.attributes | {"rel", "start"}
    assert attacked.scripts[""] == plain.scripts[""]


def test_columns_are_capped_and_say_how_many_more_there_are(big: str) -> None:
    shown = Document(big)
    assert len(shown.cards) == 5 * CARDS_SHOWN
    assert f'class="show-more">{3334 - CARDS_SHOWN} more</button>' in big
    assert 'data-number="3334"' in big


def test_ten_thousand_todos_make_a_page_below_eight_megabytes(big: str) -> None:
    assert len(big.encode()) < 8_000_000
    assert len(json.loads(Document(big).scripts["application/json"])) == 10_000


def test_long_titles_do_not_make_the_page_grow_without_end_and_what_is_left_out_is_told() -> None:
    lengthy = survey(goal("g", "G", [todo(n, "长" * 900, "g") for n in range(6_000)]))
    text = render(lengthy, ())["board.html"]
    held = len(json.loads(Document(text).scripts["application/json"]))
    assert held < 6_000
    assert f"{6_000 - held} Todos closed longest ago are not carried by this page" in text


def test_what_does_not_fit_is_what_was_closed_longest_ago() -> None:
    done, waits = todo(1, "done", status=TodoStatus.DONE), todo(2, "open")
    lanes = by_lane([done, waits])
    whole, none_left = card_data(lanes)
    assert (len(json.loads(whole)), none_left) == (2, 0)
    held, left = card_data(lanes, limit=len(whole) - 1)
    assert ([each["i"] for each in json.loads(held)], left) == ([waits.id], 1)


def test_graphs_beyond_the_pages_measure_are_named_not_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "NODES_LIMIT", 7)
    text = render(SMALL, TIMELINE)["board.html"]
    assert text.count('<svg class="graph"') == 1
    assert 'Run a beta with thirty people: not drawn here, see <a href="graph.md#beta">graph.md</a>' in text


def test_bodies_are_carried_up_to_a_measure_and_marked_where_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    many = survey(goal("reader", "R", [todo(n, f"Piece {n}", body="**text**") for n in range(10)]))
    monkeypatch.setattr(board, "BODIES_LIMIT", 500)
    text = render(many, ())["board.html"]
    assert text.count("<template data-body=") == 3
    assert all(each["m"] for each in json.loads(Document(text).scripts["application/json"]))


def test_Q12_older_commits_and_further_items_are_counted() -> None:
    many = [entry(0, "todo: add t-k0000001") for _ in range(board.ENTRIES_LIMIT + 1)]
    text = render(replace(SMALL, truncated={"timeline": 9, "needs_you": 4, "problems": 2}), many)["board.html"]
    assert '10 older: <a href="timeline.md">' in text
    assert "and 4 more:" in text
    assert "and 2 more:" in text


def test_Q13_unread_files_show_beside_the_counts(small: Document) -> None:
    text = render(SMALL, TIMELINE)["board.html"]
    assert "<b>1</b> unread</a>" in text
    assert "1 unread" in text.split('data-goal="beta"')[-2]


def test_the_closed_that_were_not_done_show_how_they_ended() -> None:
    text = render(SMALL, TIMELINE)["board.html"]
    assert '<li class="card" data-priority="p2" data-ended="cancelled">' in text
    assert '<span class="small otherwise">· 1 cancelled</span>' in text


def test_an_empty_workspace_has_a_board() -> None:
    text = render(survey(revision=None, revision_at=None), ())["board.html"]
    assert Document(text).cards == []
    assert "Before the first commit" in text
    assert "loopx goal new" in text


def test_a_goals_objective_is_rendered_with_its_links_turned() -> None:
    text = render(survey(READER), ())["board.html"]
    assert "<strong>planes</strong>" in text
    assert '<a href="../goals/reader/survey.md">the survey</a>' in text
