"""Three-way merging of lines."""

from __future__ import annotations

import pytest

from loopx.documents.threeway import Clash, merge_lines


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "result"),
    [
        ("abc", "abc", "abc", "abc"),
        ("abc", "xbc", "abc", "xbc"),
        ("abc", "abc", "abx", "abx"),
        ("abc", "xbc", "aby", "xby"),
        ("abc", "xbc", "ayc", "xyc"),
        ("abc", "ac", "abcd", "acd"),
        ("abc", "", "abc", ""),
        ("", "ab", "", "ab"),
        ("", "ab", "ab", "ab"),
        ("abc", "axbc", "abyc", "axbyc"),
        ("abc", "axbc", "axbc", "axbc"),
        ("abc", "axbc", "axybc", "axybc"),
        ("abc", "axyzbc", "axzbc", "axyzbc"),
        ("abc", "a", "a", "a"),
        ("abcd", "acd", "abd", "ad"),
        ("ab", "axb", "y", None),
        ("abc", "axc", "ayc", None),
        ("abc", "axbc", "aybc", None),
        ("abc", "ac", "axc", None),
        ("abcd", "ad", "abxcd", None),
    ],
)
def test_changes_of_both_sides_are_made_or_clash(base: str, ours: str, theirs: str, result: str | None) -> None:
    lines, clashes = merge_lines(list(base), list(ours), list(theirs))
    assert (None if clashes else "".join(lines)) == result


def test_a_clash_says_where_it_is_and_what_both_sides_say() -> None:
    lines, clashes = merge_lines(list("abcdef"), list("abCdef"), list("1abXdefg"))
    assert clashes == [Clash(3, ["C"], ["X"])]
    assert lines == list("1abXdefg")


def test_clashes_do_not_stop_the_rest() -> None:
    lines, clashes = merge_lines(list("abcdef"), list("aXcdeF"), list("aYcDef"))
    assert len(clashes) == 1
    assert lines == list("aYcDeF")
