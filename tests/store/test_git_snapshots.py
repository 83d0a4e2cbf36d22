"""Snapshots in the workspace's own repository, by Git's own reading of them, and the files they are made of."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.kernel.scopes import covers
from loopx.store.git.repository import GitStore
from loopx.store.git.scoped import FILE, LINK, PROGRAM, Entries, Scanner, walked
from tests.store.building import git, land
from tests.support.clock import START


def entries(store: GitStore, files: dict[str, bytes], mode: int = FILE) -> Entries:
    keeper = store.snapshots.keeper()
    found: Entries = {}
    for path, content in files.items():
        oid = store.hash(content)
        keeper.keep(oid, content)
        found[path] = (mode, oid)
    keeper.finish()
    return found


FILES = {"a.txt": b"a", "src/b.py": b"b", "src/deep/er/c": b"c", "src.x/d": b"d", "n\udcfcme": b"\xff", "empty": b""}


def test_a_snapshot_is_a_sound_commit_without_parents(repository: GitStore, root: Path) -> None:
    found = entries(repository, FILES)
    found["run.sh"] = (PROGRAM, found["a.txt"][1])
    found["src/link"] = (LINK, found["a.txt"][1])
    oid = repository.snapshots.write(found, "snapshot: x", START)
    repository.snapshots.name("run-1/000001-s1", oid)
    assert repository.fsck() == []
    assert git(root, "rev-list", "--parents", oid).split() == [oid]
    assert git(root, "cat-file", "-p", f"{oid}:src/deep/er/c") == "c"
    listed = git(root, "ls-tree", "-r", oid, "--", "run.sh", "src/link").split()
    assert (listed[0], listed[4]) == ("100755", "120000")
    assert repository.snapshots.entries(oid) == found
    assert repository.snapshots.tree(oid) == repository.snapshots.tree_of(found)
    assert git(root, "rev-parse", f"{oid}^{{tree}}").strip() == repository.snapshots.tree(oid)


def test_an_empty_snapshot_is_one_too(repository: GitStore) -> None:
    oid = repository.snapshots.write({}, "snapshot: nothing", START)
    assert repository.snapshots.entries(oid) == {} and repository.fsck() == []


def test_many_files_are_kept_in_batches(repository: GitStore) -> None:
    found = entries(repository, {f"f/{number}": b"%d" % number for number in range(300)})
    oid = repository.snapshots.write(found, "snapshot: many", START)
    kept = dict(repository.snapshots.contents({each for _, each in found.values()}))
    assert len(kept) == 300 and repository.snapshots.entries(oid) == found and repository.fsck() == []


def test_snapshots_are_no_part_of_history_and_are_not_pushed(repository: GitStore, root: Path, tmp_path: Path) -> None:
    land(repository, {"note": b"x"})
    head = repository.head()
    oid = repository.snapshots.write(entries(repository, FILES), "snapshot: x", START)
    repository.snapshots.name("run-1/000001-s1", oid)
    assert repository.head() == head and [each.oid for each in repository.history(head or "")] == [head]
    git(tmp_path, "init", "-q", "--bare", "elsewhere")
    for how in ("--all", "--tags"):
        git(root, "push", "-q", how, str(tmp_path / "elsewhere"))
    assert "snapshots" not in git(tmp_path / "elsewhere", "for-each-ref")


def test_snapshots_are_listed_by_name_and_dropped_by_age(repository: GitStore) -> None:
    kept = repository.snapshots
    for number, run in enumerate(["run-1", "run-1", "run-2", "run-3"]):
        oid = kept.write({}, f"snapshot: {number}", START + timedelta(days=number))
        kept.name(f"{run}/00000{number}-s", oid)
    assert [each.name for each in kept.named("run-1/")] == ["run-1/000000-s", "run-1/000001-s"]
    assert kept.named()[2].at == START + timedelta(days=2)
    dropped = kept.drop_before(START + timedelta(days=3), lambda name: name.startswith("run-2"))
    assert dropped == ["run-1/000000-s", "run-1/000001-s"]
    assert [each.name for each in kept.named()] == ["run-2/000002-s", "run-3/000003-s"]


def test_what_is_no_snapshot_is_unknown(repository: GitStore) -> None:
    for oid in ("0" * 40, repository.keep([b"x"])[0]):
        with pytest.raises(LoopxError) as no:
            repository.snapshots.tree(oid)
        assert no.value.code == "snapshot-unknown"


# what is on disk ---------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    (made / "src").mkdir(parents=True)
    git(made, "init", "-q")
    (made / ".gitignore").write_text("*.log\nbuild/\n")
    (made / "src/app.py").write_text("one\n")
    (made / "src/new.py").write_text("new\n")
    (made / "other.txt").write_text("other\n")
    git(made, "add", ".gitignore", "src/app.py", "other.txt")
    return made


def scan(
    repository: GitStore, project: Path, scopes: Sequence[str], largest: int = 100
) -> tuple[Entries, dict[str, str]]:
    seen = Scanner(project, repository.snapshots.form, covers, largest).scan(scopes, lambda oid, content: None)
    return seen.entries, seen.uncovered


def test_files_in_scope_count_whether_they_were_added_or_not(repository: GitStore, project: Path) -> None:
    found, uncovered = scan(repository, project, ["src/**"])
    assert found == {
        "src/app.py": (FILE, repository.hash(b"one\n")),
        "src/new.py": (FILE, repository.hash(b"new\n")),
    }
    assert uncovered == {} and scan(repository, project, []) == ({}, {})


def test_a_file_that_is_gone_is_not_there_though_the_index_has_it(repository: GitStore, project: Path) -> None:
    (project / "src/app.py").unlink()
    assert list(scan(repository, project, ["src"])[0]) == ["src/new.py"]


def test_bytes_and_modes_count_as_they_are_on_disk(repository: GitStore, project: Path) -> None:
    git(project, "config", "core.autocrlf", "true")
    git(project, "config", "core.fileMode", "false")
    (project / "src/app.py").write_bytes(b"one\r\n")
    (project / "src/app.py").chmod(0o755)
    assert scan(repository, project, ["src/app.py"])[0] == {"src/app.py": (PROGRAM, repository.hash(b"one\r\n"))}


def test_what_cannot_be_kept_is_told_with_the_reason(repository: GitStore, project: Path) -> None:
    (project / "src/big").write_bytes(b"x" * 101)
    (project / "src/run.log").write_text("x")
    (project / "src/build").mkdir()
    (project / "src/build/out").write_text("x")
    (project / "src/away").symlink_to("../other.txt")
    (project / "src/far").symlink_to("/etc")
    (project / "src/near").symlink_to("app.py")
    (project / "src/nested").mkdir()
    git(project / "src/nested", "init", "-q")
    os.mkfifo(project / "src/pipe")
    found, uncovered = scan(repository, project, ["src/**"])
    assert sorted(found) == ["src/app.py", "src/near", "src/new.py"] and found["src/near"][0] == LINK
    assert {path: why.split()[-1] for path, why in uncovered.items()} == {
        "src/big": "bytes",
        "src/run.log": "ignored",
        "src/build": "ignored",
        "src/away": "scopes",
        "src/far": "scopes",
        "src/nested": "own",
    } | ({"src/pipe": "file"} if "src/pipe" in uncovered else {})


def test_the_workspace_and_caches_are_never_part_of_it(repository: GitStore, project: Path) -> None:
    for path in (".loopx/x", "src/.loopx/x", "src/__pycache__/x", ".git/x", "src/.loopx-restoring-7"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text("x")
    assert "src/app.py" in (found := scan(repository, project, ["**"])[0])
    assert not [path for path in found if "loopx" in path or "__pycache__" in path or path.startswith(".git/")]


def test_a_file_that_did_not_change_is_read_once_and_one_that_did_is_read_again(
    repository: GitStore, project: Path
) -> None:
    read: list[str] = []
    scanner = Scanner(project, repository.snapshots.form, covers)
    time.sleep(0.1)  # until the file system's clock tells a change from now on apart
    first = scanner.scan(["src"], lambda oid, content: read.append(oid))
    assert scanner.scan(["src"], lambda oid, content: read.append(oid)).entries == first.entries
    assert len(read) == 2
    before = (project / "src/app.py").stat()
    (project / "src/app.py").write_text("two\n")
    os.utime(project / "src/app.py", ns=(before.st_atime_ns, before.st_mtime_ns))  # size and time as they were
    second = scanner.scan(["src"], lambda oid, content: read.append(oid))
    assert second.entries["src/app.py"] == (FILE, repository.hash(b"two\n")) and len(read) == 3


def test_without_a_repository_all_files_count(repository: GitStore, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    for path in ("src/a.log", "src/__pycache__/x", "b", ".loopx/c"):
        (plain / path).parent.mkdir(parents=True, exist_ok=True)
        (plain / path).write_text("x")
    (plain / "src/up").symlink_to("..")
    assert sorted(walked(plain)) == ["b", "src/a.log", "src/up"]
    found, uncovered = scan(repository, plain, ["src/**"])
    assert list(found) == ["src/a.log"] and list(uncovered) == ["src/up"]
