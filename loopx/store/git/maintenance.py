"""Housekeeping: loose objects into packs, and the commit-graph that makes long histories quick.

Called after a write; the work is done by a process of its own, in the background. It only ever adds packs and removes
loose objects a pack holds, so nothing written or prepared meanwhile can be lost; nothing is ever pruned here.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from loopx.store.git.environment import Limits, scrubbed
from loopx.store.git.layout import find_git_dir
from loopx.store.git.programs import Programs

DUE_AFTER = 3000
"""Loose objects, about 500 commits' worth, above which packing pays."""

_SAMPLE = "17"
_FOLDERS = 256
_PACKING_SECONDS = 3600.0


def maintain(root: Path) -> bool:
    """Start housekeeping in the background if it is due; returns whether it was started."""
    if not is_due(find_git_dir(root)):
        return False
    # The shell ends at once, so that the worker is nobody's child and never left as a zombie.
    subprocess.run(
        ["/bin/sh", "-c", '"$@" </dev/null >/dev/null 2>&1 &', "sh", sys.executable, "-m", __name__, str(root)],
        cwd=root,
        env=scrubbed(os.environ),
        start_new_session=True,
        check=False,
    )
    return True


def is_due(git_dir: Path) -> bool:
    """Whether there are many loose objects, told from one folder in 256 as Git does."""
    try:
        sample = len(os.listdir(git_dir / "objects" / _SAMPLE))
    except FileNotFoundError:
        return False
    return sample * _FOLDERS > DUE_AFTER


def pack(root: Path) -> bool:
    """Do the housekeeping now; returns ``False`` when another process is at it."""
    git_dir = find_git_dir(root)
    fd = os.open(git_dir / "loopx-maintenance.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        _work(Programs(root, durable=True, run_hooks=False, limits=Limits()))
        return True
    finally:
        os.close(fd)


def _work(programs: Programs) -> None:
    limit = _PACKING_SECONDS
    programs.run("pack its objects", "repack", "--geometric=2", "-d", "-l", "-q", seconds=limit)
    graph = ("commit-graph", "write", "--reachable", "--changed-paths", "--split", "--no-progress")
    programs.run("write the commit-graph", *graph, seconds=limit)


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
