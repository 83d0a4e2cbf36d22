"""Write scopes: whether two sets of patterns meet in one path, and whether a path lies within a set."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.kernel.scopes import covers, overlap


@pytest.mark.parametrize(
    ("one", "other", "meets"),
    [
        ("src/app.py", "src/app.py", True),
        ("src", "src/app.py", True),
        ("src/", "src/deep/er/app.py", True),
        ("src", "srcs", False),
        ("src/*.py", "src/*.md", False),
        ("src/*.py", "src/a*", True),
        ("src/*", "docs/*", False),
        ("**", "docs/a.md", True),
        ("**/*.py", "src/app.py", True),
        ("**/*.py", "src/*.md", True),  # src/x.md may be a folder with a .py file in it
        ("a/**/z", "a/z", True),
        ("a/**/z", "b/**/z", False),
        ("a/**/y/**/z", "a/x/**/z", True),
        ("docs/guide-?.md", "docs/guide-1.md", True),
        ("docs/guide-?.md", "docs/guide-10.md", False),
        ("docs/[ab].md", "docs/a.md", True),
        ("docs/[ab].md", "docs/c.md", False),
        ("docs/[!ab].md", "docs/c.md", True),
        ("docs/[a-z].md", "docs/q.md", True),
        ("docs/[", "docs/[", True),
        ("./src//app.py", "/src/app.py", True),
        ("", "anything/at/all", True),
    ],
)
def test_patterns_meet_where_one_path_lies_in_both(one: str, other: str, meets: bool) -> None:
    assert overlap([one], [other]) is meets
    assert overlap([other], [one]) is meets


def test_sets_meet_when_any_two_patterns_do_and_no_pattern_meets_nothing() -> None:
    assert overlap(["docs", "src/a.py"], ["lib", "src/*"])
    assert not overlap(["docs", "src/a.py"], ["lib", "src/b.py"])
    assert not overlap([], ["**"]) and not overlap(["**"], [])


def test_a_path_lies_within_a_scope_or_below_it() -> None:
    assert covers(["src/*.py", "docs"], "docs/deep/a.md")
    assert covers(["src/*.py"], "src/app.py")
    assert not covers(["src/*.py"], "src/app.txt")
    assert not covers(["src/a"], "src"), "what lies above a scope is not in it"
    assert not covers([], "src/app.py")


def test_a_star_in_a_path_is_a_star_and_stands_for_nothing_else() -> None:
    assert covers(["src/*"], "src/a*b")
    assert not covers(["src/ab"], "src/a*")
    assert covers(["src/[*]"], "src/*") and not covers(["src/[*]"], "src/x")


def test_scopes_meant_to_take_for_ever_are_answered_like_any_other() -> None:
    assert not overlap(["*a" * 150 + "b/x"], ["*a" * 150 + "c/x"])
    assert overlap(["/".join(["**", "a"] * 60)], ["/".join(["**", "b"] * 60)])


names = st.text("ab*?", min_size=1, max_size=4).filter(lambda name: "**" not in name)
patterns = st.lists(st.one_of(names, st.just("**")), min_size=1, max_size=4).map("/".join)
paths = st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=5)


def within(pattern: list[str], path: list[str]) -> bool:
    """What a pattern means, told in the plainest way: name by name, and everything below."""
    if not pattern:
        return True
    if pattern[0] == "**":
        return any(within(pattern[1:], path[skipped:]) for skipped in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and within(pattern[1:], path[1:])


@given(patterns, paths)
def test_covers_means_what_the_plainest_reading_of_a_pattern_means(pattern: str, path: list[str]) -> None:
    assert covers([pattern], "/".join(path)) == within(pattern.split("/"), path)


@given(patterns, patterns, paths)
def test_patterns_that_share_a_path_are_never_said_to_be_apart(one: str, other: str, path: list[str]) -> None:
    shared = within(one.split("/"), path) and within(other.split("/"), path)
    assert overlap([one], [other]) or not shared
    assert overlap([one], [other]) == overlap([other], [one])
