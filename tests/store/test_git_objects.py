"""Objects on disk: loose, packed, damaged, many, of either format, and when the disk refuses."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.git.objects import PACK_ABOVE
from loopx.store.git.repository import GitStore
from loopx.store.git.setup import create
from tests.store.building import draft, git, land
from tests.support.clock import FakeClock


def loose(store: GitStore) -> set[str]:
    """Files below the object folder that are neither packs nor notes."""
    folder = store.git_dir / "objects"
    return {str(path.relative_to(folder)) for path in folder.glob("??/*")}


def file_of(store: GitStore, oid: str) -> Path:
    return store.git_dir / "objects" / oid[:2] / oid[2:]


def test_plain_git_finds_nothing_wrong_with_what_is_written_by_hand(repository: GitStore, root: Path) -> None:
    for n in range(5):
        land(repository, {f"goals/g{n % 2}/todos/t-{n}.md": b"%d" % n, "workspace.yaml": b"v: %d" % n})
    assert repository.fsck() == []
    assert git(root, "cat-file", "-p", "HEAD:goals/g1/todos/t-3.md") == "3"
    assert git(root, "log", "--format=%an <%ae> %cI %s", "-1") == (
        "Ada <ada@example.invalid> 2026-03-02T09:00:00+00:00 note: write"
    )


def test_what_git_wrote_and_packed_is_read(repository: GitStore, root: Path, clock: FakeClock) -> None:
    (root / "by-hand.md").write_bytes(b"typed\r\n")
    git(root, "add", "by-hand.md")
    git(root, "commit", "-q", "-m", "by hand")
    git(root, "gc", "-q")
    assert loose(repository) == set()
    head = repository.head() or ""
    entry = repository.find(head, "by-hand.md")
    assert entry is not None
    assert repository.read(entry.oid) == b"typed\r\n"
    assert dict(repository.read_many([entry.oid])) == {entry.oid: b"typed\r\n"}
    assert [commit.message for commit in repository.history(head)] == ["by hand\n"]
    land(repository, {"b": b"on top"})
    assert repository.fsck() == []


def test_no_process_is_started_to_read_loose_objects(
    repository: GitStore, root: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = land(repository, {"goals/x/goal.md": b"1"})
    cold = GitStore(root, clock=clock)
    monkeypatch.setenv("PATH", "/nowhere")
    assert (cold.head(), cold.admitted(), cold.busy()) == (written.oid, written.oid, None)
    entry = cold.find(written.oid, "goals/x/goal.md")
    assert entry is not None and cold.read(entry.oid) == b"1"
    assert [each.path for each in cold.listing(written.oid)] == ["goals/x/goal.md"]
    assert len(list(cold.history(written.oid, changes=True))) == 1


def test_a_large_write_becomes_one_pack(repository: GitStore) -> None:
    before = loose(repository)
    written = land(repository, {f"g{n // 50}/t{n}": b"%d\n" % n * n for n in range(PACK_ABOVE + 100)})
    assert len(list((repository.git_dir / "objects/pack").glob("*.pack"))) == 1
    assert loose(repository) == before
    assert len(list(repository.listing(written.oid))) == PACK_ABOVE + 100
    assert repository.read(repository.hash(b"7\n" * 7)) == b"7\n" * 7
    assert repository.fsck() == []


def test_a_pack_with_objects_of_many_sizes_is_what_git_expects(repository: GitStore) -> None:
    sizes = [*range(40), *(2**power + step for power in range(4, 18) for step in (-1, 0, 1))]
    contents = {f"f{n}": bytes([n % 251]) * size for n, size in enumerate(sizes * 3)}
    assert len(contents) > PACK_ABOVE
    written = land(repository, contents)
    for path, oid in written.blobs.items():
        assert repository.read(oid or "") == contents[path]
    assert repository.fsck() == []


def test_G15_a_sha256_repository_works_like_any_other(root: Path, clock: FakeClock) -> None:
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main", "--object-format=sha256")
    store = create(root, clock=clock)
    first = land(store, {"goals/x/goal.md": b"1"})
    second = land(store, {f"many/{n}": b"%d" % n for n in range(PACK_ABOVE + 1)})
    assert len(first.oid) == 64
    assert store.resolve("HEAD~1") == store.resolve(first.oid[:9]) == first.oid
    assert store.read(first.blobs["goals/x/goal.md"] or "") == b"1"
    assert "+1" in store.patch(None, first.oid)
    assert [each.oid for each in store.history(second.oid)] == [second.oid, first.oid]
    assert git(root, "diff-index", "--cached", "--name-only", "HEAD") == ""
    assert store.fsck() == []
    store.close()


def damage(path: Path, content: bytes) -> None:
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    path.write_bytes(content)


@pytest.mark.parametrize("content", [b"", bytes(4096), b"x\x9c not really", "half"])
def test_C11_a_damaged_object_is_told_and_written_anew_with_the_same_content(
    repository: GitStore, root: Path, clock: FakeClock, content: bytes | str
) -> None:
    written = land(repository, {"a": b"precious " * 20})
    oid = written.blobs["a"] or ""
    file = file_of(repository, oid)
    damage(file, file.read_bytes()[:20] if isinstance(content, str) else content)
    fresh = GitStore(root, clock=clock)
    with pytest.raises(LoopxError) as error:
        fresh.read(oid)
    assert error.value.code == "repository-broken"
    assert fresh.keep([b"precious " * 20]) == [oid]
    assert fresh.read(oid) == b"precious " * 20
    assert fresh.fsck() == []
    fresh.close()


def test_an_object_of_another_name_is_not_believed(repository: GitStore, root: Path, clock: FakeClock) -> None:
    one, two = repository.keep([b"one", b"two"])
    damage(file_of(repository, one), file_of(repository, two).read_bytes())
    with pytest.raises(LoopxError) as error:
        repository.read(one)
    assert error.value.code == "repository-broken"


def test_a_damaged_loose_object_is_read_from_a_pack_that_holds_it(repository: GitStore, root: Path) -> None:
    [oid] = repository.keep([b"kept twice"])
    whole = file_of(repository, oid).read_bytes()
    land(repository, {"a": b"kept twice"})
    git(root, "gc", "-q")
    file_of(repository, oid).parent.mkdir(exist_ok=True)
    file_of(repository, oid).write_bytes(whole[:10])
    assert repository.read(oid) == b"kept twice"


def test_an_object_of_another_kind_is_not_taken_for_a_blob(repository: GitStore) -> None:
    written = land(repository, {"a": b"1"})
    with pytest.raises(LoopxError, match="is a tree, not a blob"):
        repository.read(written.tree)
    with pytest.raises(LoopxError, match="is a blob, not a commit"):
        repository.find(written.blobs["a"] or "", "a")


def test_what_is_written_is_on_disk_with_the_folders_that_hold_it_before_it_is_published(
    root: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = create(root, clock=clock)
    land(store, {"a/b": b"1"})
    flushed: list[tuple[int, int]] = []
    flush = os.fsync

    def noted(fd: int) -> None:
        found = os.fstat(fd)
        flushed.append((found.st_dev, found.st_ino))
        flush(fd)

    before = loose(store)
    monkeypatch.setattr(os, "fsync", noted)
    base = store.head()
    [written] = store.write(base, [draft({"a/b": b"2", "c": b"3"})])
    new = loose(store) - before
    assert len(new) == 5
    wanted = {store.git_dir / "objects" / name for name in new}
    wanted |= {path.parent for path in wanted}
    missing = [path for path in wanted if (path.stat().st_dev, path.stat().st_ino) not in flushed]
    assert missing == []
    flushed.clear()
    store.publish(written.oid, base)
    heads = (store.git_dir / "refs/heads").stat()
    assert (heads.st_dev, heads.st_ino) in flushed
    store.close()


def test_a_disk_that_cannot_flush_is_told_and_nothing_is_in_place(
    repository: GitStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    land(repository, {"a": b"1"})
    before = loose(repository)

    def failing(fd: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", failing)
        with pytest.raises(LoopxError) as error:
            repository.write(repository.head(), [draft({"a": b"2", "b/c/d": b"3"})])
    assert error.value.code == "disk-failed"
    assert loose(repository) == before


IN_A_SMALL_PLACE = """
import sys
from pathlib import Path
from loopx.errors import LoopxError
from loopx.store.git.repository import GitStore
from tests.store.building import RealClock, draft
store = GitStore(Path(sys.argv[1]), clock=RealClock())
import random
content = random.Random(1).randbytes(int(sys.argv[2]))
try:
    store.write(store.head(), [draft({"big": content, "small": b"1"})])
except LoopxError as error:
    print(error.code)
store.close()
"""


def run_limited(root: Path, size: int, limit: int) -> str:
    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-c", IN_A_SMALL_PLACE, str(root), str(size)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, preexec_fn=small, capture_output=True, text=True, env=environment, check=True)
    return done.stdout.strip()


def test_C10_a_disk_that_fills_up_leaves_no_object_and_no_temporary_file(repository: GitStore, root: Path) -> None:
    land(repository, {"a": b"1"})
    before, head = sorted((repository.git_dir / "objects").rglob("*")), repository.head()
    assert run_limited(root, size=60_000, limit=20_000) == "disk-full"
    files = [path for path in (repository.git_dir / "objects").rglob("*") if path.is_file()]
    assert sorted(files) == [path for path in before if path.is_file()]
    assert repository.head() == head
    assert run_limited(root, size=6_000, limit=20_000) == ""


def test_C10_a_full_tmpfs_is_told_and_the_old_content_stays(tmp_path: Path, clock: FakeClock) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("needs the right to mount a small file system")
    try:
        store = create(small / ".loopx", clock=clock)
        written = land(store, {"a": b"1"})
        (small / "filler").write_bytes(bytes(_free(small) - 8192))
        with pytest.raises(LoopxError) as full:
            store.write(written.oid, [draft({"a": os.urandom(20_000)})])
        assert full.value.code == "disk-full"
        assert store.head() == written.oid
        assert store.read(written.blobs["a"] or "") == b"1"
        assert list(store.git_dir.rglob("tmp_obj_*")) == []
        (small / "filler").unlink()
        land(store, {"a": b"2"})
        assert store.fsck() == []
        store.close()
    finally:
        subprocess.run(["umount", str(small)], check=True)


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """A folder where temporary files usually lie: a file system in memory may know no attributes."""
    with tempfile.TemporaryDirectory(prefix="loopx-tests-") as folder:
        yield Path(folder)


def _free(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def test_a_repository_that_may_not_be_written_is_told(clock: FakeClock, on_disk: Path) -> None:
    repository = create(on_disk / ".loopx", clock=clock)
    land(repository, {"a": b"1"})
    objects = repository.git_dir / "objects"
    subprocess.run(["chattr", "+i", str(objects)], capture_output=True)
    if _may_write(objects):
        pytest.skip("the file system cannot be told to refuse a write to root")
    try:
        with pytest.raises(LoopxError) as refused:
            repository.keep([b"%d" % n for n in range(50)])
        assert refused.value.code == "disk-refused"
    finally:
        subprocess.run(["chattr", "-i", str(objects)], check=True)
        repository.close()


def _may_write(folder: Path) -> bool:
    try:
        (folder / "probe").touch()
    except PermissionError:
        return False
    (folder / "probe").unlink()
    return True


@pytest.mark.parametrize("path", ["", "/a", "a//b", "a/", "../a", "a/../b", "./a", ".git/x", "a/.GIT/x", "a\0b"])
def test_a_path_that_cannot_be_in_a_tree_is_a_mistake_of_the_caller(repository: GitStore, path: str) -> None:
    with pytest.raises(ValueError, match="cannot be the path"):
        repository.write(None, [draft({path: b"1"})])


@pytest.mark.parametrize("changes", [{"a": b"1", "a/b": b"2"}, {"a/b": b"2", "a": b"1"}])
def test_a_file_that_is_to_be_a_folder_as_well_is_a_mistake_of_the_caller(
    repository: GitStore, changes: dict[str, bytes | None]
) -> None:
    with pytest.raises(ValueError, match="same change"):
        repository.write(None, [draft(changes)])
