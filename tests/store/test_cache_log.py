"""What the cache answers about history."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from loopx.store.cache import Cache, CommitRow, VersionRow


@pytest.fixture
def cache() -> Iterator[Cache]:
    made = Cache(None)
    yield made
    made.close()


def commit(oid: str, *ids: str, **given: object) -> CommitRow:
    row = CommitRow(
        0, oid, "2026-01-01T00:00:00Z", "Ada", "human:Ada", "command", "todo add", f"op-{oid}", "todo t-1", "beta",
        "todo: add t-1", "{}", json.dumps(ids), "[]",
    )  # fmt: skip
    return row._replace(**given)


def oids(rows: list[CommitRow]) -> list[str]:
    return [row.oid for row in rows]


def test_a_commit_comes_back_as_it_went_in_with_its_number(cache: Cache) -> None:
    row = commit("a", "t-1", result='{"added": true}', operation=None)
    assert cache.add_commit(row) == 1
    assert cache.commit_at("a") == row._replace(seq=1)
    assert cache.commit_at("b") is None


def test_numbers_grow_along_history_and_a_known_commit_keeps_its_own(cache: Cache) -> None:
    assert [cache.add_commit(commit(oid)) for oid in "abab"] == [1, 2, 1, 2]
    assert cache.add_commit(commit("c", seq=7)) == 7
    assert cache.add_commit(commit("d")) == 8


def test_the_log_is_told_newest_first_by_whatever_is_asked(cache: Cache) -> None:
    cache.add_commit(commit("a", "t-1", "t-2"))
    cache.add_commit(commit("b", "t-2", actor="agent:bot", at="2026-01-02T00:00:00Z"))
    cache.add_commit(commit("c", "t-2", "t-2", command="todo done", at="2026-01-03T00:00:00Z", goal="alpha"))
    assert oids(cache.commits()) == ["c", "b", "a"]
    assert oids(cache.commits("t-2", limit=2)) == ["c", "b"]
    assert oids(cache.commits("t-1")) == ["a"]
    assert oids(cache.commits(actor="agent:bot")) == ["b"]
    assert oids(cache.commits("t-2", command="todo add")) == ["b", "a"]
    assert oids(cache.commits(since="2026-01-02T00:00:00Z")) == ["c", "b"]
    assert oids(cache.commits(goal="beta", actor="human:Ada")) == ["a"]
    assert cache.commits("t-9") == cache.commits(limit=0) == []


def test_an_operation_is_found_by_its_id_and_may_be_superseded(cache: Cache) -> None:
    cache.add_commit(commit("a", operation="op-1"))
    cache.add_commit(commit("b", operation=None))
    assert cache.operation("op-1").oid == "a"  # type: ignore[union-attr]
    assert cache.operation("op-2") is None
    cache.mark_superseded("op-1", "op-9")
    assert cache.operation("op-1").superseded_by == "op-9"  # type: ignore[union-attr]
    assert cache.commit_at("b").superseded_by is None  # type: ignore[union-attr]


def test_of_two_commits_with_one_operation_the_first_holds_the_receipt(cache: Cache) -> None:
    cache.add_commit(commit("a", operation="op-1"))
    cache.add_commit(commit("b", operation="op-1"))
    assert cache.operation("op-1").oid == "a"  # type: ignore[union-attr]


def test_every_version_of_a_path_is_known_newest_first(cache: Cache) -> None:
    cache.add_version("a.md", "one", 1, "c1")
    cache.add_version("a.md", "two", 2, "c2")
    cache.add_version("a.md", "one", 3, "c3")
    cache.add_version("a.md", "one", 3, "c3")
    cache.add_version("b.md", "three", 3, "c3")
    assert cache.versions("a.md") == [
        VersionRow("a.md", "one", 3, "c3"),
        VersionRow("a.md", "two", 2, "c2"),
        VersionRow("a.md", "one", 1, "c1"),
    ]
    assert cache.has_version("a.md", "two")
    assert not cache.has_version("a.md", "three")


def test_an_id_once_known_stays_known(cache: Cache) -> None:
    assert not cache.is_known("t-1")
    cache.add_known("t-1")
    cache.add_known("t-1")
    assert cache.is_known("t-1")


def test_the_last_change_is_the_newest_commit_that_touched_a_goal_but_for_some_commands(cache: Cache) -> None:
    cache.add_commit(commit("a", "t-1", "beta", at="2026-01-01T00:00:00Z"))
    cache.add_commit(commit("b", "t-2", "alpha", at="2026-01-02T00:00:00Z", goal="alpha"))
    cache.add_commit(commit("c", "t-1", "beta", at="2026-01-03T00:00:00Z", command="lease renew"))
    assert cache.last_change("beta") == "2026-01-03T00:00:00Z"
    assert cache.last_change("beta", ["lease renew", "evidence add"]) == "2026-01-01T00:00:00Z"
    assert cache.last_change("beta", ["lease renew", "todo add"]) is None
    assert cache.last_change("alpha", ["lease renew"]) == "2026-01-02T00:00:00Z"
    assert cache.last_change("gamma") is None


def test_an_edit_of_several_documents_is_a_change_of_each_goal_it_touched(cache: Cache) -> None:
    """Its receipt speaks of no Goal."""
    cache.add_commit(commit("a", "t-1", "beta", "t-2", "alpha", command="edit", goal="", at="2026-01-04T00:00:00Z"))
    assert cache.last_change("beta") == cache.last_change("alpha") == "2026-01-04T00:00:00Z"


def test_of_two_changes_the_one_later_in_history_is_the_last_whatever_its_clock_said(cache: Cache) -> None:
    cache.add_commit(commit("a", "beta", at="2026-01-09T00:00:00Z"))
    cache.add_commit(commit("b", "beta", at="2026-01-02T00:00:00Z"))
    assert cache.last_change("beta") == "2026-01-02T00:00:00Z"
