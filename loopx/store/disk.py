"""The few things the store does to files itself, with every refusal of the disk turned into a coded error.

Called by all writers of the store. It never decides what is written, and never removes a file it did not make.
"""

from __future__ import annotations

import _thread
import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TypeVar

from loopx.errors import LoopxError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


_Item = TypeVar("_Item")
_FEW, _THREADS, _MANY_THREADS = 32, 4, 16
"""Flushes a disk takes at once share one turn of its journal; for a few files more threads than four gain nothing."""


@contextmanager
def guarded(path: str) -> Iterator[None]:
    """Turn an :class:`OSError` met at ``path`` into ``disk-full``, ``disk-refused`` or ``disk-failed``."""
    try:
        yield
    except OSError as error:
        raise told(error, path) from error


def told(error: OSError, path: str) -> LoopxError:
    """``error`` as a coded error that names ``path``."""
    if error.errno in _FULL:
        return LoopxError("disk-full", f"There is no room left to write {path}.", facts={"path": path})
    reason = os.strerror(error.errno) if error.errno else str(error)
    code = "disk-refused" if error.errno in _REFUSED else "disk-failed"
    return LoopxError(code, f"{path}: {reason}.", facts={"path": path})


def write_all(fd: int, *pieces: bytes) -> None:
    """Write ``pieces`` and verify that the file has their length; a short write is told as a full disk."""
    for piece in pieces:
        view = memoryview(piece)
        while view:
            view = view[os.write(fd, view) :]
    if os.fstat(fd).st_size != sum(map(len, pieces)):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def flush_files(fds: Sequence[int]) -> None:
    """Make the contents of open files durable."""
    _together(os.fsync, fds)


def flush_folders(paths: Sequence[str]) -> None:
    """Make the names in several folders durable."""
    _together(flush_folder, paths)


def flush_folder(path: str) -> None:
    """Make the names in a folder durable, as no rename or link is before its folder is flushed."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    except OSError as error:
        # Some network file systems cannot flush a folder; their own rules hold there.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(fd)


def temporary_name(prefix: str) -> str:
    """A file name no other process or thread picks at the same time."""
    return f"{prefix}{os.urandom(8).hex()}"


def _together(flush: Callable[[_Item], None], items: Sequence[_Item]) -> None:
    """Call ``flush`` on every item, some at a time; raises the first error met once all of them were tried."""
    waiting: Iterator[_Item] = iter(items)
    ends: SimpleQueue[BaseException | None] = SimpleQueue()

    def work() -> None:
        for item in waiting:
            try:
                flush(item)
            except BaseException as error:  # noqa: BLE001  (told to whoever waits, who raises it)
                ends.put(error)
            else:
                ends.put(None)

    # Items are waited for, not threads: one that begins when nothing is left to do holds nobody up.
    for _ in range(min(_THREADS if len(items) <= _FEW else _MANY_THREADS, len(items)) - 1):
        try:
            _thread.start_new_thread(work, ())
        except RuntimeError:  # the system grants no more: those there are do it
            break
    work()
    for error in [ends.get() for _ in items]:
        if error is not None:
            raise error
