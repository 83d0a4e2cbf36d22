"""The keepers of one process: each carries executions out one after the other, and waits for the next in between.

Starting an interpreter for every execution costs more than all the rest of it, so a keeper is started for the first
one and kept until the run is left. It is told what to do over a pipe that only this process holds: when this process
ends, however it does, the keeper finishes what it carries out and goes. :mod:`loopx.loop.components.processes` decides
what an execution came to, :mod:`loopx.loop.keeping.attempting` is the program of a keeper.
"""

from __future__ import annotations

import asyncio
import os
import struct
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path

from loopx.kernel.privacy import CREDENTIAL_HINTS, CREDENTIAL_PATTERNS
from loopx.loop.keeping import attempting
from loopx.loop.keeping.attempting import READY
from loopx.loop.keeping.attempts import attempt_path

_PATIENCE_SECONDS = 2.0
"""How long a keeper that has nothing to do may take to go."""


def job_of(
    attempt: str,
    folder: Path,
    argv: Sequence[str],
    environ: Mapping[str, str],
    working_folder: str,
    *,
    given: str = "",
    is_apart: bool = False,
    is_durable: bool = True,
) -> bytes:
    """The execution ``attempt``, its record in ``folder``, as a keeper reads it. Raises :class:`ValueError` for what no
    program can be told."""
    if any("=" in name for name in environ):
        raise ValueError("a variable's name has a = in it")
    streams, flushing = "apart" if is_apart else "together", "durable" if is_durable else "fast"
    fields = [attempt, str(attempt_path(folder.absolute(), attempt)), streams, flushing, working_folder]
    fields += [str(len(argv)), *argv, *(f"{name}={value}" for name, value in environ.items())]
    if any("\0" in field for field in fields):
        raise ValueError("embedded null byte")
    told, text = b"\0".join(map(os.fsencode, fields)), given.encode("utf-8", "surrogateescape")
    return b"%08x%08x" % (len(told), len(text)) + told + text


class Keeper:
    """One keeper that runs."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def carry_out(self, job: bytes) -> bool:
        """Hand ``job`` over and wait until its end is on file, or the keeper is gone; whether it can take another."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(job)
        return await self.process.stdout.read(1) == READY

    def dismiss(self) -> None:
        """It gets no more to do, and goes once it has finished."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def kill(self) -> None:
        try:
            self.process.kill()
        except ProcessLookupError:
            pass

    async def leave(self) -> None:
        """Dismiss it and wait until it is gone."""
        self.dismiss()
        try:
            await asyncio.wait_for(self.process.wait(), _PATIENCE_SECONDS)
        except TimeoutError:
            self.kill()
            await self.process.wait()


class Keepers:
    """Keepers that may be borrowed, by the tasks of one event loop. Whoever has a use for it closes it."""

    def __init__(self) -> None:
        self._idle: list[Keeper] = []

    async def borrow(self, environ: Mapping[str, str], *, is_fresh: bool = False) -> Keeper:
        """A keeper that has nothing to do; one that is started in ``environ`` where there is none, or where it must be
        ``fresh``. Raises :class:`OSError`."""
        while self._idle and not is_fresh:
            keeper = self._idle.pop()
            if keeper.process.returncode is None:
                return keeper
            await keeper.leave()
        hints, patterns = "\n".join(CREDENTIAL_HINTS), "\n".join(CREDENTIAL_PATTERNS)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", program(), str(os.getpid()), hints, patterns),
            cwd="/",
            env=dict(environ),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        return Keeper(process)

    def take_back(self, keeper: Keeper) -> None:
        """It has nothing to do any more."""
        self._idle.append(keeper)

    async def close(self) -> None:
        """Let all of them go, and wait until they are gone."""
        while self._idle:
            leaving, self._idle = self._idle, []
            await asyncio.gather(*(each.leave() for each in leaving))


@cache
def program() -> str:
    """The keeper's program: compiled, which saves some of its start, where that is at hand and made of this text."""
    compiled = getattr(attempting.__spec__, "cached", None) or ""
    try:
        with open(compiled, "rb") as file:
            head = file.read(16)
        made_of = os.stat(attempting.__file__)
    except OSError:
        return attempting.__file__
    marks = (0, int(made_of.st_mtime) & 0xFFFFFFFF, made_of.st_size & 0xFFFFFFFF)
    is_fresh = head[:4] == MAGIC_NUMBER and struct.unpack("<3I", head[4:16]) == marks
    return compiled if is_fresh else attempting.__file__
