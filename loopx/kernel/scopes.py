"""Write scopes: whether two sets of path patterns can meet in one path, and whether a path lies within a set.

A pattern is a path below the project's root. ``*`` and ``?`` stand for characters of one name, ``[…]`` for one of some,
``**`` for any number of folders; a pattern also takes in everything below what it names, so that ``src`` and
``src/app.py`` meet. Two patterns are compared without looking at files: what exists today says nothing of tomorrow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

T = TypeVar("T")

_ANY_DEPTH = "**"
_SEVERAL = "*"
_WILD = frozenset("*?[")
_OPEN = "\x00"
"""A character no path has: what it stands for in a sample, only what takes any character takes in."""
_Token = str | frozenset[str]
"""A character, ``*`` for several, ``?`` for one, or the characters a class takes (empty: too many to list)."""
_OPEN_CLASS: frozenset[str] = frozenset()


def overlap(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether some path lies within a pattern of ``a`` and one of ``b``. No patterns meet nothing."""
    return any(_meet(one, other) for one in a for other in b)


def covers(scopes: Sequence[str], path: str) -> bool:
    """Whether ``path`` (a plain one: no character of it stands for others) lies within one of ``scopes``."""
    literal = tuple(_plain(path))
    return any(_sequences_meet(_segments(each), literal, _is_any_depth, _names_meet) for each in scopes)


def within(scopes: Sequence[str], pattern: str) -> bool:
    """Whether every path that ``pattern`` takes in lies within one of ``scopes``, as far as the patterns show it: what
    stands for one of some characters in ``scopes`` is only taken for these."""
    shortest, longest = (_sample(pattern, each) for each in ((".", 1), ("./././.", 9)))
    return any(covers((each,), shortest) and covers((each,), longest) for each in scopes)


def _sample(pattern: str, how: tuple[str, int]) -> str:
    """A path ``pattern`` takes in, with a character no pattern names wherever it leaves one open."""
    folders, length = how
    parts = []
    for part in _parts(pattern):
        if part == _ANY_DEPTH:
            parts.append(folders.replace(".", _OPEN) if length > 1 else "")
            continue
        text = "".join(
            each if isinstance(each, str) and each not in _WILD else _OPEN * (length if each == _SEVERAL else 1)
            for each in _tokens(part)
        )
        parts.append(text)
    return "/".join(each for each in parts if each)


def _meet(one: str, other: str) -> bool:
    return _sequences_meet(_segments(one), _segments(other), _is_any_depth, _names_meet)


@cache
def _segments(pattern: str) -> tuple[tuple[_Token, ...], ...]:
    """The names a pattern is made of, as tokens, and whatever lies below."""
    named = [_tokens(each) for each in _parts(pattern)]
    return (*named, (_ANY_DEPTH,))


def _plain(path: str) -> list[tuple[_Token, ...]]:
    return [tuple(frozenset({each}) if each in _WILD else each for each in part) for part in _parts(path)]


def _parts(text: str) -> list[str]:
    return [each for each in text.strip().split("/") if each not in ("", ".")]


def _tokens(name: str) -> tuple[_Token, ...]:
    if name == _ANY_DEPTH:
        return (_ANY_DEPTH,)
    found: list[_Token] = []
    at = 0
    while at < len(name):
        end = _class_end(name, at)
        if end is not None:
            found.append(_members(name[at + 1 : end]))
            at = end
        elif not (name[at] == _SEVERAL and found and found[-1] == _SEVERAL):
            found.append(name[at])
        at += 1
    return tuple(found)


def _class_end(name: str, at: int) -> int | None:
    """Where the class that begins at ``at`` ends; ``None`` when none begins there."""
    if name[at] != "[":
        return None
    end = name.find("]", at + 2)
    return end if end > 0 else None


def _members(inside: str) -> frozenset[str]:
    """The characters a class lists; of a range or a negation it is only said that they are many."""
    return _OPEN_CLASS if inside[0] in "!^" or "-" in inside[1:-1] else frozenset(inside)


def _names_meet(one: tuple[_Token, ...], other: tuple[_Token, ...]) -> bool:
    return _sequences_meet(one, other, _is_several, _characters_meet)


def _characters_meet(one: _Token, other: _Token) -> bool:
    if one == "?" or other == "?" or one == _OPEN_CLASS or other == _OPEN_CLASS:
        return True
    return bool(_characters(one) & _characters(other))


def _characters(token: _Token) -> frozenset[str]:
    return token if isinstance(token, frozenset) else frozenset({token})


def _is_several(token: _Token) -> bool:
    return token == _SEVERAL


def _is_any_depth(segment: tuple[_Token, ...]) -> bool:
    return segment == (_ANY_DEPTH,)


def _sequences_meet(
    one: Sequence[T], other: Sequence[T], is_many: Callable[[T], bool], meets: Callable[[T, T], bool]
) -> bool:
    """Whether two sequences, in which some items stand for any number of items, can be the same sequence.

    Row by row over how far each has come, so that no pattern makes it take longer than the product of the lengths.
    """
    reachable = [True]
    for each in other:
        reachable.append(reachable[-1] and is_many(each))
    for item in one:
        row = [reachable[0] and is_many(item)]
        for column, each in enumerate(other):
            if is_many(item) or is_many(each):  # it stands for nothing, or for what the other has next
                row.append(reachable[column + 1] or row[column])
            else:
                row.append(reachable[column] and meets(item, each))
        reachable = row
    return reachable[-1]
