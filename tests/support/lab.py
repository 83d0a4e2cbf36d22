"""A workspace in a real project, driven in-process: saves as editors make them, passes, crashes, and what must hold."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from loopx.kernel.commands import AddTodo, Command, NewGoal
from loopx.model.actor import Actor
from loopx.workspace import Workspace, crashpoints
from tests.support.project import Project

ANN = Actor.parse("human:Ann")
BOT = Actor.parse("agent:bot")
ENVIRONMENT = {"LOOPX_PAGES": "off"}


class Crash(BaseException):
    """The end of a process, as far as one process can play it: nothing but the outermost edge may catch it."""


class ShiftedClock:
    """The machine's clock, moved on by every wait instead of waiting: times of files and of passes stay comparable."""

    def __init__(self) -> None:
        self.shift = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.shift

    def wait(self, seconds: float) -> None:
        self.shift += timedelta(seconds=seconds)


@dataclass
class Lab:
    """One workspace. Each :meth:`open` is a fresh process as far as state in memory goes."""

    project: Project
    clock: ShiftedClock = field(default_factory=ShiftedClock)
    opened: list[Workspace] = field(default_factory=list)

    @classmethod
    def make(cls, root: Path) -> Lab:
        return cls.make_in(Project.make(root))

    @classmethod
    def make_in(cls, project: Project) -> Lab:
        """A workspace in a project that is there already."""
        lab = cls(project)
        lab.opened.append(Workspace.create(project.root, title="Lab", environ=ENVIRONMENT, clock=lab.clock))
        return lab

    @classmethod
    def copied(cls, made: Path, root: Path) -> Lab:
        """A copy, at ``root``, of a lab made once for many tests and closed; its cache has followed."""
        shutil.copytree(made, root, symlinks=True)
        lab = cls(Project(root))
        lab.restart()
        lab.look()
        return lab

    @property
    def ws(self) -> Workspace:
        return self.opened[-1]

    def restart(self) -> Workspace:
        """Forget everything in memory."""
        self.close()
        self.opened = [Workspace.find(self.project.root, environ=ENVIRONMENT, clock=self.clock)]
        return self.ws

    def close(self) -> None:
        for each in self.opened:
            each.close()
        self.opened = []

    # commands --------------------------------------------------------------------------------

    def goal(self, name: str = "beta", *accept: str) -> None:
        self.ws.submit(NewGoal(goal=name, title=f"Goal {name}", acceptance=accept), actor=ANN)

    def todo(self, title: str, goal: str = "beta", **more: Any) -> str:
        return str(self.submit(AddTodo(goal=goal, title=title, **more)).receipt.result["id"])

    def submit(self, command: Command, actor: Actor = ANN, **more: Any) -> Any:
        return self.ws.submit(command, actor=actor, **more)

    # files -----------------------------------------------------------------------------------

    @property
    def root(self) -> Path:
        return self.project.root / ".loopx"

    def path_of(self, todo: str) -> str:
        """Where a Todo's file lies, relative to ``.loopx/``."""
        [found] = [each for each in self.root.glob("goals/**/todos/*.md") if f'id: "{todo}"' in each.read_text("utf-8")]
        return found.relative_to(self.root).as_posix()

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def save(self, path: str, content: bytes | str, *, quiet: bool = True) -> None:
        """Save a file as most editors do: a temporary one, renamed. ``quiet`` lets time pass until it is settled."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(f".{target.name}.save~")
        fresh.write_bytes(content.encode() if isinstance(content, str) else content)
        os.replace(fresh, target)
        if quiet:
            self.clock.wait(5)

    def change(self, path: str, old: str, new: str, *, quiet: bool = True) -> None:
        """Replace a piece of a file's text."""
        text = self.read(path).decode()
        assert old in text, text
        self.save(path, text.replace(old, new, 1), quiet=quiet)

    def look(self) -> Any:
        """A read, which takes in what was typed."""
        return self.ws.read()

    def todos(self) -> dict[str, Any]:
        return {each.id: each for each in self.look().state.todos()}

    # history ---------------------------------------------------------------------------------

    def git(self, *arguments: str) -> str:
        return self.project.loopx_git(*arguments)

    def subjects(self) -> list[str]:
        """Commit subjects, newest first, as plain Git tells them."""
        return self.git("log", "--format=%s").splitlines()

    def operations(self) -> list[str]:
        """Operation ids in history."""
        log = self.git("log", "--format=%B")
        return [line.partition(": ")[2].strip('"') for line in log.splitlines() if line.startswith("Loopx-Operation: ")]

    def at_head(self, path: str) -> bytes:
        return subprocess.run(
            ["git", "-C", str(self.root), "cat-file", "blob", f"HEAD:{path}"], capture_output=True, check=True
        ).stdout

    # what must hold --------------------------------------------------------------------------

    def assert_sound(self, *, unaccepted: tuple[str, ...] = ()) -> None:
        """History, index and files agree but for ``unaccepted`` edits; no lock or temp file is left; fsck is clean."""
        assert self.git("fsck", "--strict", "--no-dangling").strip() == ""
        shown = self.git("-c", "core.quotePath=false", "status", "--porcelain", "-z").split("\0")
        assert sorted(each[3:] for each in shown if each) == sorted(unaccepted)
        left = [each for each in self.root.rglob("*.loopx-tmp") if "local" not in each.parts]
        assert left == []
        assert [each.name for each in (self.root / ".git").rglob("*.lock")] == []
        assert not (self.root / "local" / "journal.json").exists()
        assert self.git("rev-parse", "HEAD") == self.git("rev-parse", "refs/loopx/admitted")


@contextmanager
def crash_at(point: str, number: int = 1) -> Iterator[None]:
    """Crash when ``point`` is reached for the ``number``-th time."""
    seen = 0

    def hook(reached: str) -> None:
        nonlocal seen
        if reached == point:
            seen += 1
            if seen == number:
                raise Crash(point)

    with hooked(hook):
        yield


@contextmanager
def hooked(hook: Callable[[str], None]) -> Iterator[None]:
    """Have ``hook`` called at every crash point."""
    crashpoints.hook = hook
    try:
        yield
    finally:
        crashpoints.hook = None
