"""The scene most cases of hand editing start from: a Goal, two Todos, and a person who types into the first one's file."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.console import Console, Said
from tests.support.lab import Lab

TITLE = "title: Write the guide"
TITLE_LINE = 5
"""Where a new Todo's file holds its title: behind the fence, the modeline, ``id`` and ``rev``."""


@dataclass(slots=True)
class TwoTodos:
    """``first`` is the one typed into; ``second`` must not suffer from it."""

    lab: Lab
    ask: Console
    first: str
    second: str
    path: str
    accepted: bytes

    @property
    def typed(self) -> bytes:
        """The first Todo's file as it stands on disk."""
        return self.lab.read(self.path)

    def type(self, *header: str, body: str = "") -> bytes:
        """Save the first Todo's file with its title line replaced by ``header``, and with ``body``; the bytes saved."""
        return self.save(self.accepted.replace(TITLE.encode(), "\n".join(header).encode()) + body.encode())

    def save(self, content: bytes) -> bytes:
        self.lab.save(self.path, content)
        return content

    def todo(self, todo: str) -> Any:
        """A Todo as ``show --json`` tells it."""
        return self.ask("todo", "show", todo, "--json").expect().json["data"]

    def problems(self, code: int = 1) -> list[tuple[str, int | None, int | None]]:
        """What ``check`` finds wrong, as code, line and column; the same when asked twice, and all in the first's file."""
        told = self.ask("check", "--json").expect(code).json["data"]["problems"]
        assert self.ask("check", "--json").expect(code).json["data"]["problems"] == told
        assert {each["place"]["path"] for each in told} <= {self.path}
        assert all(each["hint"] for each in told)
        return [(each["code"], each["place"].get("line"), each["place"].get("column")) for each in told]

    def assert_held(self, typed: bytes, code: str, line: int, column: int | None = None, *, state: str) -> Said:
        """The file is told of by everything that tells, harms nothing else, and stays as typed. Returns ``check``."""
        found = self.problems()
        assert found[0][:2] == (code, line)
        assert column is None or found[0][2] == column
        self._assert_told(f"{self.path}:{line}:{found[0][2]}", code, state)
        self._assert_others_work()
        assert self.typed == typed
        assert self.lab.at_head(self.path) == self.accepted
        assert not any(line.startswith("todo: delete") for line in self.lab.subjects())
        return self.ask("check").expect(1)

    def _assert_told(self, place: str, code: str, state: str) -> None:
        status = self.ask("status").expect(1)
        assert place in status.out
        assert f"[{code}]" in status.out
        facts = self.ask("status", "--json").expect(1).json["data"]
        assert facts["goals"][0]["unreadable"] == (state == "unreadable")
        [told] = {each["state"] for each in facts["problems"]}
        assert told == state
        [edit] = self.ask("edit", "list", "--json").expect(1).json["data"]["edits"]
        assert (edit["path"], edit["state"]) == (self.path, state)

    def _assert_others_work(self) -> None:
        listed = self.ask("todo", "list", "--json").expect()
        assert {each["id"] for each in listed.json["data"]["todos"]} == {self.first, self.second}
        assert any(each["place"]["path"] == self.path for each in listed.json["warnings"])
        self.ask("todo", "edit", self.second, "--add", "tags=seen").expect()
        assert self.todo(self.second)["tags"] == ["seen"]

    def assert_taken_in(self, typed: bytes) -> None:
        """The file is committed as typed, to the byte, by the person, and nothing is left to say."""
        self.ask("todo", "list").expect()
        self.ask("edit", "list").expect()
        assert self.typed == typed
        assert self.lab.at_head(self.path) == typed
        assert self.lab.git("log", "-1", "--format=%an", "--", self.path).strip() == "Test Person"

    def command(self, *arguments: str) -> list[str]:
        """Change the first Todo by command; the lines that differ in its file, ``rev`` apart, as a diff shows them."""
        before = self.typed
        self.ask("todo", "edit", self.first, *arguments).expect()
        assert self.typed == self.lab.at_head(self.path)
        return changed_lines(before, self.typed)


def changed_lines(before: bytes, after: bytes) -> list[str]:
    """The lines that differ, with their ends, ``-`` and ``+`` before them; the renewal of ``rev`` is left out."""
    old, new = (each.decode().split("\n") for each in (before, after))
    lines = [each for each in difflib.unified_diff(old, new, n=0, lineterm="") if each[:3] not in ("---", "+++", "@@ ")]
    return [each for each in lines if not each[1:].startswith("rev:")]


@contextmanager
def two_todos(folder: Path) -> Iterator[TwoTodos]:
    """The scene in a project of its own, which stays untouched; history, index and files agree in the end."""
    lab = Lab.make(folder)
    before = lab.project.snapshot()
    lab.goal("beta", "The guide is published")
    first, second = lab.todo("Write the guide"), lab.todo("Record the demo")
    path = lab.path_of(first)
    lab.ws.close()
    yield TwoTodos(lab, Console(lab), first, second, path, lab.read(path))
    lab.project.assert_untouched(before)
    assert lab.git("fsck", "--strict", "--no-dangling").strip() == ""
