"""History as others leave it: packed, cut short, rewritten, oddly made."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.git import commits
from loopx.store.git.repository import GitStore
from loopx.store.protocol import Draft, Signature
from tests.store.building import ADA, draft, git, land, place
from tests.support.clock import START, FakeClock


def test_H01_what_a_reference_of_ours_names_survives_a_squash_and_a_collection(
    repository: GitStore, root: Path, clock: FakeClock
) -> None:
    oids = [land(repository, {"a": b"%d" % n}).oid for n in range(5)]
    repository.anchor("snapshots/second", oids[1])
    git(root, "reset", "-q", "--soft", oids[0])
    git(root, "commit", "-q", "-m", "squashed")
    git(root, "update-ref", "-d", "refs/loopx/admitted")
    git(root, "reflog", "expire", "--expire=now", "--all")
    git(root, "gc", "-q", "--prune=now")
    fresh = GitStore(root, clock=clock)
    assert fresh.read(fresh.find(oids[1], "a").oid) == b"1"  # type: ignore[union-attr]
    assert not fresh.is_ancestor(oids[1], fresh.head() or "")
    with pytest.raises(LoopxError) as gone:
        fresh.find(oids[3], "a")
    assert gone.value.code == "repository-broken"
    with pytest.raises(LoopxError) as unknown:
        fresh.resolve(oids[3][:12])
    assert unknown.value.code == "revision-unknown"
    land(fresh, {"b": b"and on it goes"})
    fresh.close()


def test_H01_a_shallow_clone_tells_what_it_has_and_is_written_on(
    repository: GitStore, root: Path, tmp_path: Path, clock: FakeClock
) -> None:
    oids = [land(repository, {f"f{n}": b"%d" % n}).oid for n in range(4)]
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{root}", str(clone))
    store = GitStore(clone, clock=clock)
    told = list(store.history(oids[3], changes=True))
    assert [each.oid for each in told] == [oids[3], oids[2]]
    assert [change.path for change in told[1].changes] == ["f0", "f1", "f2"]
    assert not store.is_ancestor(oids[0], oids[3])
    written = land(store, {"new": b"1"})
    assert [each.oid for each in store.history(written.oid, oids[2])] == [written.oid, oids[3]]
    store.close()


def test_ancestry_is_told_beyond_what_is_walked_by_hand(repository: GitStore) -> None:
    first = land(repository, {"a": b"0"})
    chain = repository.write(first.oid, [draft({"a": b"%d" % n}) for n in range(1, 100)])
    assert repository.is_ancestor(first.oid, chain[-1].oid)
    assert not repository.is_ancestor(chain[-1].oid, first.oid)


@pytest.mark.parametrize("name", ["main@{0}", "HEAD^", "HEAD@{1}", "HEAD^{/first}", "a-tag", "refs/loopx/admitted~1"])
def test_every_spelling_git_knows_names_a_commit(repository: GitStore, root: Path, name: str) -> None:
    land(repository, {"a": b"1"}, "first")
    second = land(repository, {"a": b"2"}, "second")
    git(root, "tag", "-a", "-m", "x", "a-tag")
    assert repository.resolve(name) == git(root, "rev-parse", f"{name}^{{commit}}")
    assert repository.resolve("HEAD") == second.oid


def test_head_means_main_even_where_git_would_say_otherwise(repository: GitStore, root: Path) -> None:
    first, second = land(repository, {"a": b"1"}), land(repository, {"a": b"2"})
    git(root, "checkout", "-q", "-f", "--detach", first.oid)
    assert repository.resolve("HEAD") == second.oid
    assert repository.resolve("HEAD~1") == first.oid


def test_a_short_name_that_fits_two_commits_is_told_apart_from_an_unknown_one(repository: GitStore) -> None:
    # Among this many commits some two are bound to begin with the same four digits.
    prefixes = Counter(each.oid[:4] for each in repository.write(None, [draft({}, f"{n}") for n in range(1200)]))
    [(twice, count)] = prefixes.most_common(1)
    assert count > 1
    with pytest.raises(LoopxError, match="short for more than one") as ambiguous:
        repository.resolve(twice)
    assert ambiguous.value.code == "revision-unknown"
    assert ambiguous.value.problem.hint == "Write more of it."


def test_a_blob_is_no_revision(repository: GitStore) -> None:
    written = land(repository, {"a": b"1"})
    with pytest.raises(LoopxError) as unknown:
        repository.resolve(written.blobs["a"] or "")
    assert unknown.value.code == "revision-unknown"


def test_a_patch_is_the_plain_one_whatever_the_persons_taste(repository: GitStore, root: Path) -> None:
    for key, value in {
        "color.ui": "always",
        "diff.noprefix": "true",
        "diff.external": "/bin/false",
        "diff.renames": "copies",
        "core.pager": "/bin/false",
    }.items():
        git(root, "config", "--global", key, value)
    old = land(repository, {"a.md": b"one\ntwo\n", "b.md": b"b\n"})
    new = land(repository, {"a.md": b"one\n2\n", "b.md": b"B\n"})
    patch = repository.patch(old.oid, new.oid, ["a.md"])
    assert patch.startswith("diff --git a/a.md b/a.md\n")
    assert "\n-two\n+2\n" in patch
    assert "b.md" not in patch
    assert "b/b.md" in repository.patch(old.oid, new.oid)
    assert "+++ b/a.md" in repository.patch(None, new.oid)
    assert repository.patch(new.oid, new.oid) == ""


def test_a_patch_on_a_machine_without_git_is_told(repository: GitStore, root: Path) -> None:
    written = land(repository, {"a": b"1"})
    script = (
        "import sys; from pathlib import Path; from loopx.errors import LoopxError\n"
        "from loopx.store.git.repository import GitStore; from tests.store.building import RealClock\n"
        "try: GitStore(Path(sys.argv[1]), clock=RealClock()).patch(None, sys.argv[2])\n"
        "except LoopxError as error: print(error.code)"
    )
    here = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", script, str(root), written.oid],
        env={**os.environ, "PATH": "/nowhere", "PYTHONPATH": here},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "git-missing\n", done.stderr


def test_a_path_with_stars_in_it_is_no_pattern(repository: GitStore) -> None:
    written = land(repository, {"a*": b"star\n", "ab": b"plain\n"})
    assert "plain" not in repository.patch(None, written.oid, ["a*"])


def test_a_patch_of_a_commit_that_is_not_there_is_told(repository: GitStore) -> None:
    written = land(repository, {"a": b"1"})
    with pytest.raises(LoopxError) as error:
        repository.patch("1" * 40, written.oid)
    assert error.value.code in ("repository-broken", "git-failed")


def test_commits_made_by_other_programs_are_read_as_far_as_they_can_be(repository: GitStore, root: Path) -> None:
    tree = land(repository, {"a": b"1"}).tree
    text = (
        f"tree {tree}\nauthor J\u00f6rg <j@x> 1700000000 -0330\ncommitter  <> 99999999999999 +9900\n"
        "encoding ISO-8859-1\ngpgsig -----BEGIN\n parent of nothing\n -----END\n\nS\u00fc\u00df\n"
    ).encode("latin-1")
    oid = git(root, "hash-object", "-t", "commit", "-w", "--stdin", "--literally", given=text)
    [commit] = repository.history(oid)
    assert commit.message == "Süß\n"
    assert commit.parents == ()
    assert commit.authored_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert commit.authored_at.utcoffset() == -timedelta(hours=3, minutes=30)
    assert commit.committed_at == datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("head", "author"),
    [
        (b"author A <a@b> 1 +0000", Signature("A", "a@b")),
        (b"author broken", Signature("", "")),
        (b"author A <a@b> 1 +0000\nencoding no-such-code", Signature("A", "a@b")),
    ],
)
def test_a_commit_without_a_readable_author_is_by_nobody(head: bytes, author: Signature) -> None:
    found = commits.parse("0" * 40, b"tree " + b"1" * 40 + b"\n" + head + b"\n\nwords")
    assert (found.author, found.message) == (author, "words")


@pytest.mark.parametrize(
    "name", ["", " ", "<", "A <b>", "two\nlines", '"quoted"', "Ünï ☃", "\udce9", "a" * 500, "x\0y"]
)
def test_whatever_somebody_is_called_the_commit_is_sound(repository: GitStore, root: Path, name: str) -> None:
    who = Signature(name, "a@b.example")
    [written] = repository.write(None, [Draft({"a": b"1"}, "word\0\n\n\n", who, who, START)])
    repository.publish(written.oid, None)
    assert repository.fsck() == []
    assert git(root, "log", "-1", "--format=%ae %B").strip() == "a@b.example word"
    [commit] = repository.history(written.oid)
    assert commit.author.email == "a@b.example"
    assert commit.author.name


def test_a_commits_time_needs_an_offset(repository: GitStore) -> None:
    with pytest.raises(ValueError, match="offset"):
        repository.write(None, [Draft({"a": b"1"}, "x", ADA, ADA, datetime(2026, 1, 1))])


def test_a_change_of_mode_alone_is_a_difference_with_equal_sides(repository: GitStore, root: Path) -> None:
    first = land(repository, {"a": b"1"})
    place(root, {"a": b"1"})
    git(root, "update-index", "--chmod=+x", "a")
    git(root, "commit", "-q", "-m", "executable")
    [change] = repository.compare(first.oid, repository.head() or "")
    assert (change.path, change.before, change.after) == ("a", repository.hash(b"1"), repository.hash(b"1"))


def test_links_and_submodules_of_others_are_listed_with_their_modes(repository: GitStore, root: Path) -> None:
    land(repository, {"a": b"1"})
    link = repository.keep([b"a"])[0]
    git(root, "update-index", "--add", "--cacheinfo", f"120000,{link},link")
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    git(root, "commit", "-q", "-m", "oddities")
    head = repository.head() or ""
    assert {entry.path: entry.mode for entry in repository.listing(head)} == {
        "a": 0o100644,
        "link": 0o120000,
        "module": 0o160000,
    }
    written = land(repository, {"link": b"a file now"})
    assert repository.find(written.oid, "link").mode == 0o100644  # type: ignore[union-attr]
    assert git(root, "diff-index", "--cached", "--name-only", "HEAD") == ""
