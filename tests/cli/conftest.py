"""The command line asked in this process: real workspace, fixed clock and ids, everything it says captured."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from loopx.cli.app import run
from loopx.cli.surroundings import Surroundings
from loopx.workspace import Workspace
from tests.support.clock import FakeClock
from tests.support.ids import FixedIds

QUIET = {"LOOPX_PAGES": "off"}
"""Pages are written where a test waits for them, and by no process in the background."""


class Terminal(io.StringIO):
    """A stream a person sits at, as far as anybody can tell."""

    def isatty(self) -> bool:
        return True


@dataclass(frozen=True)
class Asked:
    """How a request ended and what it said. Revisions are random-looking but for us: they read ``REV``."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON value it must be."""
        return json.loads(self.out)

    def expect(self, code: int = 0) -> Asked:
        assert self.code == code, f"ended with {self.code}, not {code}\n--- out\n{self.out}\n--- err\n{self.err}"
        return self

    @property
    def text(self) -> str:
        """Everything said, as a person sees it, revisions masked."""
        return masked(f"{self.out}--- {self.code}\n{self.err}")


def masked(text: str) -> str:
    return re.sub(r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{40}\b|\b(?=[0-9a-f]*[0-9])[0-9a-f]{7}\b", "REV", text)


@dataclass
class Desk:
    """Asks ``loopx`` in a project's folder."""

    project: Path
    clock: FakeClock = field(default_factory=FakeClock)
    ids: FixedIds = field(default_factory=FixedIds)

    def __call__(
        self, *arguments: str, typed: str = "", terminal: bool = False, environ: Mapping[str, str] | None = None
    ) -> Asked:
        """Run one request. With ``terminal`` a person sits there and types ``typed``."""
        stream: Callable[..., io.StringIO] = Terminal if terminal else io.StringIO
        out, err, before = stream(), stream(), (sys.stdin, sys.stdout, sys.stderr)
        sys.stdin, sys.stdout, sys.stderr = stream(typed), out, err
        try:
            code = run(arguments, self.around({**os.environ, **QUIET, **(environ or {})}))
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
        return Asked(code, out.getvalue(), err.getvalue())

    def around(self, environ: Mapping[str, str]) -> Surroundings:
        def find(start: Path, *, workspace: str | None, environ: Mapping[str, str]) -> Workspace:
            return Workspace.find(start, workspace=workspace, environ=environ, clock=self.clock, ids=self.ids)

        def create(path: Path | None, **named: Any) -> Workspace:
            return Workspace.create(path or self.project, **named, clock=self.clock, ids=self.ids)

        return Surroundings(environ, self.project, find, create, lambda: self.clock)

    @property
    def root(self) -> Path:
        return self.project / ".loopx"

    def file(self, pattern: str) -> Path:
        """The one file below ``.loopx/`` that fits ``pattern``."""
        (found,) = self.root.glob(pattern)
        return found

    def write(self, path: str, text: str) -> Path:
        """Write a file below ``.loopx/`` by hand, long enough ago to be settled."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        settled = self.clock.now().timestamp() - 60
        os.utime(file, (settled, settled))
        return file


@pytest.fixture
def empty(tmp_path: Path) -> Desk:
    """A project without a workspace."""
    project = tmp_path / "lab"
    project.mkdir()
    return Desk(project)


@pytest.fixture
def desk(empty: Desk) -> Desk:
    """A workspace with a Goal ``beta`` that has one criterion, and nothing else."""
    empty("init", "--title", "Lab").expect()
    empty("goal", "new", "beta", "--title", "Ship the beta", "--accept", "The guide is published").expect()
    return empty
