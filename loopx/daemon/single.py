"""One daemon a workspace: a lock the kernel releases when its holder dies, and a note about who holds it.

Only the lock counts. A note without it is of a daemon that is gone, whatever program has its number now; a lock
without an answer is of a daemon that lives and is slow, and is never taken from it. Where a file system knows no
locks, the note is believed as far as its process can be recognised.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loopx.daemon.identity import Identity, current, is_same, process
from loopx.errors import LoopxError
from loopx.workspace.places import Places

_NO_LOCKS = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS})


class Single:
    """The claim of this process to be the daemon of a workspace. Raises ``daemon-running`` when another one is."""

    def __init__(self, places: Places) -> None:
        self._note = note_of(places)
        self._fd = _locked(lock_of(places), self._note)

    def tell(self, facts: Mapping[str, Any]) -> None:
        """Write down who holds the lock, and what else others may want to know."""
        fresh = self._note.with_suffix(f".{os.getpid()}.tmp")
        fresh.write_text(json.dumps({**current().as_json(), **facts}), encoding="utf-8")
        os.replace(fresh, self._note)

    def release(self) -> None:
        """Give the claim back. The lock goes last: whoever has it next finds no note of ours."""
        self._note.unlink(missing_ok=True)
        os.close(self._fd)


def note_of(places: Places) -> Path:
    return places.local / "daemon.json"


def lock_of(places: Places) -> Path:
    return places.local / "daemon.lock"


def owner(places: Places) -> dict[str, Any] | None:
    """What the daemon of a workspace noted about itself; ``None`` when none runs."""
    noted = _read(note_of(places))
    held = _is_held(lock_of(places))
    if held is False or (held is None and not _lives(noted)):
        return None
    return noted or {}


def _locked(lock: Path, note: Path) -> int:
    lock.parent.mkdir(exist_ok=True)
    fd = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        noted = _read(note)
        if error.errno in _NO_LOCKS and not _lives(noted):
            return fd
        os.close(fd)
        raise running(noted or {}) from error
    return fd


def running(noted: Mapping[str, Any]) -> LoopxError:
    """The refusal of a second daemon, naming the first."""
    pid, since = noted.get("pid"), noted.get("since")
    who = f"by process {pid}" + (f" since {since}" if since else "") if pid else "by another process"
    return LoopxError("daemon-running", f"This workspace is watched {who} already.", facts={"pid": pid, "since": since})


def _is_held(lock: Path) -> bool | None:
    """Whether somebody holds the lock; ``None`` where the file system has no locks."""
    try:
        fd = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return None if error.errno in _NO_LOCKS else True
    finally:
        os.close(fd)
    return False


def _lives(noted: Mapping[str, Any] | None) -> bool:
    if noted is None:
        return False
    try:
        identity = Identity.from_json(noted)
    except (KeyError, TypeError, ValueError):
        return False
    return is_same(identity, process(identity.pid))


def _read(note: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
