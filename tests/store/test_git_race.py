"""Many writers without a lock: compare-and-swap alone keeps every commit, exactly once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.git.repository import GitStore
from tests.store.building import draft, git
from tests.support.clock import FakeClock

WRITERS, EACH = 8, 20

WRITER = """
import sys
from pathlib import Path
from loopx.errors import LoopxError
from loopx.store.git.repository import GitStore
from tests.store.building import RealClock, draft
root, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = GitStore(root, clock=RealClock())
sys.stdin.read(1)
for n in range(count):
    while True:
        base = store.head()
        change = {f"goals/{name}/t{n}.md": b"x", "shared.md": f"{name} {n}".encode()}
        [written] = store.write(base, [draft(change, f"{name} {n}")])
        try:
            store.publish(written.oid, base)
        except LoopxError as error:
            assert error.code == "head-moved", error.code
        else:
            break
store.close()
"""


def test_C01_eight_processes_write_without_a_lock_and_every_commit_is_in_history_once(
    repository: GitStore, root: Path
) -> None:
    command = [sys.executable, "-c", WRITER, str(root)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    processes = [
        subprocess.Popen([*command, f"w{n}", str(EACH)], stdin=subprocess.PIPE, env=environment) for n in range(WRITERS)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    assert [process.wait(120) for process in processes] == [0] * WRITERS
    told = Counter(commit.message for commit in repository.history(repository.head() or ""))
    assert told == {f"w{writer} {n}\n": 1 for writer in range(WRITERS) for n in range(EACH)}
    files = [entry.path for entry in repository.listing(repository.head() or "", "goals")]
    assert len(files) == WRITERS * EACH
    assert repository.fsck() == []
    assert [path.name for path in repository.git_dir.rglob("*.lock")] == []
    assert [path.name for path in repository.git_dir.rglob("tmp_*")] == []


def test_threads_of_one_process_share_a_store(repository: GitStore) -> None:
    finished: list[str] = []

    def write(name: str) -> None:
        for n in range(10):
            with repository.lock(60, name):
                base = repository.head()
                [written] = repository.write(base, [draft({f"{name}/{n}": b"x"}, f"{name} {n}")])
                index = repository.lock_index(written.blobs, 5)
                repository.publish(written.oid, base)
                index.commit()
            repository.read(repository.hash(b"x"))
        finished.append(name)

    threads = [threading.Thread(target=write, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(finished) == ["w0", "w1", "w2", "w3"]
    assert len(list(repository.history(repository.head() or ""))) == 40
    assert git(repository.root, "diff-index", "--cached", "--name-only", "HEAD") == ""


def test_a_store_that_lost_a_race_can_go_on(repository: GitStore, root: Path, clock: FakeClock) -> None:
    other = GitStore(root, clock=clock)
    for n in range(3):
        base = repository.head()
        [mine] = repository.write(base, [draft({"a": b"mine %d" % n})])
        [theirs] = other.write(base, [draft({"a": b"theirs %d" % n})])
        other.publish(theirs.oid, base)
        with pytest.raises(LoopxError) as lost:
            repository.publish(mine.oid, base)
        assert lost.value.code == "head-moved"
        [mine] = repository.write(theirs.oid, [draft({"a": b"mine %d" % n})])
        repository.publish(mine.oid, theirs.oid)
    assert len(list(repository.history(repository.head() or ""))) == 6
    other.close()
