"""A workspace whose live page is being served, and a client that speaks to it as a browser does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from loopx.kernel.commands import OpenGate
from loopx.web.app import Server, serve
from loopx.web.hub import Happening, HappeningKind, MemoryHub
from tests.support.lab import BOT, Lab

FORM = "application/x-www-form-urlencoded"
SECONDS = 60.0


@dataclass(frozen=True)
class Answered:
    """What the server said."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass
class Page:
    """One workspace with its live page. ``cookie`` is that of a browser that was let in."""

    lab: Lab
    hub: MemoryHub
    server: Server
    cookie: str = ""

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answered:
        """One request with exactly these headers."""
        with closing(HTTPConnection("127.0.0.1", self.server.port, timeout=SECONDS)) as connection:
            connection.request(method, path, body, {**(headers or {})})
            answer = connection.getresponse()
            return Answered(answer.status, dict(answer.getheaders()), answer.read().decode())

    def see(self, path: str) -> Answered:
        """A view, as the browser that was let in asks for it."""
        return self.ask("GET", path, headers={"Cookie": self.cookie})

    def do(self, what: str, *, accept: str = "application/json", **fields: str) -> Answered:
        """A form, as the page's own script sends it."""
        headers = {
            "Cookie": self.cookie,
            "Origin": f"http://{self.host}",
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": FORM,
            "Accept": accept,
        }
        return self.ask("POST", f"/do/{what}", urlencode(fields).encode(), headers)

    def enter(self) -> str:
        """Follow a fresh link; the cookie that was set."""
        answer = self.ask("GET", self.server.link().removeprefix(self.server.address))
        assert answer.status == 200
        return answer.headers["set-cookie"].partition(";")[0]

    def happen(self, text: str = "", kind: HappeningKind = HappeningKind.ACCEPTED) -> None:
        """What the daemon tells once it looked again."""
        self.hub.tell(Happening(kind=kind, at=datetime.now(UTC), text=text))

    def newest(self) -> dict[str, str]:
        """The last commit as plain Git tells it: its author, subject and trailers."""
        author, subject, *body = self.lab.git("log", "-1", "--format=%an%n%s%n%b").splitlines()
        trailers = dict(each.split(": ", 1) for each in body if each.startswith("Loopx-"))
        return {"author": author, "subject": subject, **{name: value.strip('"') for name, value in trailers.items()}}

    def gate(self, question: str = "May it go live?", **more: Any) -> str:
        command = OpenGate(goal="beta", scope="production:goal:deploy", question=question, **more)
        return str(self.lab.submit(command, BOT).receipt.result["id"])


def served(lab: Lab) -> Page:
    """The page of ``lab``, started and entered. Whoever asks stops the server and closes the lab."""
    hub = MemoryHub()
    server = serve(lab.ws, hub, health=lambda: {"pid": 7})
    server.start()
    page = Page(lab, hub, server)
    page.cookie = page.enter()
    return page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Page]:
    """One page for all tests of a module: each looks only at what it made itself."""
    lab = Lab.make(tmp_path_factory.mktemp("page") / "lab")
    before = lab.project.snapshot()
    lab.goal("beta", "Ten people use it")
    made = served(lab)
    yield made
    made.server.stop()
    lab.close()
    lab.project.assert_untouched(before)


def saved(file: Path, text: str) -> None:
    """Save a file as most editors do: a temporary one, renamed."""
    fresh = file.with_name(f".{file.name}.save~")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(file)
