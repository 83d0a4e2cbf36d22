"""A scan records what it saw once, and then has nothing to record: a read that changes nothing writes nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from loopx.workspace.scan import Accepted, Scan, scan

NOBODY = Accepted(lambda _folder: {}, lambda content: str(len(content)))


def look(root: Path, known: dict[str, bytes], only: set[str] | None = None) -> Scan:
    return scan(root, known, NOBODY, 10**20, only=only)


@pytest.mark.parametrize("folder", ["goals", "goals/beta/turns", "goals/beta/evidence", "goals/beta/archive", "notes"])
@pytest.mark.parametrize("row", [b"", b"something"])
def test_a_folder_in_which_no_document_can_lie_is_passed_over_when_a_watcher_names_it(
    tmp_path: Path, folder: str, row: bytes
) -> None:
    """It does when a day's folder comes into it."""
    (tmp_path / folder).mkdir(parents=True)
    found = look(tmp_path, {folder: row}, {folder})
    assert (found.rows, found.absent) == ({}, [])


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


class Days:
    """A Goal's turns by day, the rows noted of them, and the files history knows."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.rows: dict[str, bytes] = {}
        self.accepted: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []

    def add(self, day: str, name: str, content: str = "x") -> Path:
        folder = f"goals/beta/turns/{day}"
        file = self.root / folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        self.accepted.setdefault(folder, {})[name] = str(len(content))
        return file

    def row(self, folder: str) -> bytes:
        self.asked.append(folder)
        return self.rows.get(folder, b"")

    def below(self, group: str) -> dict[str, bytes]:
        return {folder: row for folder, row in self.rows.items() if folder.startswith(f"{group}/")}

    def scan(self, *, thorough: bool = False) -> Scan:
        """A scan whose rows are recorded; ``asked`` are the days it had to ask about."""
        self.asked = []

        def blobs_in(folder: str) -> dict[str, str]:
            self.asked.append(folder)
            return self.accepted.get(folder, {})

        known = {folder: row for folder, row in self.rows.items() if folder.count("/") < 3}
        accepted = Accepted(blobs_in, lambda content: str(len(content)))
        found = scan(self.root, known, accepted, 10**20, thorough=thorough, deep=self)
        self.rows |= found.rows
        return found

    @property
    def looked_at(self) -> set[str]:
        return {folder.rpartition("/")[2] for folder in self.asked if folder.startswith("goals/beta/turns/")}


@pytest.fixture
def days(tmp_path: Path) -> Days:
    """A hundred days, each with a turn, all seen once."""
    made = Days(tmp_path)
    for number in range(100):
        made.add(f"2026-{number // 28 + 1:02}-{number % 28 + 1:02}", "turn-a.yaml")
    assert made.scan().is_clean and len(made.looked_at) == 100
    return made


NEWEST = {"2026-04-15", "2026-04-16"}


def test_of_many_days_that_are_in_order_only_the_newest_are_looked_at(days: Days) -> None:
    found = days.scan()
    assert (found.rows, found.is_clean, days.looked_at) == ({}, True, NEWEST)


def test_a_day_that_comes_or_goes_is_noticed(days: Days) -> None:
    days.add("2026-04-17", "turn-b.yaml")
    assert days.scan().is_clean and days.looked_at == {"2026-04-17"}
    shutil.rmtree(days.root / "goals/beta/turns/2026-01-05")
    assert days.scan().absent == ["goals/beta/turns/2026-01-05/turn-a.yaml"]
    shutil.rmtree(days.root / "goals/beta/turns")
    assert len(days.scan().absent) == 101


def test_what_is_wrong_in_an_old_day_is_found_by_a_thorough_scan_and_looked_at_from_then_on(days: Days) -> None:
    old = days.root / "goals/beta/turns/2026-01-05/turn-a.yaml"
    old.write_text("tampered with")
    assert days.scan().is_clean
    assert [each.path for each in days.scan(thorough=True).changed] == ["goals/beta/turns/2026-01-05/turn-a.yaml"]
    for _ in range(2):
        found = days.scan()
        assert [each.content for each in found.changed] == [b"tampered with"] and found.rows == {}
        assert days.looked_at == {*NEWEST, "2026-01-05"}
    old.write_text("x")
    assert days.scan().is_clean
    days.scan()
    assert days.scan().rows == {} and days.looked_at == NEWEST


def test_an_old_day_that_was_written_to_is_looked_at_once_more(days: Days) -> None:
    days.add("2026-01-05", "turn-late.yaml")
    days.rows |= {"goals/beta/turns/2026-01-05": b"", "goals/beta/turns": b""}
    assert days.scan().is_clean and days.looked_at == {"2026-01-05"}
    days.scan()
    assert days.looked_at == NEWEST
