"""Git's index beside our commits: true for what we wrote, untouched for what a person did."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.git.repository import GitStore
from loopx.store.git.setup import create
from tests.store.building import draft, git, land, place
from tests.support.clock import FakeClock

FILES = {"a/one.md": b"1\n", "a/two.md": b"2\n", "b.md": b"3\n"}


@pytest.fixture
def landed(repository: GitStore, root: Path) -> GitStore:
    """A store with three files in history, index and folder."""
    land(repository, FILES)
    place(root, FILES)
    return repository


def rewrite(store: GitStore, root: Path, path: str = "a/one.md", content: bytes = b"ours\n") -> None:
    land(store, {path: content})
    place(root, {path: content})


def staged(root: Path) -> dict[str, str]:
    """Paths of the index to their oids."""
    rows = (row.split("\t") for row in git(root, "ls-files", "-s", "-z").split("\0") if row)
    return {path: facts.split()[1] for facts, path in rows}


def test_git_sees_a_clean_folder_after_a_write(landed: GitStore, root: Path) -> None:
    rewrite(landed, root)
    land(landed, {"b.md": None, "new/deep/file.md": b"n"})
    place(root, {"b.md": None, "new/deep/file.md": b"n"})
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "diff-index", "--cached", "--name-only", "HEAD") == ""
    assert sorted(staged(root)) == ["a/one.md", "a/two.md", "new/deep/file.md"]


def test_what_a_person_staged_stays_staged(landed: GitStore, root: Path) -> None:
    place(root, {"mine.md": b"mine", "b.md": b"edited"})
    git(root, "add", "mine.md", "b.md")
    rewrite(landed, root)
    assert git(root, "diff-index", "--cached", "--name-only", "HEAD") == "b.md\nmine.md"


def test_G04_a_long_lived_store_sees_what_was_staged_beside_it(landed: GitStore, root: Path) -> None:
    rewrite(landed, root)
    place(root, {"ext.md": b"theirs"})
    git(root, "add", "ext.md")
    rewrite(landed, root, content=b"again\n")
    assert git(root, "status", "--porcelain") == "A  ext.md"


def test_G05_intent_to_add_and_flags_survive_a_write(landed: GitStore, root: Path) -> None:
    place(root, {"draft.md": b"not yet"})
    git(root, "add", "-N", "draft.md")
    git(root, "update-index", "--skip-worktree", "a/two.md")
    git(root, "update-index", "--assume-unchanged", "b.md")
    before = staged(root)["draft.md"]
    rewrite(landed, root)
    assert landed.find(landed.head() or "", "draft.md") is None
    assert git(root, "ls-files", "-v") == "H a/one.md\nS a/two.md\nh b.md\nH draft.md"
    assert staged(root)["draft.md"] == before
    assert git(root, "status", "--porcelain") == " A draft.md"


def test_G17_a_hidden_file_is_reported_and_stays_hidden_when_written(landed: GitStore, root: Path) -> None:
    assert landed.hidden_paths() == []
    git(root, "update-index", "--skip-worktree", "a/one.md")
    git(root, "update-index", "--assume-unchanged", "b.md")
    rewrite(landed, root)
    rewrite(landed, root, "b.md", b"also ours\n")
    assert landed.hidden_paths() == ["a/one.md", "b.md"]
    assert git(root, "diff-index", "--cached", "--name-only", "HEAD") == ""


def test_G06_a_staged_hunk_of_another_file_stays_and_one_of_the_written_file_is_told(
    landed: GitStore, root: Path
) -> None:
    place(root, {"a/one.md": b"half\n"})
    git(root, "add", "a/one.md")
    half = landed.hash(b"half\n")
    rewrite(landed, root, "b.md")
    assert staged(root)["a/one.md"] == half
    [written] = landed.write(landed.head(), [draft({"a/one.md": b"whole\n"})])
    lock = landed.lock_index(written.blobs, 0)
    assert lock.replaced == {"a/one.md": half}
    lock.abandon()


def test_the_executable_bit_of_a_file_survives_in_history_and_index(landed: GitStore, root: Path) -> None:
    (root / "a/one.md").chmod(0o755)
    git(root, "commit", "-q", "-am", "executable")
    rewrite(landed, root)
    assert git(root, "ls-files", "-s", "a/one.md").startswith("100755")
    assert git(root, "status", "--porcelain") == ""


def test_a_folder_in_place_of_a_file_leaves_no_ghost_in_the_index(landed: GitStore, root: Path) -> None:
    land(landed, {"b.md": None, "b.md/now": b"x", "a": b"file now"})
    assert sorted(staged(root)) == ["a", "b.md/now"]
    assert git(root, "diff-index", "--cached", "--name-only", "HEAD") == ""


def test_an_unmerged_path_that_is_written_is_merged_by_it(landed: GitStore, root: Path) -> None:
    oids = [landed.keep([content])[0] for content in (b"base", b"ours", b"theirs")]
    lines = "".join(f"100644 {oid} {stage}\tb.md\n" for stage, oid in enumerate(oids, 1))
    git(root, "update-index", "--index-info", given=f"0 {'0' * 40}\tb.md\n{lines}".encode())
    assert git(root, "ls-files", "-u", "b.md").count("\n") == 2
    rewrite(landed, root, "b.md")
    assert git(root, "status", "--porcelain") == ""


def test_a_very_long_path_is_indexed(landed: GitStore, root: Path) -> None:
    path = "/".join(["x" * 200] * 21) + "/end"
    assert len(path) > 4096
    written = land(landed, {path: b"deep"})
    assert staged(root)[path] == written.blobs[path]


@pytest.fixture(params=["split", "version 4", "sparse", "untracked cache", "sha256"])
def special(request: pytest.FixtureRequest, root: Path, clock: FakeClock) -> Iterator[GitStore]:
    """A store whose index is of a special kind."""
    if request.param == "sha256":
        root.mkdir(parents=True)
        git(root, "init", "-q", "-b", "main", "--object-format=sha256")
    store = create(root, clock=clock)
    land(store, FILES)
    place(root, FILES)
    match request.param:
        case "split":
            git(root, "config", "core.splitIndex", "true")
            git(root, "update-index", "--split-index")
        case "version 4":
            git(root, "update-index", "--index-version", "4")
        case "sparse":
            git(root, "sparse-checkout", "set", "--cone", "--sparse-index", "other")
        case "untracked cache":
            git(root, "update-index", "--untracked-cache")
            git(root, "status")
    yield store
    store.close()


def test_G16_an_index_of_a_special_kind_is_kept_in_step(special: GitStore, root: Path) -> None:
    place(root, {"mine.md": b"mine"})
    git(root, "add", "--sparse", "mine.md")
    for content in (b"first\n", b"second\n"):
        land(special, {"a/one.md": content, "a/new.md": content, "b.md": None if content == b"second\n" else b"x"})
    assert git(root, "diff-index", "--cached", "--name-only", "HEAD") == "mine.md"
    assert sorted(staged(root)) == ["a/new.md", "a/one.md", "a/two.md", "mine.md"]
    assert [path.name for path in special.git_dir.glob("index*") if "loopx" in path.name] == []
    assert special.fsck() == []


@pytest.mark.parametrize("damage", ["missing", "empty", "all NUL", "cut short", "one byte wrong"])
def test_a_missing_or_damaged_index_is_made_anew_from_main(landed: GitStore, root: Path, damage: str) -> None:
    index = landed.git_dir / "index"
    whole = index.read_bytes()
    damaged = {
        "empty": b"",
        "all NUL": bytes(len(whole)),
        "cut short": whole[:100],
        "one byte wrong": whole[:80] + b"\xff" + whole[81:],
    }
    if damage == "missing":
        index.unlink()
    else:
        index.write_bytes(damaged[damage])
    rewrite(landed, root)
    assert git(root, "status", "--porcelain") == ""


def test_G10_a_lock_given_back_in_time_is_waited_for(landed: GitStore, root: Path, clock: FakeClock) -> None:
    lock = landed.git_dir / "index.lock"
    lock.touch()
    clock.while_waiting = lambda: lock.unlink() if len(clock.waits) == 3 else None
    landed.lock_index({}, 10).commit()
    assert len(clock.waits) == 3


def test_G10_a_lock_kept_too_long_is_named_with_its_age_and_never_removed(landed: GitStore, clock: FakeClock) -> None:
    lock = landed.git_dir / "index.lock"
    lock.touch()
    clock.advance(seconds=lock.stat().st_mtime - clock.now().timestamp() + 90)
    with pytest.raises(LoopxError) as busy:
        landed.lock_index({"a/one.md": landed.hash(b"1\n")}, 2)
    assert busy.value.code == "repository-busy"
    assert busy.value.problem.facts == {"lock": str(lock), "age_seconds": 92.0}
    assert sum(clock.waits) == pytest.approx(2)
    assert lock.read_bytes() == b""


def test_the_prepared_index_is_seen_by_nobody_until_it_is_put_into_place(landed: GitStore, root: Path) -> None:
    before = staged(root)
    lock = landed.lock_index({"a/one.md": landed.hash(b"2\n")}, 0)
    assert staged(root) == before
    assert lock.inode == (landed.git_dir / "index.lock").stat().st_ino
    assert "File exists" in git_fails(root, "add", "b.md")
    lock.commit()
    assert staged(root)["a/one.md"] == landed.hash(b"2\n")


def test_an_abandoned_lock_leaves_the_index_and_the_next_write_right(landed: GitStore, root: Path) -> None:
    before = staged(root)
    landed.lock_index({"a/one.md": None}, 0).abandon()
    assert staged(root) == before
    rewrite(landed, root)
    assert git(root, "status", "--porcelain") == ""


def test_a_lock_somebody_took_away_is_not_pulled_from_under_them(landed: GitStore, root: Path) -> None:
    lock = landed.lock_index({"a/one.md": None}, 0)
    file = landed.git_dir / "index.lock"
    theirs = landed.git_dir / "theirs"
    theirs.touch()
    theirs.replace(file)
    with pytest.raises(LoopxError) as busy:
        lock.commit()
    assert busy.value.code == "repository-busy"
    lock.abandon()
    assert file.exists()
    assert "a/one.md" in staged(root)


def test_a_store_that_cannot_prepare_the_index_leaves_no_lock(
    landed: GitStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(landed.root, "update-index", "--index-version", "4")
    monkeypatch.setattr(landed._git, "_environment", {"PATH": "/nowhere"})
    with pytest.raises(LoopxError) as error:
        landed.lock_index({"a/one.md": None}, 0)
    assert error.value.code == "git-missing"
    assert not (landed.git_dir / "index.lock").exists()


def git_fails(root: Path, *arguments: str) -> str:
    import subprocess

    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    assert done.returncode != 0
    return done.stderr
