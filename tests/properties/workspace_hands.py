"""The hands in a workspace under test: people at their editors, who save what they like, when they like.

Everything typed carries a mark of its own, so that it can be looked for wherever it may have gone.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopx.workspace import Workspace
from tests.properties.workspace_model import Model
from tests.support.lab import ANN, ShiftedClock
from tests.support.project import Project
from tests.support.shelf import Open

KEPT = ("local/discarded", "local/displaced")
"""Where what was typed is kept once it is not in its own file any more."""


@dataclass
class Typed:
    """What somebody typed into a document's file, over the values that stood there before."""

    name: str
    before: dict[str, Any]
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def changed(self) -> dict[str, Any]:
        """The values that are new; a value typed back to what it was asks for nothing."""
        return {key: value for key, value in self.values.items() if value != self.before[key]}


@dataclass
class Hands:
    """One workspace, the processes that work on it, and what lies in its files."""

    project: Project
    clock: ShiftedClock
    open: Open
    model: Model = field(default_factory=Model)
    processes: list[Workspace] = field(default_factory=list)
    waiting: dict[str, Typed] = field(default_factory=dict)
    """Path to what was typed into the file and is not taken in yet."""
    arriving: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Path to Goal and title of files that were made by hand and have no id yet."""
    gone: dict[str, str] = field(default_factory=dict)
    """Path to the document whose file somebody deleted."""
    garbled: set[str] = field(default_factory=set)
    """Paths of files nobody can read."""
    marks: dict[str, str] = field(default_factory=dict)
    """What was typed and where: each mark is unique, so that it can be looked for anywhere."""
    seen: str = ""
    """Every text of history looked at so far."""
    numbers: int = 0

    @property
    def root(self) -> Path:
        return self.project.root / ".loopx"

    @property
    def ws(self) -> Workspace:
        return self.processes[0]

    def start(self) -> None:
        """Two processes on the same folder."""
        self.processes = [self.open(), self.open()]

    def close(self) -> None:
        for each in self.processes:
            each.close()

    def next(self, word: str) -> str:
        """A word nobody used before."""
        self.numbers += 1
        return f"{word}-{self.numbers}"

    # hands -----------------------------------------------------------------------------------

    def path_of(self, name: str) -> str | None:
        """Where a document's file should lie, as the cache has it."""
        noun, _, identity = name.partition(" ")
        row = self.ws.cache.entity(noun, identity)
        return None if row is None else row.path

    def save(self, path: str, content: bytes) -> None:
        """Save a file as most editors do, and leave it alone for a while."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(f".{target.name}.save~")
        fresh.write_bytes(content)
        os.replace(fresh, target)
        self.clock.wait(5)

    def type(self, name: str, key: str, value: str) -> None:
        """Change one line of a document's header by hand."""
        path = self.path_of(name)
        if path is None or path in self.gone or not (self.root / path).exists() or path in self.garbled:
            return
        lines = (self.root / path).read_text("utf-8").split("\n")
        found = [number for number, line in enumerate(lines) if line.startswith(f"{key}: ")]
        if not found:
            return
        lines[found[0]] = f"{key}: {value}"
        mark = self.next("typed")
        self.save(path, "\n".join([*lines, f"A remark, {mark}.", ""]).encode())
        self.marks[mark] = path
        self.waiting.setdefault(path, Typed(name, dict(self.model.facts[name]))).values[key] = value

    def new_file(self, goal: str, title: str) -> None:
        """Make a Todo by hand, without an id."""
        mark = self.next("typed")
        path = f"goals/{goal}/todos/{mark}.md"
        self.save(path, f"---\ntitle: {title}\n---\nA remark, {mark}.\n".encode())
        self.marks[mark] = path
        self.arriving[path] = (goal, title)

    def garble(self, name: str) -> None:
        """Save half a file: a header that never ends."""
        path = self.path_of(name)
        if path is None or path in self.gone:
            return
        for each in [mark for mark, where in self.marks.items() if where == path and mark not in self.seen]:
            del self.marks[each]  # the person typed over it
        mark = self.next("typed")
        self.save(path, f"---\ntitle: never finished, {mark}\n".encode())
        self.marks[mark] = path
        self.waiting.pop(path, None)
        self.garbled.add(path)

    def commit_with_git(self) -> None:
        """Commit with plain Git whatever lies in the folder, once no lock of a killed process is left in the way."""
        self.look()
        self.project.loopx_git("add", "--all", "goals")
        if self.project.loopx_git("status", "--porcelain", "goals").strip():
            self.project.loopx_git("commit", "--quiet", "--message=by hand")

    def delete(self, name: str) -> None:
        """Delete a document's file."""
        path = self.path_of(name)
        if path is None or not (self.root / path).exists() or path in self.garbled or path in self.waiting:
            return
        (self.root / path).unlink()
        self.gone[path] = name
        self.look()
        self.clock.wait(5)
        self.look()

    def discard(self, path: str) -> None:
        """Have the accepted version of a file back."""
        self.ws.discard_edit(path, actor=ANN)
        self.waiting.pop(path, None)
        self.garbled.discard(path)
        self.gone.pop(path, None)
        self.arriving.pop(path, None)

    def look(self) -> None:
        """Read, which takes in what was typed."""
        self.ws.read()

    def take_in(self) -> None:
        """Let the model follow edits that do not wait any more."""
        left = {edit.path for edit in self.ws.edits(take_in=False)}
        for path in [each for each in self.waiting if each not in left]:
            typed = self.waiting.pop(path)
            self.model.typed(typed.name, typed.changed)
        for path in [each for each in self.arriving if each not in left]:
            goal, title = self.arriving.pop(path)
            self.model.add_todo(_identity_in(self.root / path), goal, title)
        for path in [each for each in self.gone if each not in left and each not in self.ws.cache.absences()]:
            name = self.gone.pop(path)
            if not (self.root / path).exists():  # a rollback may have put it back
                self.model.facts.pop(name, None)

    # what must hold --------------------------------------------------------------------------

    def nothing_typed_is_lost(self) -> None:
        missing = [mark for mark in self.marks if f"{mark}." not in self.seen and f"{mark}\n" not in self.seen]
        if missing:
            on_disk = "\n".join(self._texts())
            assert [mark for mark in missing if mark not in on_disk] == []

    def _texts(self) -> list[str]:
        places = [self.root / "goals", *(self.root / each for each in KEPT)]
        files = (file for place in places if place.exists() for file in place.rglob("*") if file.is_file())
        return [file.read_text("utf-8", errors="replace") for file in files]


def _identity_in(file: Path) -> str:
    lines = file.read_text("utf-8").splitlines()
    return next(line for line in lines if line.startswith("id:")).partition(":")[2].strip().strip('"')
