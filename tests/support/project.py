"""A real project with a real Git repository, and the oracle that LoopX never writes to it."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.process import Ran, run_loopx

EXCLUDE = ".git/info/exclude"
EXCLUDED = (".loopx/", ".local/")
"""The only two lines LoopX may add to a project, in its private exclude file."""

Snapshot = Mapping[str, tuple[int, bytes]]
"""Path below the project's root to mode and contents, for every file but those under ``.loopx/``."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project folder. ``.loopx/`` may or may not be in it."""

    root: Path

    @classmethod
    def make(cls, root: Path) -> Project:
        """A new project at ``root``: one file, one commit, on branch ``main``."""
        root.mkdir(parents=True)
        made = cls(root)
        made.git("init", "--quiet", "--initial-branch=main")
        made.write("app.py", "x = 1\n")
        made.git("add", "--all")
        made.git("commit", "--quiet", "--message=base")
        return made

    @property
    def loopx_folder(self) -> Path:
        return self.root / ".loopx"

    def git(self, *arguments: str) -> str:
        """Run Git in the project; its standard output."""
        return _git(self.root, *arguments)

    def loopx_git(self, *arguments: str) -> str:
        """Run Git in ``.loopx/``; its standard output."""
        return _git(self.loopx_folder, *arguments)

    def loopx(self, *arguments: str, typed: str | None = None, environment: Mapping[str, str] | None = None) -> Ran:
        """Run the installed ``loopx`` in the project."""
        return run_loopx(*arguments, cwd=self.root, typed=typed, environment=environment)

    def write(self, path: str, text: str) -> Path:
        """Write a file of the project, as an editor would: byte for byte what is given."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
        return target

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def snapshot(self) -> Snapshot:
        """Every byte of the project outside ``.loopx/``: working tree, index, HEAD, refs, hooks, configuration."""
        return dict(_files(self.root))

    def assert_untouched(self, before: Snapshot) -> None:
        """Nothing of the project differs from ``before`` but the two lines in the private exclude file."""
        now = self.snapshot()
        differing = sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
        assert set(differing) <= {EXCLUDE}, f"LoopX changed the project: {', '.join(differing)}"
        _assert_only_excludes_added(_lines(before), _lines(now))


def assert_project_untouched(project: Project, before: Snapshot) -> None:
    """The oracle as a function, for tests that keep the project elsewhere than in a fixture."""
    project.assert_untouched(before)


def _assert_only_excludes_added(before: list[str], now: list[str]) -> None:
    assert now[: len(before)] == before, "lines of the project's exclude file were changed"
    added = now[len(before) :]
    assert added in ([], list(EXCLUDED)), f"lines added to the project's exclude file: {added}"


def _lines(snapshot: Snapshot) -> list[str]:
    return snapshot.get(EXCLUDE, (0, b""))[1].decode().splitlines()


def _files(root: Path) -> Iterator[tuple[str, tuple[int, bytes]]]:
    for folder, folders, names in os.walk(root):
        if Path(folder) == root and ".loopx" in folders:
            folders.remove(".loopx")
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in (*names, *links):
            path = Path(folder) / name
            yield path.relative_to(root).as_posix(), _facts(path)


def _facts(path: Path) -> tuple[int, bytes]:
    mode = path.lstat().st_mode
    return mode, os.fsencode(os.readlink(path)) if stat.S_ISLNK(mode) else path.read_bytes()


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, f"git {' '.join(arguments)} failed in {folder}: {done.stderr}"
    return done.stdout
