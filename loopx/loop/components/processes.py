"""Programs a run starts: executions of steps under their keeper, and judges, probes and planners in the plain.

Everything started here leads a process group of its own, has a time limit, and is ended with its group when the limit
is reached or the task that waits for it is cancelled. What is kept of an output is bounded, with secrets masked.
"""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import IO

from loopx.kernel.privacy import CREDENTIAL_HINTS, CREDENTIAL_PATTERNS
from loopx.loop.components.keepers import Keeper, Keepers, job_of
from loopx.loop.keeping.attempting import KEPT, Mask, end_group
from loopx.loop.keeping.attempts import AttemptFile, attempt_path, end, is_alive, note_judge, read_attempt

MASK = Mask(CREDENTIAL_HINTS, CREDENTIAL_PATTERNS)
GRACE_SECONDS = 1.0
"""How long a command may take to end by itself once it is told to."""
_READ = 65536
_DRAIN_SECONDS = 0.2
_SLACK = 4096


class Close(StrEnum):
    """How waiting for a program closed."""

    ENDED = "ended"
    TIMED_OUT = "timed_out"
    NOT_STARTED = "not_started"
    LOST = "lost"
    """Its keeper went away without saying how it ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A program to be started."""

    argv: Sequence[str]
    folder: str
    environ: Mapping[str, str]
    timeout_seconds: float | None
    given: str = ""
    """For its standard input."""
    kept: int = KEPT
    """Bytes of its output that are kept, from the end."""
    noted: tuple[Path, str] | None = None
    """The folder in which it is noted while it runs, and for which run: it has no keeper, so whoever goes on after its
    runner was killed ends it."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A program that was run outside the record of executions. ``status`` is negative for a signal."""

    close: Close
    status: int | None
    output: str
    """The end of stdout and stderr together, secrets masked; for one that could not start, why."""
    digest: str = ""
    errors: str = ""
    """The end of stderr, where that was kept apart."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An execution under its keeper, as far as its end was seen."""

    close: Close
    file: AttemptFile | None
    message: str = ""


async def execute(
    launch: Launch, attempt: str, folder: Path, *, is_apart: bool, is_durable: bool, keepers: Keepers | None = None
) -> Kept:
    """Carry the execution ``attempt`` out, its record in ``folder``, under one of ``keepers``. ``is_apart`` keeps
    stderr out of the output."""
    folder.mkdir(parents=True, exist_ok=True)
    attempt_path(folder, attempt).unlink(missing_ok=True)
    lent = keepers or Keepers()
    try:
        job = job_of(
            attempt, folder, launch.argv, launch.environ, launch.folder,
            given=launch.given, is_apart=is_apart, is_durable=is_durable,
        )  # fmt: skip
    except ValueError as error:
        return Kept(Close.NOT_STARTED, None, _why(error, launch.folder))
    try:
        for is_fresh in (False, True):  # one that was gone before anything began is replaced, once
            try:
                keeper = await lent.borrow(launch.environ, is_fresh=is_fresh)
            except OSError as error:
                return Kept(Close.NOT_STARTED, None, _why(error, launch.folder))
            if (kept := await _executed(keeper, job, launch, attempt, folder, lent)) is not None:
                return kept
        return Kept(Close.LOST, None)
    finally:
        if keepers is None:
            await asyncio.shield(lent.close())


async def _executed(
    keeper: Keeper, job: bytes, launch: Launch, attempt: str, folder: Path, keepers: Keepers
) -> Kept | None:
    """What ``keeper`` makes of ``job``; ``None`` where it went away before it wrote that the command begins: it lets no
    command go before that is on disk."""
    try:
        is_ready = await asyncio.wait_for(keeper.carry_out(job), launch.timeout_seconds)
    except TimeoutError:
        await _end_kept(keeper, folder, attempt)
        return Kept(Close.TIMED_OUT, read_attempt(folder, attempt))
    except BaseException:
        await asyncio.shield(_end_kept(keeper, folder, attempt))
        raise
    file = read_attempt(folder, attempt)
    if file is None or not file.has_ended:
        await _end_kept(keeper, folder, attempt)
        return Kept(Close.LOST, file) if attempt_path(folder, attempt).exists() else None
    if is_ready:
        keepers.take_back(keeper)
    else:
        await keeper.leave()
    return Kept(Close.NOT_STARTED if file.not_started is not None else Close.ENDED, file, file.not_started or "")


async def run(launch: Launch, *, is_apart: bool = False) -> Ran:
    """Run a program to its end; what it leaves behind in its group is ended with it. ``is_apart`` keeps stderr out of
    the output."""
    output = _Output(launch.kept)
    errors = _Output(launch.kept) if is_apart else output
    try:
        with _input(launch.given) as given:
            process = await _start(list(launch.argv), launch, given, output.end_to_write, errors.end_to_write)
    except (OSError, ValueError) as error:
        await _closed(output, errors)
        return Ran(Close.NOT_STARTED, None, _why(error, launch.argv[0] if launch.argv else launch.folder))
    note = note_judge(*launch.noted, process.pid) if launch.noted is not None else None
    output.begin()
    errors.begin()
    close = Close.ENDED
    try:
        await asyncio.wait_for(process.wait(), launch.timeout_seconds)
    except TimeoutError:
        close = Close.TIMED_OUT
    finally:
        end_group(process.pid, signal.SIGKILL)
        await asyncio.shield(process.wait())
        if note is not None:
            note.unlink(missing_ok=True)
        await _closed(output, errors)
    said = errors.text(launch.environ) if is_apart else ""
    status = process.returncode if close is Close.ENDED else None
    return Ran(close, status, output.text(launch.environ), output.digest.hexdigest(), said)


async def _closed(*outputs: _Output) -> None:
    for each in outputs:
        await each.drained()
        each.close()


class _Output:
    """The end of what a program says, read as it comes. A pipe of our own: the end of the program is not held up by
    whoever else has it open."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._is_read = False
        self._pipe, self.end_to_write = os.pipe()
        os.set_blocking(self._pipe, False)
        self.digest = sha256()
        self._kept = b""
        self._size = 0
        self._is_over = asyncio.Event()

    def begin(self) -> None:
        """The program has its end of it now."""
        self._close_end()
        self._is_read = True
        asyncio.get_running_loop().add_reader(self._pipe, self._read)

    async def drained(self) -> None:
        """What was said has been read, or somebody still holds the pipe and is not waited for."""
        if not self._is_read:
            return
        try:
            await asyncio.wait_for(self._is_over.wait(), _DRAIN_SECONDS)
        except TimeoutError:
            pass

    def close(self) -> None:
        self._close_end()
        if self._pipe >= 0:
            asyncio.get_running_loop().remove_reader(self._pipe)
            os.close(self._pipe)
            self._pipe = -1

    def text(self, environ: Mapping[str, str]) -> str:
        text = MASK.over(self._kept.decode("utf-8", "replace"), environ)
        return text[-self._limit :] if self._size > self._limit else text

    def _close_end(self) -> None:
        if self.end_to_write >= 0:
            os.close(self.end_to_write)
            self.end_to_write = -1

    def _read(self) -> None:
        try:
            chunk = os.read(self._pipe, _READ)
        except BlockingIOError:
            return
        if not chunk:
            asyncio.get_running_loop().remove_reader(self._pipe)
            self._is_over.set()
        self.digest.update(chunk)
        self._size += len(chunk)
        self._kept = (self._kept + chunk)[-self._limit - _SLACK :]


async def _start(
    argv: list[str], launch: Launch, given: IO[bytes] | int, output: int, errors: int
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *argv,
        cwd=launch.folder,
        env=dict(launch.environ),
        stdin=given,
        stdout=output,
        stderr=errors,
        start_new_session=True,
    )


async def _end_kept(keeper: Keeper, folder: Path, attempt: str) -> None:
    """End an execution: it is told to, then killed with its group; its keeper puts that on file and goes."""
    process = keeper.process
    keeper.dismiss()
    file = read_attempt(folder, attempt)
    if file is None:  # it was not begun: without its keeper it never is
        keeper.kill()
        await process.wait()
        file = read_attempt(folder, attempt)
    if file is not None and not file.has_ended and is_alive(file):
        end_group(file.pid, signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), GRACE_SECONDS)
        except TimeoutError:
            end_group(file.pid, signal.SIGKILL)
    await process.wait()
    if file is not None and is_alive(file):
        await asyncio.to_thread(end, file)


@contextmanager
def _input(given: str) -> Iterator[IO[bytes] | int]:
    """A program's standard input: a file nobody else can see, so that it is there whole whatever becomes of us."""
    if not given:
        yield asyncio.subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(given.encode("utf-8", "surrogateescape"))
        file.flush()
        file.seek(0)
        yield file


def _why(error: Exception, what: str) -> str:
    return f"{getattr(error, 'strerror', None) or error} ({getattr(error, 'filename', None) or what})"
