"""A scan records what it saw once, and then has nothing to record: a read that changes nothing writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopx.workspace.scan import Accepted, Scan, scan

NOBODY = Accepted(lambda _folder: {}, lambda content: str(len(content)))


def look(root: Path, known: dict[str, bytes], only: set[str] | None = None) -> Scan:
    return scan(root, known, NOBODY, 10**20, only=only)


@pytest.mark.parametrize("folder", ["goals", "goals/beta/turns", "goals/beta/evidence", "goals/beta/archive", "notes"])
def test_a_folder_in_which_no_document_can_lie_is_neither_visited_nor_noted(tmp_path: Path, folder: str) -> None:
    """A watcher names it when a day's folder comes into it."""
    (tmp_path / folder).mkdir(parents=True)
    assert look(tmp_path, {}, {folder}).rows == {}
    assert folder not in look(tmp_path, {folder: b""}).rows


@pytest.mark.parametrize(
    "folder",
    ["", "goals/beta", "goals/beta/todos", "goals/beta/turns/2026-03-02", "goals/beta/archive/2026-03/todos"],
)
def test_a_folder_in_which_documents_may_lie_is_noted_once(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    first = look(tmp_path, {}, {folder}).rows
    assert set(first) == {folder}
    assert look(tmp_path, first, {folder}).rows == {}


def test_a_folder_that_is_gone_is_noted_once_and_what_lay_in_it_is_told_every_time(tmp_path: Path) -> None:
    there = Accepted(lambda _folder: {"a.md": "x"}, lambda content: str(len(content)))
    known = {"goals/beta/todos": b"times"}
    for expected in ({"goals/beta/todos": b""}, {}):
        found = scan(tmp_path, known, there, 10**20, only=set())
        assert (found.rows, found.absent) == (expected, ["goals/beta/todos/a.md"])
        known |= found.rows


DAY_NS = 24 * 3600 * 10**9


@pytest.mark.parametrize("group", ["turns", "evidence"])
def test_the_folder_of_a_day_long_past_is_looked_at_where_there_is_reason_to(tmp_path: Path, group: str) -> None:
    """A long past is not looked at folder by folder by every command; what a watcher names, and a thorough look, is."""
    folder, now = f"goals/beta/{group}/2026-03-02", 1_772_409_600 * 10**9 + DAY_NS  # 2026-03-03
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "one.yaml").write_bytes(b"12")
    there = Accepted(lambda asked: {"one.yaml": "2"} if asked == folder else {}, lambda content: str(len(content)))
    known = scan(tmp_path, {}, there, now).rows
    (tmp_path / folder / "one.yaml").unlink()
    gone = [f"{folder}/one.yaml"]
    assert scan(tmp_path, known, there, now + 5 * DAY_NS).absent == gone, "six days old"
    assert scan(tmp_path, known, there, now + 9 * DAY_NS).absent == []
    assert scan(tmp_path, known, there, now + 9 * DAY_NS, thorough=True).absent == gone
    assert scan(tmp_path, known, there, now + 9 * DAY_NS, only={folder}).absent == gone
    assert scan(tmp_path, known | {folder: b""}, there, now + 9 * DAY_NS).absent == gone, "it was not clean"
    (tmp_path / folder).rmdir()
    assert scan(tmp_path, known, there, now + 9 * DAY_NS).absent == gone, "the day is gone as a whole"
