"""The doorkeeper: without the token, by another name or from another page nothing is shown and nothing changes."""

from __future__ import annotations

import json
import stat
from urllib.parse import urlencode

import pytest

from loopx.web import door
from loopx.web.guarding import POLICY
from tests.web.conftest import FORM, Page

ADD = urlencode({"goal": "beta", "title": "Slipped in"}).encode()
VIEWS = ("/", "/board", "/goal/beta", "/timeline", "/problems", "/events", "/healthz", "/static/live.js", "/nowhere")


def own(page: Page, **other: str | None) -> dict[str, str]:
    """The headers the page's own script sends, but for what a case changes or leaves out."""
    usual: dict[str, str | None] = {
        "Cookie": page.cookie,
        "Origin": f"http://{page.host}",
        "Sec-Fetch-Site": "same-origin",
        "Content-Type": FORM,
        "Accept": "application/json",
    }
    return {name: value for name, value in {**usual, **other}.items() if value is not None}


@pytest.mark.parametrize("path", VIEWS)
def test_nothing_is_shown_without_the_token(page: Page, path: str) -> None:
    answer = page.ask("GET", path)
    assert answer.status == 401
    assert "page-closed" in answer.text and "loopx web" in answer.text
    assert "beta" not in answer.text


@pytest.mark.parametrize(
    "cookie", ["", "loopx-PORT=", "loopx-PORT=guess", "loopx=TOKEN", "loopx-PORT=TOKENx", "\x7f=;;"]
)
def test_a_wrong_token_is_none(page: Page, cookie: str) -> None:
    token = page.cookie.partition("=")[2]
    typed = cookie.replace("PORT", str(page.server.port)).replace("TOKEN", token)
    assert page.ask("GET", "/", headers={"Cookie": typed}).status == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "localhost.evil:PORT", ""]
)
def test_another_host_is_refused_whoever_asks(page: Page, host: str) -> None:
    typed = host.replace("PORT", str(page.server.port))
    answer = page.ask("GET", "/", headers={"Host": typed, "Cookie": page.cookie})
    assert answer.status == 421
    assert "page-foreign" in answer.text


def test_this_machine_may_be_called_localhost(page: Page) -> None:
    host = f"localhost:{page.server.port}"
    assert page.ask("GET", "/", headers={"Host": host, "Cookie": page.cookie}).status == 200


@pytest.mark.parametrize(
    "other",
    [
        {"Cookie": None},
        {"Cookie": "loopx=guess"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": None},
        {"Origin": "https://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Host": "evil.example"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Type": "application/json"},
    ],
    ids=str,
)
def test_a_foreign_post_changes_nothing(page: Page, other: dict[str, str | None]) -> None:
    before = page.lab.git("rev-parse", "HEAD")
    answer = page.ask("POST", "/do/add", ADD, own(page, **other))
    assert answer.status in (400, 401, 403, 421)
    assert answer.json["ok"] is False and answer.json["code"].startswith("page-")
    assert page.lab.git("rev-parse", "HEAD") == before


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_only_a_post_reaches_a_form(page: Page, method: str) -> None:
    before = page.lab.git("rev-parse", "HEAD")
    assert page.ask(method, "/do/add?" + ADD.decode(), None, own(page)).status in (404, 405)
    assert page.lab.git("rev-parse", "HEAD") == before


def test_a_link_opens_the_page_once(page: Page) -> None:
    path = page.server.link().removeprefix(page.server.address)
    first = page.ask("GET", path)
    assert first.status == 200
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower() and "Domain" not in cookie
    again = page.ask("GET", path)
    assert again.status == 401 and "page-closed" in again.text and "set-cookie" not in again.headers


def test_a_link_grows_old(page: Page) -> None:
    path = page.server.link().removeprefix(page.server.address)
    page.lab.clock.wait(301)
    assert page.ask("GET", path).status == 401
    assert page.see("/").status == 200


def test_every_answer_carries_the_policy_and_is_kept_nowhere(page: Page) -> None:
    for answer in (page.see("/"), page.see("/nowhere"), page.ask("GET", "/"), page.do("add")):
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "server" not in answer.headers and "access-control-allow-origin" not in answer.headers
    assert "unsafe" not in POLICY and "http" not in POLICY


def test_the_page_itself_has_no_script_and_no_style_in_it(page: Page) -> None:
    for path in ("/", "/board", "/goal/beta", "/decisions", "/timeline", "/problems"):
        text = page.see(path).text
        assert text.count("<script") == 1 and '<script src="/static/live.js?' in text
        assert "<style" not in text and " style=" not in text and " onclick" not in text


def test_the_token_is_readable_by_its_owner_alone_and_gone_with_the_server(page: Page) -> None:
    noted = page.lab.root / "local" / "web.json"
    assert stat.S_IMODE(noted.stat().st_mode) == 0o600
    assert json.loads(noted.read_text())["address"] == page.server.address
    door.close(page.lab.ws.places, "http://127.0.0.1:1")
    assert noted.exists(), "what another server said is not ours to remove"


def test_another_process_of_the_same_person_is_handed_a_link(page: Page) -> None:
    link = door.link(page.lab.ws.places)
    assert link is not None
    assert page.ask("GET", link.removeprefix(page.server.address)).status == 200


def test_nobody_else_is_handed_a_key(page: Page) -> None:
    assert page.ask("POST", "/key", b"", {"Authorization": "Bearer guess"}).status == 401
    assert page.ask("POST", "/key", b"").status == 403


def test_what_nobody_expected_is_told_as_a_problem_and_kept_for_whoever_mends_it(page: Page) -> None:
    def broken(**_: object) -> None:
        raise ZeroDivisionError

    kept = page.lab.root / "local" / "bugs"
    page.lab.ws.edits = broken  # type: ignore[method-assign]
    try:
        told = page.ask("GET", "/", headers={"Cookie": page.cookie, "Accept": "application/json"})
    finally:
        del page.lab.ws.edits  # type: ignore[method-assign]
    assert told.status == 500 and told.json["code"] == "bug" and "Traceback" not in told.text
    [report] = kept.iterdir()
    assert "ZeroDivisionError" in report.read_text() and "the live page" in report.read_text()
    assert page.see("/").status == 200
