"""Changing an index that only Git understands: split, sparse, or of another version.

Called by :mod:`loopx.store.git.index` when reading by hand is not possible. Git works on a copy; the result is a whole
index, whatever the original was.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from loopx.store.disk import guarded, temporary_name, write_all
from loopx.store.git.programs import Programs
from loopx.store.git.trees import encoded
from loopx.store.protocol import Oid


def changed_by_git(programs: Programs, git_dir: Path, content: bytes, changes: Mapping[str, Oid | None]) -> bytes:
    """The bytes of the index ``content`` with ``changes``. The shared part of a split index is found in ``git_dir``."""
    copy = git_dir / temporary_name("index.loopx-")
    try:
        _save(copy, content)
        programs.run(
            "change the index",
            *("-c", "core.splitIndex=false", "-c", "index.sparse=false", "-c", "core.fsmonitor=false"),
            *("update-index", "--no-split-index", "-z", "--index-info"),
            given=b"".join(_line(path, oid) for path, oid in changes.items()),
            environment={"GIT_INDEX_FILE": str(copy)},
        )
        return copy.read_bytes()
    finally:
        for leftover in (copy, copy.with_name(copy.name + ".lock")):
            leftover.unlink(missing_ok=True)


def _save(path: Path, content: bytes) -> None:
    with guarded(str(path)):
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            write_all(fd, content)
        finally:
            os.close(fd)


def _line(path: str, oid: Oid | None) -> bytes:
    # Mode 0 removes; Git wants an oid there all the same.
    mode, name = ("100644", oid) if oid is not None else ("0", "0" * 40)
    return f"{mode} {name}\t".encode() + encoded(path) + b"\0"
