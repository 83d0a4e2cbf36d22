"""The scene of the Git cases: a project with its own repository around, a Goal, two Todos, and people who use plain Git.

After every case the project is byte for byte what the tester made of it, ``check`` says the same twice, and Git finds
both repositories sound.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.console import Console, Said
from tests.support.lab import ENVIRONMENT, Lab
from tests.support.process import Ran, run_loopx
from tests.support.project import Snapshot


@dataclass(slots=True)
class GitScene:
    """``ask`` answers in this process, ``run`` starts the installed command."""

    lab: Lab
    first: str
    second: str
    ask: Console
    _before: Snapshot = field(default_factory=dict)

    @property
    def root(self) -> Path:
        """The ``.loopx`` folder."""
        return self.lab.root

    @property
    def project(self) -> Path:
        return self.lab.project.root

    def run(self, *arguments: str, cwd: Path | None = None, environ: Mapping[str, str] | None = None) -> Ran:
        return run_loopx(*arguments, cwd=cwd or self.project, environment={**ENVIRONMENT, **(environ or {})})

    def mine(self) -> None:
        """Whatever differs in the project by now is the tester's own doing."""
        self._before = self.lab.project.snapshot()

    def done(self, todo: str) -> Said:
        """Complete a Todo by command."""
        return self.ask("todo", "done", todo).expect()

    def committed(self, revision: str = "HEAD") -> list[str]:
        """Paths a commit of the workspace changed."""
        return self.lab.git("-c", "core.quotePath=false", "show", "--format=", "--name-only", revision).splitlines()

    def status(self) -> list[str]:
        """``git status`` in the workspace."""
        return self.lab.git("-c", "core.quotePath=false", "status", "--porcelain").splitlines()

    def assert_sound(self) -> None:
        self.lab.project.assert_untouched(self._before)
        first, again = self.ask("check", "--json"), self.ask("check", "--json")
        assert (first.code, first.json["data"]) == (again.code, again.json["data"])
        assert self.lab.git("fsck", "--strict", "--no-dangling").strip() == ""


def plain(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Plain Git in ``folder``, whatever becomes of it."""
    import os

    return subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, encoding="utf-8", env={**os.environ, **environ}
    )


def hook(git_dir: Path, name: str, script: str) -> Path:
    """Install a hook."""
    file = git_dir / "hooks" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


@contextmanager
def git_scene(folder: Path) -> Iterator[GitScene]:
    """The scene in a project of its own, judged when the case is over."""
    lab = Lab.make(folder)
    lab.goal()
    scene = GitScene(lab, lab.todo("Write the guide"), lab.todo("Record the demo"), Console(lab))
    scene.mine()
    yield scene
    lab.close()
    scene.assert_sound()
