"""Telling a dead lock file from a live one, and removing the dead.

Called by recovery, under the workspace lock. A lock file does not say whose it is, so it counts as dead only when the
journal of a dead process names it, or when it is old, no process has it open and no Git of a person is at work in the
repository. Where processes cannot be seen, only what the journal names is removed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from loopx.model.clock import Clock
from loopx.store.git.environment import STANDING
from loopx.store.waiting import Patience

LOCKS = (
    "index.lock",
    "HEAD.lock",
    "refs/heads/main.lock",
    "refs/loopx/admitted.lock",
    "packed-refs.lock",
)

_PROCESSES = Path("/proc")
_Identity = tuple[int, int]


def remove_dead_locks(
    root: Path, git_dir: Path, *, now: datetime, grace_seconds: float, ours: int | None = None
) -> list[str]:
    """Remove the dead lock files of the repository ``git_dir`` of the workspace ``root``; returns their names in it.

    ``ours`` is the inode of an index lock that a dead process of ours had taken. A lock younger than ``grace_seconds``
    is left alone unless it is that one.
    """
    removed: list[str] = []
    for name in LOCKS:
        lock = git_dir / name
        found = _stat(lock)
        if found is None or _is_open((found.st_dev, found.st_ino)):
            continue
        is_ours = name == "index.lock" and found.st_ino == ours
        # One from the future is no younger: the clock was set back since it was made.
        is_old = abs(now.timestamp() - found.st_mtime) >= grace_seconds
        if is_ours or (is_old and _PROCESSES.joinpath("self").exists() and not _git_at_work(root, git_dir)):
            lock.unlink(missing_ok=True)
            removed.append(name)
    return removed


def wait_for_young_locks(git_dir: Path, clock: Clock, grace_seconds: float) -> bool:
    """Wait, at most ``grace_seconds``, until no lock file nobody holds open is left; whether any was there.

    One that a killed Git left a moment ago cannot be told from one that a live Git is about to use: after this wait it
    can. Git itself would wait for it twenty times as long.
    """
    patience = Patience(clock, grace_seconds)
    was_there = False
    while patience.is_left() and _has_unheld(git_dir):
        was_there = True
        patience.wait()
    return was_there


def _has_unheld(git_dir: Path) -> bool:
    found = [stat for name in LOCKS if (stat := _stat(git_dir / name)) is not None]
    return any(not _is_open((each.st_dev, each.st_ino)) for each in found)


def _stat(lock: Path) -> os.stat_result | None:
    try:
        return lock.stat()
    except FileNotFoundError:
        return None


def _is_open(identity: _Identity) -> bool:
    return any(identity in _open_files(process) for process in _running())


def _git_at_work(root: Path, git_dir: Path) -> bool:
    """Whether a Git somebody else started may be using the repository: Git closes a lock it still means to use."""
    return any(
        _may_use(process, root, git_dir) for process in _running() if _is_git(process) and not _is_standing(process)
    )


def _running() -> Iterator[Path]:
    if _PROCESSES.is_dir():
        yield from (each for each in _PROCESSES.iterdir() if each.name.isdigit())


def _open_files(process: Path) -> Iterator[_Identity]:
    try:
        links = list((process / "fd").iterdir())
    except OSError:
        return
    for link in links:
        try:
            found = link.stat()
        except OSError:
            continue
        yield found.st_dev, found.st_ino


def _is_git(process: Path) -> bool:
    name = _content(process / "comm").strip()
    return name == b"git" or name.startswith(b"git-")


def _is_standing(process: Path) -> bool:
    """Whether it is the idle standing program of a store; no store writes while recovery holds the workspace lock.

    One whose owner died may still be ending the move it was asked for, so it is taken for Git at work.
    """
    marks = (each.partition(b"=") for each in _content(process / "environ").split(b"\0"))
    owner = next((value for name, _, value in marks if name == STANDING.encode()), None)
    # After the program's name, in brackets, come its state and its parent.
    facts = _content(process / "stat").rpartition(b")")[2].split()
    return owner is not None and facts[1:2] == [owner]


def _may_use(process: Path, root: Path, git_dir: Path) -> bool:
    try:
        folder = Path(os.readlink(process / "cwd"))
    except FileNotFoundError:
        return False
    except OSError:
        # A process of another user shows nothing: better to wait for it than to take its lock.
        return True
    named = str(git_dir).encode() in _content(process / "cmdline")
    return named or folder.is_relative_to(root) or folder.is_relative_to(git_dir)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
