"""Carrying out, in the daemon, a command that was typed elsewhere: same code, same words, an open workspace lent to it.

Handed to :class:`loopx.daemon.running.Daemon` by ``loopx daemon``. One command at a time; streams, folder and
environment are the asker's while it runs.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loopx.cli.app import run
from loopx.cli.served import is_served
from loopx.cli.surroundings import Surroundings
from loopx.daemon import line
from loopx.daemon.line import Asked
from loopx.daemon.standing import StandingWorkspace
from loopx.workspace import Workspace
from loopx.workspace.discovery import find
from loopx.workspace.exclusion import ensure


class Elsewhere(BaseException):
    """The request is about another workspace: nothing was done yet, and nothing is done here."""


class Told(io.TextIOBase):
    """A stream of the asker's: what is written to it becomes frames."""

    encoding = "utf-8"

    def __init__(self, letter: bytes, frames: list[bytes], *, is_terminal: bool) -> None:
        self._letter = letter
        self._frames = frames
        self._is_terminal = is_terminal

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._is_terminal

    def write(self, text: str) -> int:
        self._frames.append(line.frame(self._letter, text.encode("utf-8", "backslashreplace")))
        return len(text)


def carry_out(asked: Asked, ws: StandingWorkspace) -> list[bytes] | str:
    """The frames of the answer to a command, or why it is not carried out here."""
    if not is_served(asked.arguments):
        return "not served"
    frames: list[bytes] = []

    def lend(start: Path, *, workspace: str | None, environ: Any) -> Workspace:
        found = find(start, workspace, environ)
        ensure(found.root.parent)
        if found.root != ws.places.root:
            raise Elsewhere
        ws.lend(found, environ, asked.operation)
        return ws

    around = Surroundings(asked.environ, Path(asked.folder), lend, _no_new_one, lambda: ws.clock)
    try:
        with _in_place_of(asked, frames):
            status = run(asked.arguments, around)
    except Elsewhere:
        return "another workspace"
    except OSError:
        return "the folder is gone"
    return [*frames, line.frame(line.ENDED, str(status).encode())]


@contextmanager
def _in_place_of(asked: Asked, frames: list[bytes]) -> Iterator[None]:
    """The asker's folder and streams, for as long as its command runs. Raises :class:`OSError`."""
    terminals = asked.facts.rpartition("\n")[2]
    before = sys.stdin, sys.stdout, sys.stderr
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(asked.folder)
        sys.stdin = io.StringIO()
        sys.stdout = Told(line.OUT, frames, is_terminal="o" in terminals)
        sys.stderr = Told(line.ERR, frames, is_terminal="e" in terminals)
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        os.fchdir(here)
        os.close(here)


def _no_new_one(*_given: Any, **_named: Any) -> Workspace:
    raise Elsewhere
