"""A store that stays open: flat in processes and descriptors, and whole again when one of its programs dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.git.environment import Limits
from loopx.store.git.repository import GitStore
from tests.store.building import draft, git, land
from tests.support.clock import FakeClock


def children() -> list[str]:
    """Names of this process's children, dead ones included."""
    found = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [Path(f"/proc/{pid}/comm").read_text().strip() for pid in found]


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_G27_processes_and_descriptors_stay_flat_over_many_writes(repository: GitStore, root: Path) -> None:
    def work(n: int) -> None:
        land(repository, {f"g{n % 5}/t": b"%d" % n})
        with pytest.raises(LoopxError):
            repository.read(repository.hash(b"absent"))
        with pytest.raises(LoopxError):
            repository.publish("1" * 40, "2" * 40)

    for n in range(5):
        work(n)
    before = (sorted(children()), descriptors())
    for n in range(5, 60):
        work(n)
    assert (sorted(children()), descriptors()) == before
    assert before[0].count("git") <= 2


def test_closing_ends_every_program_and_a_closed_store_can_be_used_again(repository: GitStore) -> None:
    at_first = len(children())
    land(repository, {"a": b"1"})
    with pytest.raises(LoopxError):
        repository.read(repository.hash(b"absent"))
    assert len(children()) == at_first + 2
    repository.close()
    assert len(children()) == at_first
    land(repository, {"a": b"2"})
    assert repository.read(repository.hash(b"2")) == b"2"


def test_a_program_that_was_killed_is_started_again(repository: GitStore, root: Path) -> None:
    land(repository, {"a": b"1"})
    git(root, "gc", "-q")
    assert repository.read(repository.hash(b"1")) == b"1"
    for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        os.kill(int(pid), signal.SIGKILL)
        os.waitid(os.P_PID, int(pid), os.WEXITED | os.WNOWAIT)
    assert repository.read(repository.hash(b"1")) == b"1"
    land(repository, {"a": b"2"})
    assert len(list(repository.history(repository.head() or ""))) == 2


def test_a_program_that_gives_no_answer_is_ended_after_its_time(
    root: Path, repository: GitStore, tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = tmp_path / "bin" / "git"
    silent.parent.mkdir()
    silent.write_text("#!/bin/sh\nsleep 300\n")
    silent.chmod(0o755)
    monkeypatch.setenv("PATH", f"{silent.parent}:{os.environ['PATH']}")
    store = GitStore(root, clock=clock, limits=Limits(program=0.3))
    for attempt in (lambda: store.read(store.hash(b"absent")), lambda: store.fsck()):
        with pytest.raises(LoopxError, match=r"0\.3 s") as error:
            attempt()
        assert error.value.code == "git-failed"
    store.close()


def test_a_child_made_by_forking_reads_through_a_program_of_its_own(repository: GitStore, root: Path) -> None:
    land(repository, {f"f{n}": b"%d" % n for n in range(30)})
    git(root, "gc", "-q")
    oids = [repository.hash(b"%d" % n) for n in range(30)]
    assert repository.read(oids[0]) == b"0"
    child = os.fork()
    if child == 0:
        fine = all(repository.read(oid) == b"%d" % n for n, oid in enumerate(oids))
        repository.close()
        os._exit(0 if fine else 1)
    assert all(repository.read(oid) == b"%d" % n for n, oid in enumerate(oids))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_flood_of_warnings_from_git_stops_nothing(
    root: Path, repository: GitStore, tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = git(root, "--exec-path")
    noisy = tmp_path / "bin" / "git"
    noisy.parent.mkdir()
    noisy.write_text(
        "#!/bin/sh\nwhile read oid; do head -c 30000 /dev/zero >&2; echo $oid | "
        f"{real}/git -C {root} cat-file --batch; done\n"
    )
    noisy.chmod(0o755)
    land(repository, {"a": b"1"})
    git(root, "gc", "-q")
    with monkeypatch.context() as loud:
        loud.setenv("PATH", f"{noisy.parent}:{os.environ['PATH']}")
        store = GitStore(root, clock=clock, limits=Limits(program=10))
        for _ in range(10):
            assert store.read(store.hash(b"1")) == b"1"
    store.close()


def test_git_taking_references_elsewhere_is_noticed_by_an_open_store(repository: GitStore, root: Path) -> None:
    base = land(repository, {"a": b"1"})
    [mine] = repository.write(base.oid, [draft({"a": b"2"})])
    git(root, "pack-refs", "--all")
    repository.publish(mine.oid, base.oid)
    git(root, "pack-refs", "--all")
    git(root, "update-ref", "refs/heads/main", base.oid)
    assert repository.head() == base.oid
    with pytest.raises(LoopxError) as moved:
        repository.publish("3" * 40, mine.oid)
    assert moved.value.code in ("head-moved", "repository-broken")
