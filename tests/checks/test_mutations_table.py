"""The seeded faults still have their places in the source, and the page of them lists each with a test that exists.

Whether the tests see them is not asked here: ``python -m tests.mutation`` asks, by hand.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mutation.fault import Fault
from tests.mutation.faults import FAULTS
from tests.support.source import ROOT

PAGE = ROOT / "docs/explanation/mutations.md"
_ROW = re.compile(r"^\| ([\w ]+) \| (.+?) \| `(test_\w+)` \|$", re.MULTILINE)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what.replace(" ", "-"))
def test_a_fault_has_one_place_in_the_source_and_breaks_something(fault: Fault) -> None:
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.old) == 1, "move the fault along with the code"
    assert fault.new != fault.old
    assert all((ROOT / each).exists() for each in fault.tests)


def test_the_page_lists_every_fault_once_with_a_test_that_exists() -> None:
    rows = _ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert sorted((area, what) for area, what, _ in rows) == sorted((each.area, each.what) for each in FAULTS)
    tests = [path for fault in FAULTS for each in fault.tests for path in _files(each)]
    known = {name for path in set(tests) for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.M)}
    assert {name for _, _, name in rows} <= known
    assert f"All {len(FAULTS)} are killed" in PAGE.read_text(encoding="utf-8")


def _files(name: str) -> list[Path]:
    path = ROOT / name
    return [path] if path.is_file() else sorted(path.rglob("test_*.py"))


def test_the_faults_are_tried_by_hand_alone() -> None:
    names = [path.stem for path in (ROOT / "tests/mutation").rglob("*.py")]
    assert len(names) > 4
    assert not [name for name in names if name.startswith("test_")]
