"""One long-lived Git program: started on first use, asked line by line, started again when it has died.

Called by the reader of packed objects and the mover of references. It knows pipes and time limits and nothing of what
is asked.
"""

from __future__ import annotations

import os
import select
from subprocess import Popen
from typing import IO

from loopx.errors import LoopxError
from loopx.model.defining import dataclass
from loopx.store.git.programs import Programs, kill

_PIECE = 1 << 16
_KEPT_WORDS = 4096


class Died(Exception):
    """The program ended instead of answering. ``words`` is what it said on its error stream."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


@dataclass(frozen=True, slots=True)
class _Running:
    """A program, the process that started it, and its three pipes."""

    process: Popen[bytes]
    owner: int
    requests: IO[bytes]
    answers: IO[bytes]
    words: IO[bytes]

    def is_usable(self) -> bool:
        """Whether it lives and is ours: after a fork two processes would read from one pipe."""
        return self.owner == os.getpid() and self.process.poll() is None


class StandingProgram:
    """A Git program with its pipes. Not safe for two threads at once; its owner holds a lock around each question."""

    def __init__(self, programs: Programs, *arguments: str) -> None:
        self._programs = programs
        self._arguments = arguments
        self._running: _Running | None = None
        self._buffer = b""
        self._words = b""

    def ask(self, request: bytes) -> None:
        """Send ``request``, starting the program when it is not running. Raises :class:`Died`."""
        running = self._started()
        self._listen(running)
        try:
            running.requests.write(request)
            running.requests.flush()
        except BrokenPipeError:
            raise self._death(running) from None

    def line(self) -> bytes:
        """The next line of the answer, without its end. Raises :class:`Died`, or ``git-failed`` past the time limit."""
        while b"\n" not in self._buffer:
            self._buffer += self._more()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def exactly(self, size: int) -> bytes:
        """The next ``size`` bytes of the answer. Raises as :meth:`line` does."""
        pieces, held = [self._buffer], len(self._buffer)
        while held < size:
            piece = self._more()
            pieces.append(piece)
            held += len(piece)
        whole = b"".join(pieces)
        self._buffer = whole[size:]
        return whole[:size]

    def close(self) -> None:
        """End the program; the next question starts another."""
        running, self._running, self._buffer, self._words = self._running, None, b"", b""
        if running is None:
            return
        if running.owner == os.getpid():
            kill(running.process)
        for pipe in (running.requests, running.answers, running.words):
            try:
                pipe.close()
            except BrokenPipeError:
                pass

    def _started(self) -> _Running:
        if self._running is not None and not self._running.is_usable():
            self.close()
        if self._running is None:
            self._running = _begun(self._programs.open(*self._arguments))
        return self._running

    def _more(self) -> bytes:
        running = self._running
        if running is None:
            raise Died("")
        waiting = select.poll()
        waiting.register(running.answers, select.POLLIN)
        if not waiting.poll(self._programs.seconds * 1000):
            self.close()
            raise LoopxError("git-failed", f"Git gave no answer within {self._programs.seconds:g} s and was ended.")
        piece = os.read(running.answers.fileno(), _PIECE)
        if not piece:
            raise self._death(running)
        return piece

    def _listen(self, running: _Running) -> None:
        # An error stream nobody reads fills up and stops the program.
        try:
            while piece := os.read(running.words.fileno(), _PIECE):
                self._words = (self._words + piece)[-_KEPT_WORDS:]
        except BlockingIOError:
            pass

    def _death(self, running: _Running) -> Died:
        running.process.wait()
        self._listen(running)
        words = self._words.decode("utf-8", "replace")
        self.close()
        return Died(words)


def _begun(process: Popen[bytes]) -> _Running:
    requests, answers, words = process.stdin, process.stdout, process.stderr
    if requests is None or answers is None or words is None:
        raise AssertionError("a standing program has three pipes")
    os.set_blocking(words.fileno(), False)
    return _Running(process, os.getpid(), requests, answers, words)
