"""Putting a file in another's place without ever overwriting: exchange two names in one system call.

What was displaced stays readable under the other name. Linux has ``renameat2``, macOS ``renamex_np``; elsewhere the old
file is linked aside first. Called by :mod:`loopx.workspace.materialise` and recovery only.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

_AT_FDCWD = -100
_NOREPLACE, _EXCHANGE = 1, 2  # Linux
_DARWIN_SWAP, _DARWIN_EXCL = 2, 4
_LEASE_ATTEMPTS, _LEASE_PAUSE_SECONDS = 25, 0.002
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
_Rename = Callable[[bytes, bytes, int], int]


def exchange(one: Path, other: Path) -> bool:
    """Exchange two existing files. ``False`` where the system cannot; nothing has changed then.

    Raises :class:`FileNotFoundError` when one of them is not there, and other :class:`OSError` as they come.
    """
    return _call(one, other, _EXCHANGE, _DARWIN_SWAP)


def move_new(source: Path, target: Path) -> None:
    """Rename ``source`` to ``target``, which must not exist: raises :class:`FileExistsError` when it does."""
    if _call(source, target, _NOREPLACE, _DARWIN_EXCL):
        return
    os.link(source, target)
    source.unlink()


def replace_keeping(source: Path, target: Path, aside: Path) -> None:
    """Where names cannot be exchanged: keep ``target``'s file as ``aside``, then put ``source`` in its place."""
    os.link(target, aside)
    os.replace(source, target)


@contextmanager
def undisturbed(target: Path, wait: Callable[[float], None]) -> Iterator[int]:
    """``target`` opened for reading, and where the system can, with every other opening held back meanwhile.

    A lease on the file makes an editor that opens it now wait until we are done: whatever it writes then goes into the
    file it meant, which by that time is the displaced one. Somebody who has the file open is given a moment to finish;
    where that does not help, or there are no leases, nothing is held back. Keep it to microseconds.
    """
    opened = os.open(target, os.O_RDONLY | os.O_CLOEXEC)
    try:
        for _ in range(_LEASE_ATTEMPTS):
            if _lease(opened):
                break
            wait(_LEASE_PAUSE_SECONDS)
        yield opened
    finally:
        os.close(opened)  # gives the lease back too


def read_from(opened: int) -> bytes:
    """Everything in an open file, from its start."""
    with open(opened, "rb", closefd=False) as file:
        file.seek(0)
        return file.read()


def is_same(opened: int, file: Path) -> bool:
    """Whether ``file`` names the open file."""
    return os.path.samestat(os.fstat(opened), os.stat(file))


def _lease(opened: int) -> bool:
    """Whether asking again would gain nothing: the lease was given, or there is none to be had."""
    if not hasattr(fcntl, "F_SETLEASE"):
        return True
    try:
        # The holder is told by a signal that somebody waits; one that is ignored unless asked for.
        fcntl.fcntl(opened, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(opened, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError as error:
        return error.errno not in (errno.EAGAIN, errno.EACCES)
    return True


def replace_if(fresh: Path, target: Path, expected: bytes) -> bool:
    """Put ``fresh`` in ``target``'s place if it still holds ``expected``; ``False`` when somebody saved meanwhile.

    For single repairs a person agreed to; ``fresh`` is gone afterwards either way.
    """
    if not exchange(fresh, target):
        if target.read_bytes() != expected:
            fresh.unlink()
            return False
        os.replace(fresh, target)
        return True
    was_expected = fresh.read_bytes() == expected
    if not was_expected:
        exchange(fresh, target)
    fresh.unlink()
    return was_expected


def _call(one: Path, other: Path, linux: int, darwin: int) -> bool:
    rename = _rename()
    if rename is None:
        return False
    flag = darwin if sys.platform == "darwin" else linux
    ctypes.set_errno(0)
    if rename(os.fsencode(one), os.fsencode(other), flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(other))


@cache
def _rename() -> _Rename | None:
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        return getattr(library, "renamex_np", None)
    renameat2 = getattr(library, "renameat2", None)
    if renameat2 is None:
        return None
    return lambda one, other, flag: int(renameat2(_AT_FDCWD, one, _AT_FDCWD, other, flag))
