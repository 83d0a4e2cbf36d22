"""What tests of the doctor do to a lab: look, damage the cache, commit what nobody judged, compare every byte."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from loopx.store.protocol import Draft, Signature
from loopx.workspace.doctor import Diagnosis, Finding
from tests.support.lab import Lab

ANN_GIT = Signature("Ann", "ann@example.invalid")


def first(lab: Lab, folder: str = "todos") -> str:
    """The path of the first document of a folder of the Goal."""
    [found, *_] = sorted((lab.root / "goals/beta" / folder).iterdir())
    return found.relative_to(lab.root).as_posix()


def guide(lab: Lab) -> str:
    """The path of the Todo that is open."""
    [found] = (lab.root / "goals/beta/todos").glob("*-write-the-guide.md")
    return found.relative_to(lab.root).as_posix()


def faults(lab: Lab) -> list[Finding]:
    return list(lab.ws.doctor().faults)


def told(found: Diagnosis) -> list[tuple[str, str, str]]:
    return [(each.surface.value, each.kind.value, each.place) for each in found.faults]


@contextmanager
def database(lab: Lab) -> Iterator[sqlite3.Connection]:
    """The cache's file, changed behind the workspace's back."""
    connection = sqlite3.connect(lab.root / "local/cache.sqlite")
    yield connection
    connection.commit()
    connection.close()


def committed(lab: Lab, path: str, content: bytes, message: str = "", *, on_disk: bool = True) -> str:
    """A commit of ``path`` that nobody judged, with both references on it and the file following."""
    text = message or "by plumbing\n"
    draft = Draft({path: content}, text, ANN_GIT, ANN_GIT, lab.clock.now())
    [written] = lab.ws.store.write(lab.ws.store.head(), [draft])
    lab.ws.store.publish(written.oid, lab.ws.store.head())
    lab.ws.store.admit(written.oid)
    if on_disk:
        (lab.root / path).parent.mkdir(parents=True, exist_ok=True)
        (lab.root / path).write_bytes(content)
    lab.git("reset", "--quiet")
    return written.oid


def everything(lab: Lab) -> dict[str, bytes]:
    """Every byte below ``.loopx/`` but SQLite's own side files, which a mere look may touch."""
    skipped = ("cache.sqlite-wal", "cache.sqlite-shm")
    files = [each for each in lab.root.rglob("*") if each.is_file() and each.name not in skipped]
    return {each.relative_to(lab.root).as_posix(): each.read_bytes() for each in files}


def documents(lab: Lab) -> dict[str, bytes]:
    return {path: content for path, content in everything(lab).items() if path.startswith(("goals/", "workspace"))}


def typed_into_a_page(lab: Lab) -> None:
    with open(lab.root / "status/README.md", "a", encoding="utf-8") as page:
        page.write("- [x] all done\n")
