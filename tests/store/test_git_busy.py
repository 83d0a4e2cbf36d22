"""What a person began with Git in the workspace and has not finished stops writes and is named; reads go on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.git.environment import Limits
from loopx.store.git.repository import GitStore
from tests.store.building import draft, git, land, place
from tests.support.clock import FakeClock


@pytest.fixture
def forked(repository: GitStore, root: Path) -> GitStore:
    """A store on main, with a branch ``other`` that conflicts with it."""
    land(repository, {"a": b"base\n"})
    git(root, "branch", "other")
    land(repository, {"a": b"ours\n"}, "ours")
    place(root, {"a": b"ours\n"})
    git(root, "worktree", "add", "-q", "../side", "other")
    (root.parent / "side" / "a").write_text("theirs\n")
    git(root.parent / "side", "commit", "-q", "-am", "theirs")
    git(root, "worktree", "remove", "../side")
    return repository


def attempt(root: Path, *arguments: str) -> None:
    """Run a Git command that is expected to stop half way."""
    subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False)


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        (("merge", "other"), "a merge"),
        (("rebase", "other"), "a rebase"),
        (("cherry-pick", "other"), "a cherry-pick"),
        (("revert", "HEAD~1"), "a revert"),
        (("am", "../patch"), "patches"),
        (("bisect", "start"), "a bisection"),
        (("checkout", "--detach", "-q"), "detached"),
        (("checkout", "-q", "other"), "branch other"),
        (("symbolic-ref", "HEAD", "refs/heads/unborn"), "branch unborn"),
        (("update-ref", "-d", "refs/heads/main"), "main is gone"),
    ],
)
def test_G13_an_unfinished_operation_is_named(forked: GitStore, root: Path, begin: tuple[str, ...], said: str) -> None:
    (root.parent / "patch").write_text(git(root, "format-patch", "--stdout", "-1", "other") + "\n")
    assert forked.busy() is None
    head = forked.head()
    attempt(root, *begin)
    assert said in (forked.busy() or "")
    if "gone" not in said:
        assert forked.head() == head, "reading main goes on"


def test_G13_a_finished_operation_is_no_longer_named(forked: GitStore, root: Path) -> None:
    attempt(root, "merge", "other")
    git(root, "merge", "--abort")
    assert forked.busy() is None


def test_G07_a_hook_of_a_persons_commit_is_no_place_to_write_from(
    forked: GitStore, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    assert "hook" in (forked.busy() or "")
    monkeypatch.chdir(tmp_path)
    assert forked.busy() is None, "another repository's hook is none of ours"


def test_G14_a_repository_without_a_commit_is_free_and_empty(repository: GitStore) -> None:
    assert repository.busy() is None
    assert repository.head() is None
    with pytest.raises(LoopxError) as unknown:
        repository.resolve("HEAD")
    assert unknown.value.code == "revision-unknown"
    assert repository.fsck() == []
    written = land(repository, {"a": b"1"})
    assert [commit.oid for commit in repository.history(written.oid)] == [written.oid]
    assert repository.fsck() == []


def test_references_are_read_wherever_git_put_them(forked: GitStore, root: Path) -> None:
    head, admitted = forked.head(), forked.admitted()
    git(root, "pack-refs", "--all")
    assert not (forked.git_dir / "refs/heads/main").exists()
    assert (forked.head(), forked.admitted()) == (head, admitted)
    written = land(forked, {"b": b"after packing"})
    assert forked.head() == written.oid
    forked.anchor("snapshots/x", written.oid)
    git(root, "pack-refs", "--all")
    forked.anchor("snapshots/x", None)
    assert git(root, "for-each-ref", "refs/loopx/snapshots") == ""


@pytest.mark.parametrize("content", ["", "not an oid\n", "0" * 39])
def test_a_damaged_reference_is_told_and_not_taken_for_absent(forked: GitStore, content: str) -> None:
    (forked.git_dir / "refs/heads/main").write_text(content)
    with pytest.raises(LoopxError) as error:
        forked.head()
    assert error.value.code == "repository-broken"


@pytest.mark.parametrize("content", [None, "ref: refs/heads/.invalid\n"])
def test_a_head_that_cannot_be_read_is_told(forked: GitStore, content: str | None) -> None:
    head = forked.git_dir / "HEAD"
    head.unlink()
    if content is not None:
        head.write_text(content)
    with pytest.raises(LoopxError) as error:
        forked.busy()
    assert error.value.code == "repository-broken"


def test_a_reference_lock_given_back_in_time_is_waited_for(forked: GitStore, clock: FakeClock) -> None:
    lock = forked.git_dir / "refs/heads/main.lock"
    [written] = forked.write(forked.head(), [draft({"b": b"1"})])
    lock.touch()
    clock.while_waiting = lambda: lock.unlink(missing_ok=True)
    forked.publish(written.oid, forked.head())
    assert forked.head() == written.oid


def test_a_reference_lock_kept_too_long_is_named_and_never_removed(
    forked: GitStore, root: Path, clock: FakeClock
) -> None:
    hasty = GitStore(root, clock=clock, limits=Limits(references=0.01))
    lock = forked.git_dir / "refs/heads/main.lock"
    head = forked.head()
    [written] = forked.write(head, [draft({"b": b"1"})])
    lock.touch()
    with pytest.raises(LoopxError) as busy:
        hasty.publish(written.oid, head)
    hasty.close()
    assert busy.value.code == "repository-busy"
    assert busy.value.problem.facts["lock"] == str(lock)
    assert lock.exists()
    assert forked.head() == head
