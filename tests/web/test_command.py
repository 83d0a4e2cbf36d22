"""``loopx web``: a link to the page that is being served, and a daemon where none runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.project import Project
from tests.support.source import ROOT
from tests.web.conftest import Page, saved

OURS = {"PYTHONPATH": str(ROOT)}
"""Processes run the code beside these tests, whatever is installed."""


def fetched(link: str) -> int:
    """How the server answers to the link."""
    found = urlsplit(link)
    connection = HTTPConnection(found.hostname or "", found.port, timeout=60)
    try:
        connection.request("GET", f"{found.path}?{found.query}")
        return connection.getresponse().status
    finally:
        connection.close()


def test_a_page_that_is_served_is_linked_to_and_no_daemon_is_started(page: Page) -> None:
    ran = page.lab.project.loopx("web", "--print", "--json", environment=OURS)
    facts = ran.json["data"]
    assert facts["address"] == page.server.address and facts["started"] is False and facts["opened"] is False
    assert fetched(facts["link"]) == 200
    assert fetched(facts["link"]) == 401
    assert not (page.lab.root / "local" / "daemon.json").exists()


def test_without_a_daemon_one_is_started_and_tells_open_pages_of_an_edit(project: Project) -> None:
    project.loopx("init", environment=OURS).expect(0)
    project.loopx("goal", "new", "beta", "--title", "Ship the beta", environment=OURS).expect(0)
    try:
        told = project.loopx("web", "--print", environment=OURS).expect(0)
        assert "watching now" in told.out
        link = told.out.splitlines()[-1].strip()
        assert fetched(link) == 200
        again = project.loopx("web", "--print", "--json", environment=OURS).json["data"]
        assert again["started"] is False and again["address"] == link.partition("/enter")[0]
        with stream_of(again["link"]) as events:
            goal = project.loopx_folder / "goals/beta/goal.md"
            saved(goal, goal.read_text(encoding="utf-8").replace("Ship the beta", "Ship the gamma"))
            heard = next(line for line in events if line.startswith(b"data: ") and b"goals/beta/goal.md" in line)
        assert b'"kind": "accepted"' in heard
    finally:
        project.loopx("daemon", "stop", environment=OURS).expect(0)
    assert not (project.loopx_folder / "local" / "web.json").exists()


@contextmanager
def stream_of(link: str) -> Iterator[HTTPResponse]:
    """The events of a page that is opened by ``link``."""
    found = urlsplit(link)
    with closing(HTTPConnection(found.hostname or "", found.port, timeout=60)) as connection:
        connection.request("GET", f"{found.path}?{found.query}")
        cookie = (connection.getresponse().getheader("set-cookie") or "").partition(";")[0]
    with closing(HTTPConnection(found.hostname or "", found.port, timeout=60)) as connection:
        connection.request("GET", "/events", headers={"Cookie": cookie})
        with connection.getresponse() as answer:
            assert answer.status == 200
            assert answer.readline() == b"retry: 2000\n"
            yield answer


def test_a_browser_is_asked_to_open_the_link(page: Page, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > "{tmp_path}/asked"\n')
    browser.chmod(0o755)
    ran = page.lab.project.loopx("web", environment={**OURS, "BROWSER": f"{browser} %s"}).expect(0)
    assert f"the page is open in your browser · {page.server.address}" in ran.out
    assert "key=" not in ran.out
    assert fetched((tmp_path / "asked").read_text()) == 200


@pytest.mark.parametrize("noted", ["", "{", '{"address": 1}', '{"address": "http://127.0.0.1:9", "token": "x"}'])
def test_a_note_of_a_server_that_is_gone_is_no_page(tmp_path: Path, noted: str) -> None:
    from loopx.web import door
    from loopx.workspace.places import Places

    places = Places(tmp_path)
    places.local.mkdir()
    places.web.write_text(noted)
    assert door.link(places) is None
