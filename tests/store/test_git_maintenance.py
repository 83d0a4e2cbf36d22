"""Housekeeping: packs what is loose, loses nothing, gets in nobody's way."""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

import pytest

from loopx.store.git import maintenance
from loopx.store.git.repository import GitStore
from tests.store.building import draft, git, land
from tests.support.clock import FakeClock


def loose_count(store: GitStore) -> int:
    return len(list((store.git_dir / "objects").glob("??/*")))


def test_H08_packing_keeps_history_and_what_is_prepared_but_not_published(
    repository: GitStore, root: Path, clock: FakeClock
) -> None:
    oids = [land(repository, {f"g{n % 3}/t{n}": b"%d" % n}).oid for n in range(30)]
    [prepared] = repository.write(oids[-1], [draft({"coming": b"soon"})])
    [kept] = repository.keep([b"put aside"])
    assert maintenance.pack(root)
    assert loose_count(repository) == 0
    assert [each.oid for each in repository.history(oids[-1])] == oids[::-1]
    fresh = GitStore(root, clock=clock)
    assert fresh.read(kept) == b"put aside"
    fresh.publish(prepared.oid, oids[-1])
    assert fresh.fsck() == []
    assert git(root, "commit-graph", "verify") == ""
    fresh.close()


def test_packing_again_and_again_keeps_the_number_of_packs_small(repository: GitStore, root: Path) -> None:
    for n in range(12):
        land(repository, {"a": b"%d" % n})
        assert maintenance.pack(root)
    assert len(list((repository.git_dir / "objects/pack").glob("*.pack"))) <= 5
    assert repository.fsck() == []


def test_two_processes_do_not_pack_at_the_same_time(repository: GitStore, root: Path) -> None:
    land(repository, {"a": b"1"})
    with (repository.git_dir / "loopx-maintenance.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert not maintenance.pack(root)
    assert loose_count(repository) > 0
    assert maintenance.pack(root)


def test_housekeeping_is_started_only_when_it_is_due(
    repository: GitStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    land(repository, {"a": b"1"})
    assert not maintenance.maintain(root)
    sample = repository.git_dir / "objects" / "17"
    sample.mkdir(exist_ok=True)
    before = len(list(sample.iterdir()))
    for n in range(maintenance.DUE_AFTER // 256 + 1 - before):
        (sample / f"{n:038x}").touch()
    assert maintenance.is_due(repository.git_dir)


def test_housekeeping_in_the_background_is_nobodys_child_and_does_its_work(
    repository: GitStore, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    land(repository, {f"f{n}": b"%d" % n for n in range(150)})
    (repository.git_dir / "objects" / "17").mkdir(exist_ok=True)
    pipe, python = tmp_path / "alive", tmp_path / "python"
    os.mkfifo(pipe)
    # The interpreter keeps the pipe open for as long as it lives, so reading it to its end waits for that.
    python.write_text(f'#!/bin/sh\nexec 3> {pipe}\necho $PPID >&3\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(maintenance, "DUE_AFTER", -1)
    assert maintenance.maintain(root)
    assert int(pipe.read_text()) != os.getpid()
    assert loose_count(repository) == 0
    assert repository.fsck() == []
