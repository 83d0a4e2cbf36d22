"""Running one outside program: no shell, a time limit, a bounded memory of what it said, and no child left behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from enum import StrEnum

from loopx.model.defining import dataclass

OUTPUT_KEPT = 4096
"""Bytes kept of what a program wrote, from its end."""
_READ = 65536
_LOOK_SECONDS = 0.05
"""How often a program that keeps its output open is asked whether it has ended."""


class Ending(StrEnum):
    """How a program ended."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    UNAVAILABLE = "unavailable"
    """It could not be started."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A program that ran, or could not. ``status`` is negative for a signal and ``None`` unless it exited."""

    ending: Ending
    status: int | None
    output: str
    """The last 4 KB of stdout and stderr together, as they came; for one that could not start, why."""

    @property
    def passed(self) -> bool:
        return self.ending is Ending.EXITED and self.status == 0


def run(argv: Sequence[str], *, folder: str, environ: Mapping[str, str], timeout_seconds: float) -> Ran:
    """Run ``argv`` in ``folder`` to its end. It reads nothing, and leads a process group that is killed on time-out."""
    try:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return Ran(Ending.UNAVAILABLE, None, f"{getattr(error, 'strerror', None) or error} ({argv[0]})")
    tail = _Tail()
    try:
        in_time = _follow(process, tail, time.monotonic() + timeout_seconds)
    except BaseException:
        _end_group(process)
        raise
    if not in_time:
        _end_group(process)
        return Ran(Ending.TIMED_OUT, None, tail.text())
    _close(process)
    return Ran(Ending.EXITED, process.returncode, tail.text())


def scrubbed(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would point a Git of the program at some other repository."""
    return {name: value for name, value in environ.items() if name not in _POINTING}


_POINTING = frozenset(
    {
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
        "GIT_PREFIX",
        "GIT_AUTHOR_DATE",
        "GIT_COMMITTER_DATE",
    }
)


class _Tail:
    """The last bytes of an output of any length."""

    def __init__(self) -> None:
        self._kept = b""

    def add(self, chunk: bytes) -> None:
        self._kept = (self._kept + chunk)[-OUTPUT_KEPT:]

    def text(self) -> str:
        return self._kept.decode("utf-8", "replace")


def _follow(process: subprocess.Popen[bytes], tail: _Tail, deadline: float) -> bool:
    """Read until the program has ended; false when the deadline came first.

    A child it left in the background may hold the pipe open, so the end of the output is not waited for alone.
    """
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    is_open = True
    while (left := deadline - time.monotonic()) > 0:
        ready = is_open and select.select([pipe], [], [], min(left, _LOOK_SECONDS))[0]
        if ready:
            chunk = os.read(pipe, _READ)
            tail.add(chunk)
            is_open = bool(chunk)
        elif _has_ended(process, 0 if is_open else min(left, _LOOK_SECONDS)):
            return True
    return False


def _has_ended(process: subprocess.Popen[bytes], wait_seconds: float) -> bool:
    try:
        process.wait(wait_seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _end_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    _close(process)


def _close(process: subprocess.Popen[bytes]) -> None:
    if process.stdout is not None:
        process.stdout.close()
