"""A repository of another user: told as such, with the remedy, before anything is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.git.repository import GitStore
from tests.store.building import draft, git, land
from tests.support.clock import FakeClock

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
SOMEBODY = 12345


@pytest.fixture
def given_away(repository: GitStore, root: Path, clock: FakeClock) -> GitStore:
    """A repository with one commit, now another user's."""
    land(repository, {"a": b"1"})
    for path in (root, *root.rglob("*")):
        os.lchown(path, SOMEBODY, SOMEBODY)
    return GitStore(root, clock=clock)


def test_G25_a_write_names_the_owner_as_the_reason_and_writes_nothing(given_away: GitStore) -> None:
    before = sorted(given_away.git_dir.rglob("*"))
    for attempt in (
        lambda: given_away.write(given_away.head(), [draft({"a": b"2"})]),
        lambda: given_away.keep([b"x"]),
        lambda: given_away.anchor("snapshots/x", "0" * 40),
    ):
        with pytest.raises(LoopxError) as refused:
            attempt()
        assert refused.value.code == "repository-owner"
        assert "safe.directory" in refused.value.problem.hint
    assert sorted(given_away.git_dir.rglob("*")) == before


def test_G25_reading_goes_on(given_away: GitStore) -> None:
    entry = given_away.find(given_away.head() or "", "a")
    assert entry is not None
    assert given_away.read(entry.oid) == b"1"


def test_G25_a_packed_read_names_the_owner_too(given_away: GitStore) -> None:
    with pytest.raises(LoopxError) as refused:
        given_away.read(given_away.hash(b"not loose"))
    assert refused.value.code == "repository-owner"


def test_G25_the_remedy_works(given_away: GitStore, root: Path) -> None:
    git(root.parent, "config", "--global", "--add", "safe.directory", str(root))
    land(given_away, {"a": b"2"})
    given_away.close()
