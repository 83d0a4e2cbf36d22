"""Take the pictures. ``python -m docs.pictures FOLDER`` takes all of them, without it only those the documents show."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from docs.pictures.content import Author
from docs.pictures.runs import Runs
from loopx.projections.markdown import served_html
from loopx.web.app import Server, serve
from loopx.web.hub import MemoryHub
from tests.acceptance.chromium import Browser
from tests.support.environment import hermetic

HERE = Path(__file__).parent
WIDE, TALL, PHONE = (1360, 900), (1360, 1240), (390, 844)


@dataclass(frozen=True)
class Shot:
    """One picture: of which address, in which light, at which size, after doing what."""

    name: str
    address: str
    dark: bool = False
    size: tuple[int, int] = WIDE
    act: str = ""
    is_kept: bool = False


def shots(ids: Mapping[str, str], board: str) -> Iterator[Shot]:
    """Every picture. Addresses that begin with a slash are the live page's."""
    yield Shot("live", "/", size=TALL, is_kept=True)
    yield Shot("live-dark", "/", dark=True)
    yield Shot("live-phone", "/", size=PHONE)
    yield Shot("live-phone-dark-down", "/", dark=True, size=PHONE, act="scrollTo(0, 1600)")
    yield Shot("live-down", "/", act="scrollTo(0, 100000)")
    yield Shot("live-answer", "/", act=_OPEN)
    yield Shot("board-live", "/board")
    yield Shot("board-live-phone", "/board", size=PHONE, dark=True)
    yield Shot("board-live-none", "/board?q=nowhere")
    yield Shot("goals", "/goals", dark=True)
    yield Shot("goal", "/goal/reader")
    yield Shot("goal-phone", "/goal/reader", size=PHONE)
    yield Shot("goal-down", "/goal/reader", act="scrollTo(0, 1500)")
    yield Shot("goal-cjk", "/goal/fonts", size=PHONE, dark=True)
    yield Shot("todo", f"/todo/{ids['todo']}")
    yield Shot("todo-phone", f"/todo/{ids['todo']}", size=PHONE)
    yield Shot("todo-changes", f"/todo/{ids['todo']}?at={ids['revision']}", act="scrollTo(0, 100000)")
    yield Shot("run", f"/run/{ids['carried']}", is_kept=True, act=_UNFOLD)
    yield Shot("run-dark", f"/run/{ids['carried']}", dark=True)
    yield Shot("run-phone", f"/run/{ids['carried']}", size=PHONE, act=_UNFOLD)
    yield Shot("todo-run-phone", f"/todo/{ids['carried']}", size=PHONE, dark=True, act="scrollTo(0, 500)")
    yield Shot("question", f"/gate/{ids['asked']}")
    yield Shot("question-phone", f"/gate/{ids['asked']}", size=PHONE, dark=True)
    yield Shot("gates", "/gates")
    yield Shot("gate", f"/gate/{ids['gate']}", is_kept=True)
    yield Shot("gate-phone", f"/gate/{ids['gate']}", size=PHONE, dark=True)
    yield Shot("decisions", "/decisions", act="document.querySelector('details').open = true")
    yield Shot("timeline", "/timeline", dark=True)
    yield Shot("timeline-phone", "/timeline", size=PHONE)
    yield Shot("commit", f"/commit/{ids['revision']}")
    yield Shot("rollback", f"/rollback?rev={ids['revision']}", is_kept=True)
    yield Shot("problems", "/problems")
    yield Shot("edit", f"/edit?path={ids['edit']}")
    yield Shot("unknown", "/todo/t-00000000")
    yield Shot("board", board)
    yield Shot("board-dark", board + "#view=goals", dark=True)
    yield Shot("board-phone", board, size=PHONE)
    yield Shot("board-graph", board + "#view=graph")


_UNFOLD = "document.querySelector('[data-key=more-merge]').open = true"
_OPEN = "document.querySelectorAll('.need details').forEach(each => { each.open = true })"


def taken(browser: Browser, server: Server, shot: Shot) -> bytes:
    """One picture as PNG."""
    browser.prefer("dark" if shot.dark else "light")
    browser.size(*shot.size, is_phone=shot.size == PHONE)
    browser.open(server.address + shot.address if shot.address.startswith("/") else shot.address)
    if shot.address.startswith("/"):
        browser.until("document.querySelector('#alive').dataset.state === 'live'")
    if shot.act:
        browser.evaluate(f"{shot.act}; 0")
    return browser.picture()


@contextmanager
def pages(author: Author) -> Iterator[tuple[Server, dict[str, str], Path]]:
    """The live page and the written pages of a filled workspace, with ids to look at."""
    ws = author.fill()
    carried, asked = Runs(ws).make()
    author.spoil()
    ws.render(wait=True)
    newest = ws.log(id=author.todos["reader"][1], limit=5)
    ids = {
        "carried": carried,
        "asked": asked,
        "todo": author.todos["reader"][1],
        "gate": next(each.id for each in ws.read().state.gates("release") if each.id != asked),
        "revision": newest[-2].revision,
        "edit": ws.edits()[0].path,
    }
    server = serve(ws, MemoryHub())
    server.start()
    try:
        yield server, ids, ws.places.status
    finally:
        server.stop()
        ws.close()


def markdown_as_html(page: Path, folder: Path) -> str:
    """A written page in the style most viewers show Markdown in; its address."""
    style = (HERE / "viewer.css").read_text(encoding="utf-8")
    made = folder / f"{page.stem}.html"
    body = served_html(page.read_text(encoding="utf-8"))
    made.write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style><body>{body}", encoding="utf-8")
    return made.as_uri()


def main(folder: Path | None) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        here = Path(temporary)
        os.environ.update({**hermetic(here / "home"), "LOOPX_PAGES": "off"})
        project = here / "offline-reader"
        project.mkdir()
        for words in (
            ["init", "-q"],
            ["config", "user.name", "Ada Lovelace"],
            ["config", "user.email", "ada@example.org"],
        ):
            subprocess.run(["git", "-C", str(project), *words], check=True)
        browser = Browser(here / "profile")
        try:
            with pages(Author(project)) as (server, ids, status):
                browser.open(server.link())
                browser.until("location.pathname === '/'")
                written = [Shot(f"markdown-{each.stem}", markdown_as_html(each, here)) for each in _written(status)]
                for shot in (*shots(ids, (status / "board.html").as_uri()), *written):
                    if folder is not None or shot.is_kept:
                        _keep(taken(browser, server, shot), (folder or HERE) / f"{shot.name}.png")
        finally:
            browser.close()


def _written(status: Path) -> list[Path]:
    return [*(status / name for name in ("README.md", "problems.md", "timeline.md")), status / "goals/reader.md"]


def _keep(picture: bytes, file: Path) -> None:
    """Write a picture, with fewer colours where a program for that is there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(picture)
    shrink: Callable[..., subprocess.CompletedProcess[bytes]] = subprocess.run
    try:
        shrink(["pngquant", "--force", "--skip-if-larger", "--quality=70-95", "--strip", f"--output={file}", str(file)])
    except FileNotFoundError:
        return


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
