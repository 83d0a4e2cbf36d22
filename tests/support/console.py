"""The command line over a lab: what a person types in its project, answered by the real workspace at the lab's time."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loopx.cli.app import run
from loopx.cli.surroundings import Surroundings
from loopx.workspace import Workspace
from tests.support.lab import ENVIRONMENT, Lab


@dataclass(frozen=True, slots=True)
class Said:
    """How a request ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON value it must be."""
        return json.loads(self.out)

    @property
    def text(self) -> str:
        return self.out + self.err

    def expect(self, code: int = 0) -> Said:
        """This, if it ended with ``code``."""
        assert self.code == code, f"ended with {self.code}, not {code}\n--- out\n{self.out}\n--- err\n{self.err}"
        return self


@dataclass(slots=True)
class Console:
    """Runs ``loopx`` in the lab's project. Every request opens the workspace anew, as a process of its own would."""

    lab: Lab

    def __call__(self, *arguments: str, environ: Mapping[str, str] | None = None) -> Said:
        out, err, before = io.StringIO(), io.StringIO(), (sys.stdin, sys.stdout, sys.stderr)
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(), out, err
        try:
            code = run(arguments, self._around({**os.environ, **ENVIRONMENT, **(environ or {})}))
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
        return Said(code, out.getvalue(), err.getvalue())

    def _around(self, environ: Mapping[str, str]) -> Surroundings:
        def find(*given: Any, **named: Any) -> Workspace:
            return Workspace.find(*given, **named, clock=self.lab.clock)

        def create(*given: Any, **named: Any) -> Workspace:
            return Workspace.create(*given, **named, clock=self.lab.clock)

        return Surroundings(environ, self.lab.project.root, find, create, lambda: self.lab.clock)
