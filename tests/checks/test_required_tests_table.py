"""Every test that the specifications of the loop require exists, bears its place there, and stands on a page."""

from __future__ import annotations

import re

import pytest

from tests.support.source import ROOT, functions, syntax

PAGE = ROOT / "docs/explanation/required-tests.md"
LISTS = {
    "S3": {"8.1": 5, "8.2": 5, "8.3": 4, "8.4": 6, "8.5": 4},
    "S0": {"7.1": 4, "7.2": 4, "7.3": 4, "7.4": 4, "7.5": 3},
}
PLACES = [
    f"{name}-{section}-{number}"
    for name, sections in LISTS.items()
    for section, count in sections.items()
    for number in range(1, count + 1)
]
_ROW = re.compile(
    r"^\| (S\d-\d\.\d-\d) \| (.+?) \| `(test_\w+)` in \[(\w+\.py)\]\(\.\./\.\./(tests/[\w/]+\.py)\) \|$", re.M
)


def rows() -> dict[str, tuple[str, str, str, str]]:
    """Place to what it shows, the test, and the file's name and path."""
    return {place: tuple(cells) for place, *cells in _ROW.findall(PAGE.read_text(encoding="utf-8"))}  # type: ignore[misc]


def test_there_are_24_and_19_and_each_has_one_row() -> None:
    assert [sum(each.values()) for each in LISTS.values()] == [24, 19]
    named = re.findall(r"^\| (S\d-[\d.]+-\d+) ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert named == PLACES == list(rows())


@pytest.mark.parametrize("place", PLACES)
def test_the_test_exists_bears_its_place_and_asserts_something(place: str) -> None:
    _, name, file, path = rows()[place]
    assert name.startswith(f"test_{re.sub(r'[-.]', '_', place)}_")
    assert path.endswith(f"/{file}")
    [found] = [each for each in functions(syntax(ROOT / path)) if each.name == name]
    asserting = ("assert ", "refused(", "raises(")
    assert any(each in line for each in asserting for line in source(path, found.lineno, found.end_lineno or 0))


def source(path: str, first: int, last: int) -> list[str]:
    return (ROOT / path).read_text(encoding="utf-8").splitlines()[first - 1 : last]


def test_no_test_bears_a_place_the_page_does_not_name() -> None:
    files = (ROOT / "tests").rglob("test_*.py")
    bearing = {name for file in files for name in re.findall(r"^def (test_S[03]_\w+)", file.read_text("utf-8"), re.M)}
    assert bearing == {name for _, name, _, _ in rows().values()}
