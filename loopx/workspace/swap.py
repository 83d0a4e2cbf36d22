"""Putting a file in another's place without ever overwriting: exchange two names in one system call.

What was displaced stays readable under the other name. Linux has ``renameat2``, macOS ``renamex_np``; elsewhere the old
file is linked aside first. Called by :mod:`loopx.workspace.materialise` and recovery only.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

_AT_FDCWD = -100
_NOREPLACE, _EXCHANGE = 1, 2  # Linux
_DARWIN_SWAP, _DARWIN_EXCL = 2, 4
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
