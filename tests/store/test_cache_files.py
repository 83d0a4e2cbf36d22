"""What the cache remembers of the working files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from loopx.store.cache import Cache, EntityRow, PendingRow


@pytest.fixture
def cache() -> Iterator[Cache]:
    made = Cache(None)
    yield made
    made.close()


def test_folders_are_noted_as_bytes(cache: Cache) -> None:
    cache.put_folder("goals/b", b"\0\1")
    cache.put_folder("goals/a", b"old")
    cache.put_folder("goals/a", b"new")
    assert cache.folder("goals/a") == b"new"
    assert cache.folder("nowhere") is None
    assert cache.folders() == {"goals/a": b"new", "goals/b": b"\0\1"}
    cache.drop_folder("goals/a")
    assert list(cache.folders()) == ["goals/b"]


def test_a_parsed_document_is_found_by_its_blob(cache: Cache) -> None:
    assert cache.parsed("x") is None
    cache.put_parsed("x", "todo", "{}")
    cache.put_parsed("x", "todo", '{"a": 1}')
    assert cache.parsed("x") == ("todo", '{"a": 1}')


def test_the_verdict_on_an_edit_is_replaced_and_dropped_by_path(cache: Cache) -> None:
    first = PendingRow("b.md", "oid", "head", "refused", "[]", "2026-01-01T00:00:00Z")
    second = PendingRow("a.md", None, None, "absent", "[]", "2026-01-02T00:00:00Z")
    cache.put_pending(first)
    cache.put_pending(second)
    assert cache.pending() == [second, first]
    assert (cache.pending_at("b.md"), cache.pending_at("c.md")) == (first, None)
    cache.put_pending(first._replace(state="settling"))
    cache.drop_pending("a.md")
    assert cache.pending() == [first._replace(state="settling")]


def test_an_absence_keeps_the_time_it_was_first_seen(cache: Cache) -> None:
    cache.add_absence("a.md", "2026-01-01T00:00:00Z")
    cache.add_absence("a.md", "2026-01-02T00:00:00Z")
    assert cache.absences() == {"a.md": "2026-01-01T00:00:00Z"}
    cache.drop_absence("a.md")
    assert cache.absences() == {}


def document(path: str, blob: str = "b") -> EntityRow:
    return EntityRow("todo", path, "beta", path, blob, "open", None, None, None, None, False, "{}")


def test_documents_are_known_by_the_folder_they_lie_in(cache: Cache) -> None:
    rows = [document("goals/x/a.md", "1"), document("goals/x/sub/b.md", "2"), document("goals/xy/c.md", "3")]
    rows.append(document("top.yaml", "4"))
    for row in reversed(rows):
        cache.put_entity(row)
    assert cache.blobs_in("goals/x") == {"a.md": "1"}
    assert cache.blobs_in("goals/x/sub") == {"b.md": "2"}
    assert cache.blobs_in("") == {"top.yaml": "4"}
    assert cache.blobs_in("goals") == cache.blobs_in("nowhere") == {}
    assert cache.documents() == rows
    assert cache.count_documents() == 4


def test_a_folder_to_be_looked_at_again_is_one_with_an_empty_note(cache: Cache) -> None:
    cache.put_folder("goals/x", b"times")
    cache.put_folder("goals/y", b"times")
    cache.touch_folder("goals/x/a.md")
    cache.touch_folder("top.yaml")
    assert cache.unclean_folders() == {"goals/x", ""}
