"""Every reported case is tried by a test that bears its name, or the table of cases says why it cannot happen here."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.support.source import ROOT

PAGE = ROOT / "docs/explanation/cases.md"
AREAS = {"P": 20, "R": 17, "G": 28, "C": 12, "B": 15, "H": 10, "L": 17, "Q": 13, "U": 10, "X": 7, "D": 16}
CASES = [f"{area}{number:02d}" for area, count in AREAS.items() for number in range(1, count + 1)]
_ROW = re.compile(r"^\| ([A-Z]\d\d) \| (.+?) \| (.+) \|$", re.MULTILINE)
_TEST = re.compile(r"`(test_\w+)` in \[(\w+\.py)\]\(\.\./\.\./(tests/[\w/]+\.py)\)")


@cache
def names_in(path: str) -> frozenset[str]:
    """Names of the test functions in a file of tests."""
    return frozenset(re.findall(r"^def (test_\w+)", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE))


@cache
def every_test() -> frozenset[str]:
    found = (path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py"))
    return frozenset(name for path in found for name in names_in(path))


def parts() -> tuple[dict[str, str], dict[str, str]]:
    """Case to last column: of the tables of tests, and of the part on what does not apply."""
    shown, _, other = PAGE.read_text(encoding="utf-8").partition("## What does not apply")
    return ({case: cell for case, _, cell in _ROW.findall(part)} for part in (shown, other))  # type: ignore[return-value]


@pytest.mark.parametrize("case", CASES)
def test_a_case_is_tried_or_explained(case: str) -> None:
    shown, other = parts()
    is_tried = any(f"_{case}_" in name for name in every_test())
    assert (case in shown) != (case in other), f"{case} must be in one of the two parts of {PAGE.name}"
    assert is_tried == (case in shown), f"{case} is tried by a test, or it does not apply"
    assert case in shown or len(other[case]) > 40


def test_the_page_names_no_case_that_is_none_and_none_twice() -> None:
    named = [case for case, _, _ in _ROW.findall(PAGE.read_text(encoding="utf-8"))]
    assert sorted(named) == sorted(CASES)


def test_every_test_the_page_names_exists_and_bears_the_case() -> None:
    shown, _ = parts()
    for case, cell in shown.items():
        named = _TEST.findall(cell)
        assert len(named) == cell.count("`test_"), f"{case}: {cell}"
        assert named, case
        for test, file, path in named:
            assert path.endswith(file)
            assert test in names_in(path), f"{case}: {path} has no {test}"
            assert f"_{case}_" in test
