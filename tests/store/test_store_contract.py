"""The store's contract, held against every store there is."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from loopx.errors import LoopxError
from loopx.store.protocol import Entry, PathChange, Store
from tests.store.building import ADA, BOT, draft, land
from tests.support.clock import START


def paths(store: Store, commit: str, under: str = "") -> list[str]:
    return [entry.path for entry in store.listing(commit, under)]


def test_a_new_store_holds_nothing_and_is_not_busy(store: Store) -> None:
    assert (store.head(), store.admitted(), store.busy()) == (None, None, None)


def test_writing_moves_no_reference(store: Store) -> None:
    store.write(None, [draft({"a": b"1"})])
    assert (store.head(), store.admitted()) == (None, None)


def test_publishing_moves_main_and_admitting_moves_admitted(store: Store) -> None:
    [written] = store.write(None, [draft({"a": b"1"})])
    store.publish(written.oid, None)
    assert (store.head(), store.admitted()) == (written.oid, None)
    store.admit(written.oid)
    assert store.admitted() == written.oid


def test_publishing_over_somebody_elses_commit_is_refused_and_changes_nothing(store: Store) -> None:
    first = land(store, {"a": b"1"})
    [mine] = store.write(first.oid, [draft({"a": b"mine"})])
    theirs = land(store, {"a": b"theirs"})
    with pytest.raises(LoopxError) as refused:
        store.publish(mine.oid, first.oid)
    assert refused.value.code == "head-moved"
    assert refused.value.problem.facts["actual"] == theirs.oid
    assert store.head() == theirs.oid


def test_a_first_commit_is_not_published_over_another_first_commit(store: Store) -> None:
    land(store, {"a": b"1"})
    [late] = store.write(None, [draft({"b": b"2"})])
    with pytest.raises(LoopxError, match="not where it was"):
        store.publish(late.oid, None)


def test_publishing_on_a_main_that_is_not_there_is_refused(store: Store) -> None:
    [one, two] = store.write(None, [draft({"a": b"1"}), draft({"a": b"2"})])
    with pytest.raises(LoopxError) as refused:
        store.publish(two.oid, one.oid)
    assert refused.value.code == "head-moved"
    assert store.head() is None


def test_publishing_what_main_already_names_is_no_error(store: Store) -> None:
    written = land(store, {"a": b"1"})
    store.publish(written.oid, None)
    assert store.head() == written.oid


def test_what_was_written_is_read_back_byte_for_byte(store: Store) -> None:
    content = bytes(range(256)) + "\r\n中文\n".encode()
    written = land(store, {"goals/x/goal.md": content})
    assert store.read(written.blobs["goals/x/goal.md"] or "") == content


def test_reading_a_blob_that_is_not_there_says_the_repository_is_broken(store: Store) -> None:
    absent = store.hash(b"never written")
    for ask in (lambda: store.read(absent), lambda: list(store.read_many([absent]))):
        with pytest.raises(LoopxError) as error:
            ask()
        assert error.value.code == "repository-broken"


def test_many_blobs_are_read_at_once_each_one_once(store: Store) -> None:
    oids = store.keep([b"%d" % n for n in range(150)])
    found = list(store.read_many([*oids, *oids]))
    assert len(found) == 150
    assert dict(found) == {oid: b"%d" % n for n, oid in enumerate(oids)}


def test_hashing_gives_the_oid_that_keeping_gives_and_writes_nothing(store: Store) -> None:
    oid = store.hash(b"kept later")
    with pytest.raises(LoopxError, match="missing"):
        store.read(oid)
    assert store.keep([b"kept later"]) == [oid]
    assert store.read(oid) == b"kept later"


def test_a_file_is_found_by_its_path_and_a_folder_is_no_file(store: Store) -> None:
    written = land(store, {"goals/x/goal.md": b"1"})
    oid = store.hash(b"1")
    assert store.find(written.oid, "goals/x/goal.md") == Entry("goals/x/goal.md", oid, 0o100644)
    for absent in ("goals", "goals/x", "goals/x/goal.md/deeper", "goals/y/goal.md", "other"):
        assert store.find(written.oid, absent) is None


def test_a_listing_comes_in_path_order_and_keeps_to_its_folder(store: Store) -> None:
    names = ["a.b", "a/x", "a/y/z", "ab/x", "a-b", "b", "é"]
    written = land(store, dict.fromkeys(names, b""))
    assert paths(store, written.oid) == sorted(names)
    assert paths(store, written.oid, "a") == ["a/x", "a/y/z"]
    assert paths(store, written.oid, "a/y/") == ["a/y/z"]
    assert paths(store, written.oid, "b") == []
    assert paths(store, written.oid, "nowhere") == []


def test_a_write_changes_the_paths_it_names_and_no_other(store: Store) -> None:
    before = land(store, {"a/one": b"1", "a/two": b"2", "b/three": b"3"})
    after = land(store, {"a/one": b"new", "c/four": b"4"})
    assert paths(store, after.oid) == ["a/one", "a/two", "b/three", "c/four"]
    assert store.find(after.oid, "a/two") == store.find(before.oid, "a/two")
    assert store.read(store.find(after.oid, "a/one").oid) == b"new"  # type: ignore[union-attr]


def test_removing_the_last_file_of_a_folder_removes_the_folder(store: Store) -> None:
    land(store, {"a/b/c": b"1", "d": b"2"})
    after = land(store, {"a/b/c": None})
    assert paths(store, after.oid) == ["d"]
    assert after.blobs == {"a/b/c": None}


def test_removing_everything_leaves_an_empty_commit_that_can_be_built_on(store: Store) -> None:
    land(store, {"a": b"1"})
    empty = land(store, {"a": None})
    assert paths(store, empty.oid) == []
    assert paths(store, land(store, {"b/c": b"2"}).oid) == ["b/c"]


def test_removing_a_path_that_is_not_there_changes_nothing(store: Store) -> None:
    before = land(store, {"a/b": b"1"})
    assert land(store, {"x/y": None, "a/c": None, "a": None}).tree == before.tree


def test_a_folder_takes_the_place_of_a_file_and_a_file_that_of_a_folder(store: Store) -> None:
    land(store, {"a": b"file", "b/c": b"in a folder", "b/d/e": b"deeper"})
    after = land(store, {"a/x": b"1", "b": b"file now"})
    assert paths(store, after.oid) == ["a/x", "b"]


def test_a_chain_of_drafts_is_written_each_on_the_one_before(store: Store) -> None:
    base = land(store, {"a": b"1"})
    chain = store.write(
        base.oid, [draft({"b": b"2"}, "second"), draft({"a": None}, "third"), draft({"c": b"3"}, "last")]
    )
    store.publish(chain[-1].oid, base.oid)
    assert [commit.message for commit in store.history(chain[-1].oid, base.oid)] == ["last\n", "third\n", "second\n"]
    assert [paths(store, each.oid) for each in chain] == [["a", "b"], ["b"], ["b", "c"]]


def test_G22_a_write_that_changes_nothing_shows_it_by_its_tree(store: Store) -> None:
    base = land(store, {"a/b": b"1", "c": b"2"})
    [same, none] = store.write(base.oid, [draft({"a/b": b"1"}), draft({})])
    assert same.tree == none.tree == base.tree


def test_a_digest_over_paths_is_equal_exactly_when_they_and_their_contents_are(store: Store) -> None:
    one = land(store, {"a": b"1", "b": b"2", "c": b"3"})
    two = land(store, {"c": b"other"})
    assert store.tree_digest(one.oid, ["a", "b"]) == store.tree_digest(two.oid, ["b", "a"])
    assert store.tree_digest(one.oid, ["a", "c"]) != store.tree_digest(two.oid, ["a", "c"])
    assert store.tree_digest(one.oid, ["a"]) != store.tree_digest(one.oid, ["b"])
    assert store.tree_digest(one.oid, ["a", "gone"]) != store.tree_digest(one.oid, ["a"])


def test_a_comparison_names_every_path_that_differs_in_path_order(store: Store) -> None:
    old = land(store, {"a/b": b"1", "a.txt": b"2", "same": b"3", "was-file": b"4"})
    new = land(store, {"a/b": b"changed", "a.txt": None, "z": b"new", "was-file": None, "was-file/now": b"folder"})
    hashed = store.hash
    assert store.compare(old.oid, new.oid) == [
        PathChange("a.txt", hashed(b"2"), None),
        PathChange("a/b", hashed(b"1"), hashed(b"changed")),
        PathChange("was-file", hashed(b"4"), None),
        PathChange("was-file/now", None, hashed(b"folder")),
        PathChange("z", None, hashed(b"new")),
    ]
    assert [change.path for change in store.compare(None, old.oid)] == ["a.txt", "a/b", "same", "was-file"]
    assert store.compare(new.oid, new.oid) == []


def test_history_tells_who_when_and_what(store: Store) -> None:
    at = START + timedelta(hours=1)
    message = 'todo: add t-1 "é"\n\nBecause.\n\nLoopx-Command: "todo add"\n'
    [written] = store.write(None, [draft({"a": b"1"}, message, at=at)])
    [commit] = store.history(written.oid)
    assert (commit.oid, commit.tree, commit.parents) == (written.oid, written.tree, ())
    assert (commit.author, commit.message) == (ADA, message)
    assert commit.authored_at == commit.committed_at == at
    assert commit.changes == ()


def test_history_goes_newest_first_down_to_what_is_known_and_no_further_than_asked(store: Store) -> None:
    oids = [land(store, {"a": b"%d" % n}).oid for n in range(5)]
    assert [each.oid for each in store.history(oids[4])] == oids[::-1]
    assert [each.oid for each in store.history(oids[4], oids[1])] == [oids[4], oids[3], oids[2]]
    assert [each.oid for each in store.history(oids[4], limit=2)] == [oids[4], oids[3]]
    assert list(store.history(oids[2], oids[2])) == []


def test_history_with_changes_compares_each_commit_with_the_one_before(store: Store) -> None:
    land(store, {"a": b"1"})
    last = land(store, {"b": b"2"})
    changes = [[change.path for change in each.changes] for each in store.history(last.oid, changes=True)]
    assert changes == [["b"], ["a"]]


def test_history_follows_first_parents_and_ancestry_every_parent(store: Store) -> None:
    base = land(store, {"a": b"1"})
    [side] = store.write(base.oid, [draft({"side": b"x"})])
    [main] = store.write(base.oid, [draft({"main": b"y"})])
    [merged] = store.write(main.oid, [draft({"side": b"x"}, extra=(side.oid,))])
    assert [each.oid for each in store.history(merged.oid)] == [merged.oid, main.oid, base.oid]
    assert next(store.history(merged.oid)).parents == (main.oid, side.oid)
    assert store.is_ancestor(side.oid, merged.oid)
    assert store.is_ancestor(base.oid, side.oid)
    assert not store.is_ancestor(side.oid, main.oid)
    assert not store.is_ancestor(merged.oid, base.oid)


def test_history_beside_the_first_parents_ends_where_both_meet(store: Store) -> None:
    base = land(store, {"a": b"1"})
    [side] = store.write(base.oid, [draft({"side": b"x"})])
    [main] = store.write(base.oid, [draft({"main": b"y"})])
    assert [each.oid for each in store.history(main.oid, side.oid)] == [main.oid]


def test_a_commit_is_in_its_own_history_and_an_unknown_one_in_nobodys(store: Store) -> None:
    written = land(store, {"a": b"1"})
    assert store.is_ancestor(written.oid, written.oid)
    assert not store.is_ancestor("0" * len(written.oid), written.oid)


def test_names_of_commits_are_resolved(store: Store) -> None:
    first, second, third = (land(store, {"a": b"%d" % n}).oid for n in range(3))
    assert store.resolve(first) == first
    assert store.resolve(second[:12]) == second
    assert [store.resolve(name) for name in ("HEAD", "@", "main", "HEAD~2")] == [third, third, third, first]


@pytest.mark.parametrize("name", ["", "nothing-of-that-name", "f" * 40, "HEAD~9", "--all", "zz", "a\0b"])
def test_a_name_nothing_answers_to_is_said_to_be_unknown(store: Store, name: str) -> None:
    land(store, {"a": b"1"})
    with pytest.raises(LoopxError) as error:
        store.resolve(name)
    assert error.value.code == "revision-unknown"


def test_an_anchor_can_be_set_moved_and_dropped_again(store: Store) -> None:
    first, second = land(store, {"a": b"1"}), land(store, {"a": b"2"})
    store.anchor("snapshots/x", first.oid)
    store.anchor("snapshots/x", second.oid)
    store.anchor("snapshots/x", None)
    store.anchor("snapshots/x", None)
    assert store.head() == second.oid


def test_an_index_lock_given_up_leaves_everything_as_it_was(store: Store) -> None:
    land(store, {"a": b"1"})
    [written] = store.write(store.head(), [draft({"a": b"2"})])
    store.lock_index(written.blobs, 0).abandon()
    assert land(store, {"b": b"3"}).oid == store.head()


def test_a_hook_that_does_not_exist_stops_nothing(store: Store) -> None:
    store.run_hook("pre-commit", 1)


def test_the_lock_is_refused_to_a_second_holder_who_is_told_about_the_first(store: Store) -> None:
    with store.lock(0, "loopx todo add"), pytest.raises(LoopxError) as refused, store.lock(0, "loopx todo done"):
        raise AssertionError("the lock was had twice")
    assert refused.value.code == "lock-held"
    assert refused.value.problem.facts["command"] == "loopx todo add"
    assert refused.value.problem.facts["since"] == "2026-03-02T09:00:00Z"


def test_the_lock_can_be_had_again_after_its_holder_failed(store: Store) -> None:
    with pytest.raises(RuntimeError, match="half way"), store.lock(0, "first"):
        raise RuntimeError("half way")
    with store.lock(0, "second"):
        pass


def test_threads_hand_the_lock_over_to_one_another(store: Store) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(20):
            with store.lock(30, "a thread"):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(most), max(most)) == (80, 1)


def test_an_author_is_kept_apart_from_a_committer(store: Store) -> None:
    one = draft({"a": b"1"})
    [mine] = store.write(None, [one])
    [theirs] = store.write(None, [type(one)(one.changes, one.message, BOT, ADA, one.at)])
    assert mine.oid != theirs.oid
    assert next(store.history(theirs.oid)).author == BOT
