"""The workspace's one lock: held by one thread of one process, released by the kernel when that process dies.

Called around every write. The file tells who holds the lock; only the kernel's lock on it counts, so what a dead
process left written there means nothing.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loopx.errors import LoopxError
from loopx.model.clock import Clock
from loopx.model.times import format_instant
from loopx.store.disk import told
from loopx.store.git.environment import IN_HOOK
from loopx.store.waiting import Patience

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
_threads: dict[str, threading.Lock] = {}
"""One lock a workspace for the threads of this process: they hand over at once, where the file would be polled."""


class WorkspaceLock:
    """The lock of the workspace in ``root``, the same by whatever spelling of its path."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self._folder = os.path.join(os.path.realpath(root), "local")
        self._path = os.path.join(self._folder, "lock")
        self._clock = clock

    @contextmanager
    def held(self, wait_seconds: float, purpose: str) -> Iterator[None]:
        """Hold the lock. Raises ``lock-held``, naming the holder, when it is not had within ``wait_seconds``.

        A process that a hook of ours started does not wait: whoever holds the lock may be waiting for that hook.
        """
        wait_seconds = 0.0 if os.environ.get(IN_HOOK) else wait_seconds
        among_threads = _threads.setdefault(self._path, threading.Lock())
        if not among_threads.acquire(timeout=max(0.0, wait_seconds)):
            raise self._refusal()
        try:
            fd = self._acquire(wait_seconds)
            try:
                self._sign(fd, purpose)
                yield
            finally:
                _erase(fd)
                os.close(fd)
        finally:
            among_threads.release()

    def _acquire(self, wait_seconds: float) -> int:
        patience = Patience(self._clock, wait_seconds)
        while True:
            fd = self._open()
            if _locked(fd) and self._is_in_place(fd):
                return fd
            os.close(fd)
            if not patience.is_left():
                raise self._refusal()
            patience.wait()

    def _open(self) -> int:
        try:
            self._make_folder()
            return os.open(self._path, _FLAGS, 0o644)
        except OSError as error:
            raise told(error, self._path) from error

    def _make_folder(self) -> None:
        """The folder of the lock, but none above it: a workspace that was moved away is not begun anew."""
        try:
            os.mkdir(self._folder)
        except FileExistsError:
            return

    def _is_in_place(self, fd: int) -> bool:
        """Whether the file locked is still the one others would open: somebody may have deleted it while we waited."""
        mine = os.fstat(fd)
        try:
            found = os.stat(self._path)
        except FileNotFoundError:
            return False
        return (mine.st_dev, mine.st_ino) == (found.st_dev, found.st_ino)

    def _sign(self, fd: int, purpose: str) -> None:
        holder = {"pid": os.getpid(), "command": purpose, "since": format_instant(self._clock.now())}
        try:
            os.ftruncate(fd, 0)
            os.pwrite(fd, json.dumps(holder).encode(), 0)
        except OSError:
            # On a full disk the lock still holds; it only cannot say whose it is.
            pass

    def _refusal(self) -> LoopxError:
        holder = self._holder()
        if not holder:
            return LoopxError("lock-held", "Another process holds the workspace lock.", facts={"lock": self._path})
        sentence = "The workspace lock is held by process {pid} ({command}) since {since}.".format(**holder)
        return LoopxError("lock-held", sentence, facts={"lock": self._path, **holder})

    def _holder(self) -> dict[str, Any]:
        try:
            with open(self._path, encoding="utf-8", errors="replace") as file:
                found = json.load(file)
            return {name: found[name] for name in ("pid", "command", "since")}
        except (OSError, ValueError, KeyError, TypeError):
            return {}


def _locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _erase(fd: int) -> None:
    try:
        os.ftruncate(fd, 0)
    except OSError:
        pass
