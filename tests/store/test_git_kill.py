"""Writers killed at any moment, with or without their Git: history stays whole and no lock blocks what follows."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from loopx.store.git.repository import GitStore
from loopx.store.stale_locks import remove_dead_locks
from tests.store.building import RealClock, land

KILLS = 12

WRITER = """
import sys
from pathlib import Path
from loopx.store.git.repository import GitStore
from tests.store.building import RealClock, land
store = GitStore(Path(sys.argv[1]), clock=RealClock())
for n in range(100_000):
    written = land(store, {f"g{n % 3}/t{n}": b"x", "shared": b"%d" % n}, f"{sys.argv[2]} {n}")
    print(written.oid, flush=True)
"""


def start(root: Path, name: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", WRITER, str(root), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def kill(process: subprocess.Popen[str], *, with_git: bool) -> None:
    """End a writer without warning, with its Git too where a power cut is meant; returns when both are gone."""
    os.kill(process.pid, signal.SIGSTOP)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    watches = [os.pidfd_open(int(pid)) for pid in children]
    if with_git:
        for pid in children:
            os.kill(int(pid), signal.SIGKILL)
    process.kill()
    for watch in watches:
        select.select([watch], [], [])
        os.close(watch)


@pytest.mark.parametrize("with_git", [False, True], ids=["writer alone", "writer and git"])
def test_G11_a_killed_writer_leaves_a_whole_history_and_nothing_that_blocks_the_next_write(
    repository: GitStore, root: Path, with_git: bool
) -> None:
    chance, told = random.Random(11), list[str]()
    for n in range(KILLS):
        process = start(root, f"w{n}")
        assert process.stdout is not None
        for _ in range(chance.randrange(1, 4)):
            told.append(process.stdout.readline().strip())
        sum(range(chance.randrange(200_000)))
        kill(process, with_git=with_git)
        told.extend(process.stdout.read().split())
        process.wait()
        process.stdout.close()
        remove_dead_locks(root, repository.git_dir, now=RealClock().now(), grace_seconds=0)
        fresh = GitStore(root, clock=RealClock())
        land(fresh, {"after": b"%d" % n}, f"after {n}")
        assert fresh.fsck() == []
        fresh.close()
    history = list(repository.history(repository.head() or ""))
    assert {oid for oid in told if len(oid) == 40} <= {commit.oid for commit in history}
    assert set(Counter(commit.message for commit in history).values()) == {1}
    assert [path.name for path in repository.git_dir.rglob("*.lock")] == []
