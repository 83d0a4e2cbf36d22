"""The live page in a real Chromium: answering, following along, keeping what is typed, and obeying no text."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import AddTodo, EditTodo
from tests.acceptance import chromium
from tests.acceptance.chromium import Browser
from tests.support.lab import Lab
from tests.unit.projections.sample import HOSTILE
from tests.web.conftest import Page, saved, served

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        chromium.found() is None, reason="no Chromium on this machine (Debian: apt-get install chromium)"
    ),
]

LIVE = "document.querySelector('#alive')?.dataset.state === 'live'"
VIEWS = ("/", "/board", "/goals", "/goal/beta", "/gates", "/decisions", "/timeline", "/problems")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, page: Page) -> Iterator[Browser]:
    """A browser that was let in by a link."""
    started = Browser(tmp_path_factory.mktemp("profile"))
    started.open(page.server.link())
    started.until("location.pathname === '/'")
    yield started
    started.close()


def look(browser: Browser, page: Page, path: str = "/") -> None:
    """Open a view and wait until it listens; leave a mark that a reload would wipe."""
    browser.open(page.server.address + path)
    browser.until(LIVE)
    browser.evaluate("window.mark = 1")


def text(browser: Browser, selector: str) -> str:
    return str(browser.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))


def fill(browser: Browser, selector: str, typed: str) -> None:
    """Type into a field as a person does: with the focus in it, one piece inserted."""
    browser.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
    browser.ask("Input.insertText", text=typed)


def is_same_page(browser: Browser) -> bool:
    return bool(browser.evaluate("window.mark === 1"))


def click(browser: Browser, selector: str) -> None:
    browser.evaluate(f"document.querySelector({json.dumps(selector)}).click()")


def open_around(browser: Browser, selector: str) -> None:
    """Open the folded part that holds an element."""
    browser.evaluate(f"document.querySelector({json.dumps(selector)}).closest('details').open = true")


def value(browser: Browser, selector: str) -> object:
    return browser.evaluate(f"document.querySelector({json.dumps(selector)}).value")


def test_a_gate_approved_on_the_page_is_a_commit_by_the_person(browser: Browser, page: Page) -> None:
    gate = page.gate("May it be painted blue?", options=("Light", "Dark"))
    look(browser, page)
    form = f'form[data-key="answer-{gate}"]'
    open_around(browser, form)
    fill(browser, f"#reason-{gate}", "It is my favourite")
    click(browser, f"{form} [value=approve]")
    browser.until(f"document.querySelector('#said-gate-{gate}[data-bad]')?.innerText.includes('option-missing')")
    assert value(browser, f"#reason-{gate}") == "It is my favourite"
    click(browser, f"{form} [value=Dark]")
    click(browser, f"{form} [value=approve]")
    browser.until(f"!document.querySelector('#reason-{gate}')")
    commit = page.newest()
    assert commit["subject"].startswith(f"gate: approve {gate}")
    assert (commit["Loopx-Actor"], commit["Loopx-Origin"]) == ("human:Test Person", "page")
    assert commit["Loopx-Operation"].startswith("op-page-")
    assert f"Gate {gate} approved." in text(browser, "#heard")
    assert is_same_page(browser)


def test_an_edit_on_disk_appears_without_reload_and_typed_text_stays(browser: Browser, page: Page) -> None:
    todo = page.lab.todo("Mow the lawn")
    for number in range(30):
        page.lab.todo(f"Pull weed {number}")
    gate = page.gate("May the hedge be cut?")
    look(browser, page, "/goal/beta")
    browser.evaluate("document.querySelector('details.adding').open = true")
    fill(browser, "details.adding [name=body]", "Half a thought")
    open_around(browser, f"#reason-{gate}")
    fill(browser, f"#reason-{gate}", "Because")
    browser.evaluate("scrollTo(0, 400)")
    before = browser.evaluate("scrollY")
    path = page.lab.path_of(todo)
    saved(page.lab.root / path, page.lab.read(path).decode().replace("Mow the lawn", "Mow the meadow"))
    page.lab.clock.wait(5)
    page.happen("Somebody saved a file.")
    browser.until("document.querySelector('main').innerText.includes('Mow the meadow')")
    assert "Mow the lawn" not in text(browser, "[data-key='lane-runnable']")
    assert is_same_page(browser) and browser.evaluate("scrollY") == before
    assert value(browser, "details.adding [name=body]") == "Half a thought"
    assert browser.evaluate("[document.activeElement.id, document.activeElement.value]") == [
        f"reason-{gate}",
        "Because",
    ]
    assert "Somebody saved a file." in text(browser, "#heard")


def test_what_was_typed_for_something_that_goes_away_is_kept(browser: Browser, page: Page) -> None:
    gate = page.gate("May the pond be drained?")
    look(browser, page, "/gates")
    open_around(browser, f"#reason-{gate}")
    fill(browser, f"#reason-{gate}", "A long and careful reason")
    page.do("gate", gate=gate, verb="reject", reason="Somebody else was quicker")
    page.happen()
    browser.until("document.querySelector('.gone') !== null")
    assert value(browser, f"#reason-{gate}") == "A long and careful reason"


def test_hostile_texts_execute_nothing_in_any_view(browser: Browser, page: Page) -> None:
    page.lab.goal("hostile", *(each for each in HOSTILE[:2]))
    todos = []
    for each in HOSTILE:
        typed = each.encode("utf-8", "replace").decode()
        try:
            command = AddTodo(goal="hostile", title=" ".join(typed.split()), body=typed, tags=(typed[:40].strip(),))
            todos.append(page.lab.submit(command).receipt.result["id"])
        except LoopxError as error:
            assert error.code.startswith("field-")
    gate = page.gate(HOSTILE[0], options=(HOSTILE[1], HOSTILE[3]), body="\n\n".join(HOSTILE[:6]))
    places = (
        *VIEWS,
        "/goal/hostile",
        f"/gate/{gate}",
        f"/board?q={'%3Cimg'}",
        *(f"/todo/{each}" for each in todos[:4]),
    )
    for place in places:
        look(browser, page, place)
        page.happen(HOSTILE[0])
        browser.until("document.querySelector('#heard').innerText.includes('<img')")
        assert browser.evaluate("document.title").endswith("Lab · LoopX")
        assert browser.evaluate("document.body.dataset.pwned") is None
        assert browser.evaluate("document.querySelectorAll('img, iframe, object, script:not([src])').length") == 0
        assert browser.complaints() == []


def test_no_request_leaves_the_machine(browser: Browser, page: Page) -> None:
    for place in VIEWS:
        look(browser, page, place)
        assert {each.split("/")[2] for each in browser.requests() if each.startswith("http")} == {page.host}
    assert browser.evaluate("fetch('http://127.0.0.1:9/').then(() => 'went', () => 'kept')") == "kept"
    assert any("Content Security Policy" in each for each in browser.complaints())


def test_everything_is_reached_by_keyboard(browser: Browser, page: Page) -> None:
    gate = page.gate("May I go by keyboard?")
    page.lab.todo("Something to go to")
    look(browser, page, f"/gate/{gate}")
    for _ in range(40):
        browser.press("Tab")
        if browser.evaluate("document.activeElement.id") == f"reason-{gate}":
            break
    for key in "Yes":
        browser.press(key)
    before = page.lab.git("rev-parse", "HEAD")
    browser.press("Enter")
    assert browser.evaluate("document.querySelector('form.act').getAttribute('aria-busy')") is None
    assert page.lab.git("rev-parse", "HEAD") == before, "Enter in a text field answers nothing"
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.value") == "approve"
    browser.press("Enter")
    browser.until("document.querySelector('main').innerText.includes('said in the page')")
    assert page.newest()["subject"].startswith(f"gate: approve {gate}")
    assert browser.evaluate("document.activeElement.id") == "main"
    for key in ("g", "b"):
        browser.press(key)
    browser.until("location.pathname === '/board' && " + LIVE)
    browser.press("j")
    assert browser.evaluate("document.activeElement.matches('.card-title')")
    browser.press("/")
    assert browser.evaluate("document.activeElement.id") == "filter"


def test_the_board_narrows_as_one_types(browser: Browser, page: Page) -> None:
    todo = page.lab.todo("Unmistakable zebra")
    page.lab.todo("A horse")
    look(browser, page, "/board")
    fill(browser, "#filter", "zebra")
    browser.until("location.search === '?q=zebra' && document.querySelectorAll('.card').length === 1")
    page.lab.submit(EditTodo(todo=todo, fields={"title": "Unmistakable zebra with stripes"}))
    page.happen()
    browser.until("document.querySelector('.card').innerText.includes('with stripes')")
    assert browser.evaluate("[document.activeElement.id, document.activeElement.value]") == ["filter", "zebra"]
    assert is_same_page(browser)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_is_wider_than_a_phone(browser: Browser, page: Page, scheme: str) -> None:
    page.lab.todo("x" * 480 + scheme, body="`" + "y" * 300 + "`\n\n| " + "z" * 200 + " | b |\n|---|---|\n| 1 | 2 |")
    todo = next(each.id for each in page.lab.look().state.todos("beta") if each.title.endswith(scheme))
    browser.prefer(scheme)
    browser.size(390, 844, is_phone=True)
    try:
        for place in (*VIEWS, f"/todo/{todo}"):
            look(browser, page, place)
            assert browser.evaluate("document.documentElement.scrollWidth <= 390"), place
        wanted = "rgb(14, 16, 21)" if scheme == "dark" else "rgb(245, 246, 248)"
        assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == wanted
    finally:
        browser.ask("Emulation.clearDeviceMetricsOverride")


def test_forms_work_without_a_script(browser: Browser, page: Page) -> None:
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(page.server.address + "/goal/beta")
        browser.evaluate("document.querySelector('details.adding').open = true")
        fill(browser, "details.adding [name=title]", "Typed where no script runs")
        click(browser, "details.adding button.yes")
        browser.until("location.pathname === '/do/add'")
        browser.until("document.querySelector('h1')?.innerText.endsWith('added.')")
    finally:
        browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert "Typed where no script runs" in page.newest()["subject"]


def test_a_form_on_another_page_of_this_machine_changes_nothing(browser: Browser, page: Page) -> None:
    attack = f"""<form method=post action="{page.server.address}/do/add">
    <input name=goal value=beta><input name=title value="Planted"></form><script>document.forms[0].submit()</script>"""
    before = page.lab.git("rev-parse", "HEAD")
    with_attack = _serving(attack)
    try:
        browser.open(f"http://127.0.0.1:{with_attack.server_address[1]}/")
        browser.until("document.body?.innerText.includes('page-foreign')")
    finally:
        with_attack.shutdown()
        with_attack.server_close()
    assert page.lab.git("rev-parse", "HEAD") == before


def test_a_server_that_ends_is_seen_on_the_page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> None:
    lab = Lab.make(tmp_path_factory.mktemp("ending") / "lab")
    other = served(lab)
    try:
        browser.open(other.server.link())
        browser.until("location.pathname === '/' && " + LIVE)
        other.server.stop()
        browser.until("document.querySelector('#alive')?.dataset.state === 'lost'")
    finally:
        other.server.stop()
        lab.close()
    assert not (lab.root / "local" / "web.json").exists()


def _serving(html: str) -> ThreadingHTTPServer:
    """Another site on this machine, with one page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    return made
