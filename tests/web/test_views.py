"""What the views answer, asked for as plain documents."""

from __future__ import annotations

import json
import re
from contextlib import closing
from html.parser import HTMLParser
from http.client import HTTPConnection

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import AddTodo, CompleteTodo, EditTodo
from loopx.web.app import serve
from loopx.web.hub import HappeningKind, MemoryHub
from loopx.web.streaming import event
from tests.support.lab import BOT
from tests.unit.projections.sample import HOSTILE
from tests.web.conftest import Page, saved


def test_the_overview_says_what_needs_a_person_what_runs_waits_is_blocked_and_went_wrong(page: Page) -> None:
    first = page.lab.todo("Lay the table")
    page.lab.todo("Serve dinner", depends_on=(first,))
    gate = page.gate("May dinner be served?")
    text = page.see("/").text
    for title in ("Needs you", "Runs now", "May be taken up", "Waits", "Blocked", "Went wrong", "Happened last"):
        assert f">{title}" in text
    assert f'href="/gate/{gate}"' in text and "May dinner be served?" in text
    assert "Serve dinner" in text and first in text


def test_a_todo_is_shown_with_its_history_and_what_each_commit_changed(page: Page) -> None:
    todo = page.lab.todo("Write the guide", body="See [the plan](../plan.md) and [the site](https://example.org/).")
    page.lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    changed = page.lab.git("rev-parse", "HEAD").strip()
    text = page.see(f"/todo/{todo}?at={changed}").text
    assert '<span class="added">+priority: p0' in text
    assert 'href="https://example.org/" rel="noopener noreferrer"' in text
    assert '<span class="elsewhere" title="../plan.md">the plan</span>' in text
    assert page.see(f"/todo/{todo[:6]}").status == 200


def test_what_is_not_there_is_said_with_code_and_next_step(page: Page) -> None:
    for path, code in (
        ("/todo/t-00000000", "todo-unknown"),
        ("/gate/g-00000000", "gate-unknown"),
        ("/goal/none", "goal-unknown"),
        ("/commit/feedface", "revision-unknown"),
        ("/edit?path=goals/none.md", "edit-unknown"),
        ("/nowhere", "page-unknown"),
        ("/static/../app.py", "page-unknown"),
        ("/static/none.js", "page-unknown"),
    ):
        answer = page.see(path)
        assert (answer.status, code in answer.text) == (404, True), path


@pytest.mark.parametrize(
    "path",
    [
        "/commit/--all",
        "/commit/-p",
        "/commit/HEAD%0a",
        "/commit/%00",
        "/todo/%00",
        "/todo/%ff%fe",
        "/gate/..%2f..%2fx",
        "/goal/%3Cscript%3E",
        "/edit?path=../../app.py",
        "/edit?path=%00",
        "/rollback?rev=--help",
        "/rollback?rev=",
        "/undo",
        "/undo?op=%0a",
        "/board?more=%00&goal=%ff",
        "/timeline?limit=" + "9" * 5000,
    ],
)
def test_no_address_breaks_the_page(page: Page, path: str) -> None:
    answer = page.see(path)
    assert answer.status in (200, 400, 404, 422), answer.text
    assert "Traceback" not in answer.text


def test_the_board_is_narrowed_by_goal_and_text(page: Page) -> None:
    page.lab.goal("gamma")
    page.lab.todo("Paint the fence", "gamma", tags=("outside",))
    page.lab.todo("Paint the door", "gamma")
    titles = re.compile(r'class="card-title"[^>]*>([^<]*)<')
    assert titles.findall(page.see("/board?goal=gamma&q=paint+outside").text) == ["Paint the fence"]
    assert titles.findall(page.see("/board?goal=gamma&q=OUTSIDE").text) == ["Paint the fence"]
    assert "Nothing matches." in page.see("/board?goal=gamma&q=nothing").text


def test_a_decision_is_shown_with_its_trace(page: Page) -> None:
    text = page.see("/decisions").text
    assert "The rules, in their order" in text and 'id="decision-beta"' in text
    assert text.count('class="ok"') >= 1


def test_hostile_texts_stay_texts_in_every_view(page: Page) -> None:
    page.lab.goal("hostile")
    for title in HOSTILE:
        line = " ".join(title.encode("utf-8", "replace").decode().split())
        todo = AddTodo(goal="hostile", title=line, body=title.encode("utf-8", "replace").decode(), tags=("<b>",))
        try:
            page.lab.submit(todo)
        except LoopxError as error:
            assert error.code.startswith("field-")
    todos = [each.id for each in page.lab.look().state.todos("hostile")]
    assert len(todos) > 10
    for path in ("/", "/board", "/goal/hostile", "/timeline", "/decisions", *(f"/todo/{each}" for each in todos)):
        found = Elements()
        found.feed(page.see(path).text)
        assert found.tags.count("script") == 1, path
        assert not {"img", "iframe", "object", "embed", "style", "base"} & set(found.tags), path
        assert not [name for name, _ in found.attributes if name.startswith("on") or name == "style"], path
        assert not [value for name, value in found.attributes if name in ("href", "action") and not LEADS.match(value)]


LEADS = re.compile(r"/(?!/)|#|https?://|mailto:|data:,$")


class Elements(HTMLParser):
    """What a browser makes of a page: every tag and every attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def test_an_edit_that_was_refused_is_shown_against_the_accepted_version(page: Page) -> None:
    todo = page.lab.todo("Clean the windows")
    path = page.lab.path_of(todo)
    saved(page.lab.root / path, page.lab.read(path).decode().replace("title: ", "title: Windows: "))
    page.lab.clock.wait(5)
    text = page.see("/problems").text
    assert path in text and "document-syntax" not in text
    shown = page.see(f"/edit?path={path}").text
    assert "document-syntax" in shown and '<span class="added">+title: Windows: ' in shown
    assert page.do("discard", path=path).json["ok"]


def test_the_timeline_tells_the_way_in(page: Page) -> None:
    page.do("add", goal="beta", title="Added on the page")
    text = page.see("/timeline").text
    assert "Added on the page" in text and "on the page" in text
    assert page.see("/timeline?limit=x").status == page.see("/timeline?limit=0").status == 200


def test_a_rollback_shows_its_packet_and_does_nothing(page: Page) -> None:
    todo = page.lab.todo("Shear the sheep")
    before = page.lab.git("rev-parse", "HEAD").strip()
    page.lab.submit(CompleteTodo(todo=todo), BOT)
    head = page.lab.git("rev-parse", "HEAD").strip()
    text = page.see(f"/rollback?rev={before}&todo={todo}").text
    assert "a plan: nothing is done yet" in text and f'name="head" value="{head}"' in text and "bot (agent)" in text
    assert page.lab.git("rev-parse", "HEAD").strip() == head


def test_health_is_told_to_whoever_holds_the_token(page: Page) -> None:
    assert page.see("/healthz").json == {"ok": True, "pages_open": 0, "pid": 7}


def test_a_page_that_goes_away_is_forgotten(page: Page) -> None:
    before = page.hub.listening
    with closing(HTTPConnection("127.0.0.1", page.server.port, timeout=60)) as connection:
        connection.request("GET", "/events", headers={"Cookie": page.cookie})
        with connection.getresponse() as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            assert answer.readline() == b"retry: 2000\n"
            assert page.hub.listening == before + 1
    for _ in range(2000):
        if page.see("/healthz").json["pages_open"] == 0:
            break
    assert page.hub.listening == before


def test_an_event_is_one_block_of_one_line(page: Page) -> None:
    told: list[bytes] = []
    end = page.hub.subscribe(lambda happening: told.append(event(happening)))
    page.happen("two\nlines\n\nevent: end", HappeningKind.REFUSED)
    end()
    end()
    page.happen("not heard")
    [block] = told
    name, data, *rest = block.decode().split("\n")
    assert name == "event: happening" and rest == ["", ""]
    assert json.loads(data.removeprefix("data: "))["text"] == "two\nlines\n\nevent: end"


def test_a_port_that_is_taken_is_said(page: Page) -> None:
    with pytest.raises(LoopxError, match=str(page.server.port)) as caught:
        serve(page.lab.ws, MemoryHub(), port=page.server.port)
    assert caught.value.code == "web-failed"
