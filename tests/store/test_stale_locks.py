"""Dead lock files are removed, live ones never."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from loopx.store.git.repository import GitStore
from loopx.store.stale_locks import LOCKS, remove_dead_locks
from tests.store.building import RealClock, draft, git, land

NOW = RealClock().now()


def old(path: Path) -> Path:
    """A lock file made an hour ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    then = (NOW - timedelta(hours=1)).timestamp()
    os.utime(path, (then, then))
    return path


def remove(store: GitStore, *, now: datetime = NOW, ours: int | None = None) -> list[str]:
    return remove_dead_locks(store.root, store.git_dir, now=now, grace_seconds=60, ours=ours)


@contextmanager
def running(command: list[str], cwd: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process at work, ended afterwards; its first output line tells that it has begun."""
    process = subprocess.Popen(
        command, cwd=cwd, env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("name", LOCKS)
def test_an_old_lock_that_nobody_can_be_holding_is_removed_and_reported(repository: GitStore, name: str) -> None:
    lock = old(repository.git_dir / name)
    assert remove(repository) == [name]
    assert not lock.exists()
    assert remove(repository) == []


def test_a_lock_from_before_the_clock_was_set_back_is_not_young_for_as_long_as_that(repository: GitStore) -> None:
    lock = repository.git_dir / "index.lock"
    lock.touch()
    assert remove(repository, now=NOW - timedelta(hours=48)) == ["index.lock"]


def test_a_young_lock_is_left_alone(repository: GitStore) -> None:
    lock = repository.git_dir / "index.lock"
    lock.touch()
    assert remove(repository, now=RealClock().now()) == []
    assert lock.exists()


def test_a_young_lock_that_our_journal_names_is_removed(repository: GitStore) -> None:
    land(repository, {"a": b"1"})
    lock = repository.lock_index({"a": None}, 0)
    now = RealClock().now()
    assert remove(repository, now=now, ours=lock.inode + 1) == []
    assert remove(repository, now=now, ours=lock.inode) == ["index.lock"]


def test_the_journals_word_covers_the_index_lock_alone(repository: GitStore) -> None:
    lock = repository.git_dir / "refs/heads/main.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    assert remove(repository, now=RealClock().now(), ours=lock.stat().st_ino) == []


def test_a_lock_some_process_has_open_is_left_alone(repository: GitStore) -> None:
    lock = old(repository.git_dir / "index.lock")
    with running(["sh", "-c", "exec 3< index.lock; echo open; read x"], repository.git_dir) as process:
        assert process.stdout is not None and process.stdout.readline() == b"open\n"
        assert remove(repository, ours=lock.stat().st_ino) == []
        process.communicate(b"\n")
        assert remove(repository) == ["index.lock"]


def test_G11_a_lock_is_left_alone_while_a_persons_git_is_at_work_in_the_repository(
    repository: GitStore, root: Path, tmp_path: Path
) -> None:
    land(repository, {"a": b"1"})
    (root / "a").write_text("edited")
    pipe = tmp_path / "editing"
    os.mkfifo(pipe)
    # `git commit -a` keeps index.lock, closed, for as long as the editor is open.
    with running(["git", "commit", "-a"], root, GIT_EDITOR=f"sh -c 'echo > {pipe}; read x' #") as editing:
        pipe.read_text()
        lock = repository.git_dir / "index.lock"
        assert lock.exists()
        assert remove(repository, now=NOW + timedelta(days=1)) == []
        assert lock.exists()
        editing.communicate(b"\n")


def test_git_at_work_elsewhere_protects_no_lock_here(repository: GitStore, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "other")
    old(repository.git_dir / "index.lock")
    with running(["git", "cat-file", "--batch-check"], tmp_path / "other") as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"HEAD\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"HEAD missing\n"
        assert remove(repository) == ["index.lock"]


def test_a_git_at_work_from_elsewhere_that_names_the_repository_protects_its_locks(
    repository: GitStore, tmp_path: Path
) -> None:
    old(repository.git_dir / "index.lock")
    command = ["git", f"--git-dir={repository.git_dir}", "cat-file", "--batch-check"]
    with running(command, tmp_path) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"HEAD\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"HEAD missing\n"
        assert remove(repository) == []


def test_the_standing_programs_of_a_store_protect_no_lock(repository: GitStore) -> None:
    base = land(repository, {"a": b"1"})
    [written] = repository.write(base.oid, [draft({"a": b"2"})])
    repository.publish(written.oid, base.oid)
    old(repository.git_dir / "HEAD.lock")
    assert remove(repository) == ["HEAD.lock"]


ORPHANED = """
import os, sys
from pathlib import Path
from loopx.store.git.repository import GitStore
from tests.store.building import RealClock, land
store = GitStore(Path(sys.argv[1]), clock=RealClock())
land(store, {"orphan": b"1"})
print(Path(f"/proc/self/task/{os.getpid()}/children").read_text(), flush=True)
sys.stdin.read()
"""


def test_a_standing_program_whose_owner_died_protects_its_locks_to_its_end(repository: GitStore, root: Path) -> None:
    here = str(Path(__file__).parents[2])
    with running([sys.executable, "-c", ORPHANED, str(root)], root.parent, PYTHONPATH=here) as owner:
        assert owner.stdout is not None
        program = int(owner.stdout.readline())
        os.kill(program, signal.SIGSTOP)
    lock = old(repository.git_dir / "refs/heads/main.lock")
    assert remove(repository) == []
    watch = os.pidfd_open(program)
    os.kill(program, signal.SIGKILL)
    select.select([watch], [], [])
    os.close(watch)
    assert remove(repository) == ["refs/heads/main.lock"]
    assert not lock.exists()


def test_where_processes_cannot_be_seen_only_the_journals_lock_is_removed(
    repository: GitStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loopx.store.stale_locks._PROCESSES", tmp_path / "no-proc")
    lock = old(repository.git_dir / "index.lock")
    old(repository.git_dir / "HEAD.lock")
    assert remove(repository) == []
    assert remove(repository, ours=lock.stat().st_ino) == ["index.lock"]
