"""Real processes: the installed ``loopx`` command, many of them at one instant, and their sudden end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LOOPX = str(Path(sys.executable).with_name("loopx"))
"""The console script beside the interpreter that runs the tests."""

_WAIT_THEN_BECOME = """
import os, sys
gate, *argv = sys.argv[1:]
os.read(int(gate), 1)
os.close(int(gate))
os.execv(argv[0], argv)
"""

TIME_LIMIT = 120.0
"""Seconds after which a process that should have ended is taken for hung."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A process that ended: what it was, how it ended, what it said."""

    argv: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON value it must be with ``--json``."""
        return json.loads(self.out)

    def expect(self, code: int = 0) -> Ran:
        """This, if it ended with ``code``; fails the test with everything it said otherwise."""
        told = f"{' '.join(self.argv)}\nended with {self.code}, not {code}\n--- out\n{self.out}\n--- err\n{self.err}"
        assert self.code == code, told
        return self


def run_loopx(
    *arguments: str, cwd: Path, typed: str | None = None, environment: Mapping[str, str] | None = None
) -> Ran:
    """Run ``loopx`` to its end in ``cwd``. ``typed`` goes to its standard input; ``environment`` adds to the test's."""
    return finish(start_loopx(*arguments, cwd=cwd, environment=environment), typed)


def start_loopx(*arguments: str, cwd: Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start ``loopx`` and return at once; end it with :func:`finish` or :func:`kill_hard`."""
    return _start([LOOPX, *arguments], cwd, environment)


def finish(process: subprocess.Popen[str], typed: str | None = None) -> Ran:
    """Wait for ``process`` and return what it said."""
    out, err = process.communicate(typed or "", timeout=TIME_LIMIT)
    return Ran(tuple(map(str, process.args)), process.returncode, out, err)  # type: ignore[arg-type]


def run_at_once(jobs: Sequence[Sequence[str]], cwd: Path, environment: Mapping[str, str] | None = None) -> list[Ran]:
    """Run ``loopx`` once for each argument list in ``jobs``, all let go at one instant; results in the same order.

    Each process is an interpreter that waits for the end of one shared pipe before it becomes ``loopx``.
    """
    gate, holder = os.pipe()
    wait = [sys.executable, "-I", "-S", "-c", _WAIT_THEN_BECOME, str(gate), LOOPX]
    try:
        processes = [_start([*wait, *job], cwd, environment, pass_fds=(gate,)) for job in jobs]
    finally:
        os.close(holder)
        os.close(gate)
    return [finish(process) for process in processes]


def kill_hard(pid: int) -> None:
    """``kill -9``: no handler runs, nothing is flushed. The process must be a child that nobody has waited for yet."""
    os.kill(pid, signal.SIGKILL)


def _start(
    argv: list[str], cwd: Path, extra: Mapping[str, str] | None, pass_fds: tuple[int, ...] = ()
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        argv,
        cwd=cwd,
        env={**os.environ, **(extra or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        pass_fds=pass_fds,
    )
