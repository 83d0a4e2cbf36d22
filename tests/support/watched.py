"""A workspace with a daemon in a process of its own, for tests that save files as editors do."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopx.daemon.asking import health
from loopx.workspace.places import Places
from tests.support.environment import hermetic
from tests.support.process import Ran, run_loopx

PATIENCE = 60.0
"""Seconds after which what should have happened is taken for never happening."""
GUIDE = "goals/beta/todos/guide.md"
MARK = "goals/beta/todos/mark.md"


@dataclass
class Watched:
    """A workspace below ``project``, and the daemon that watches it."""

    project: Path
    environ: dict[str, str]
    process: subprocess.Popen[bytes] | None = None
    marks: int = 0

    @classmethod
    def template(cls, folder: Path) -> Watched:
        """A workspace with a Goal and a few Todos, nobody watching: to be copied."""
        environ = {**hermetic(folder / "home"), "PYTHONPATH": str(Path(__file__).parents[2])}
        made = cls(folder / "lab", environ)
        made.project.mkdir()
        subprocess.run(["git", "init", "-q", str(made.project)], check=True, env=environ)
        made.loopx("init", "--title", "Lab").expect()
        made.loopx("goal", "new", "beta", "--title", "Ship the beta").expect()
        for title in ("Guide", "Mark", *(f"Item {number}" for number in range(8))):
            made.loopx("todo", "add", title, "--goal", "beta").expect()
        for file in (made.root / "goals/beta/todos").iterdir():  # names a test can foretell
            name = file.name.partition("-")[2].partition("-")[2]
            file.rename(file.with_name(name))
        made.wait(lambda: made.loopx("edit", "list").code == 0)
        return made

    @classmethod
    def copied(cls, made: Watched, folder: Path) -> Watched:
        shutil.copytree(made.project, folder / "lab", symlinks=True)
        return cls(folder / "lab", made.environ)

    # the daemon -----------------------------------------------------------------------------

    def start(self, *options: str, extra: Mapping[str, str] | None = None) -> Watched:
        """Start the daemon, and wait until it has looked once."""
        words = [sys.executable, "-m", "loopx", "daemon", "run", "--no-page", "--log", str(self.log), *options]
        environ = {**self.environ, **(extra or {})}
        self.process = subprocess.Popen(words, cwd=self.project, env=environ, stdout=subprocess.DEVNULL)
        self.wait(lambda: (self.health() or {}).get("looks", 0) > 0)
        return self

    def stop(self) -> None:
        """End the daemon and wait for it."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            self.process.wait(PATIENCE)
        self.process = None

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE)

    def health(self) -> dict[str, Any] | None:
        return health(Places(self.root))

    @property
    def said(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    @property
    def log(self) -> Path:
        return self.project.parent / f"{self.project.name}.log"

    # the workspace --------------------------------------------------------------------------

    @property
    def root(self) -> Path:
        return self.project / ".loopx"

    def path(self, path: str) -> Path:
        return self.root / path

    def loopx(self, *words: str, environ: Mapping[str, str] | None = None) -> Ran:
        """Run a command. ``LOOPX_DAEMON`` is off unless it is asked for: most tests are about files."""
        return run_loopx(
            *words,
            cwd=self.project,
            environment={**self.environ, "LOOPX_DAEMON": "off", "LOOPX_PAGES": "off", **(environ or {})},
        )

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", "-C", str(self.root), *words], capture_output=True, text=True, env=self.environ)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commits(self, path: str | None = None) -> int:
        return int(self.git("rev-list", "--count", "main", *(["--", path] if path else [])))

    def at_head(self, path: str) -> bytes | None:
        done = subprocess.run(
            ["git", "-C", str(self.root), "cat-file", "blob", f"main:{path}"], capture_output=True, env=self.environ
        )
        return done.stdout if done.returncode == 0 else None

    def author(self, path: str) -> str:
        return self.git("log", "-1", "--format=%an", "main", "--", path).strip()

    # waiting --------------------------------------------------------------------------------

    def wait(self, has_happened: Callable[[], bool]) -> None:
        """Until ``has_happened``; fails with what the daemon said when it does not."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if has_happened():
                return
            if self.process is not None and self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError(f"it did not happen; the daemon said:\n{self.said}")

    def until_accepted(self, path: str, content: bytes) -> None:
        """Until what was saved is the newest version in history."""
        self.wait(lambda: self.at_head(path) == content)

    def flush(self) -> None:
        """Until all that was saved before was looked at, and what that wrote as well: two edits more went through."""
        for _ in range(2):
            self.marks += 1
            file = self.path(MARK)
            content = file.read_bytes() + f"mark {self.marks}\n".encode()
            file.write_bytes(content)
            self.until_accepted(MARK, content)

    def assert_sound(self) -> None:
        """Files, index and history agree; nothing is left lying about."""
        assert self.git("status", "--porcelain") == ""
        assert [each for each in self.root.rglob("*.loopx-tmp") if "local" not in each.parts] == []
        assert list((self.root / ".git").rglob("*.lock")) == []
        assert not (self.root / "local" / "journal.json").exists()


def descriptors(pid: int) -> int:
    """How many files a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))
