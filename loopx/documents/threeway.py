"""Bringing two changes of one text together, line by line.

Called by merging, for whole documents and for bodies. Changes that touch different lines are both made, even side by
side; the same change on both sides is made once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from loopx.model.defining import dataclass

Lines = list[str]


@dataclass(frozen=True, slots=True)
class Clash:
    """Lines both sides changed differently. ``line`` is where theirs begins in their text, from 0."""

    line: int
    ours: Lines
    theirs: Lines


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Base lines from ``start`` up to ``end`` become ``lines``; ``at`` is where these stand in the changed text."""

    start: int
    end: int
    lines: Lines
    at: int


def merge_lines(base: Lines, ours: Lines, theirs: Lines) -> tuple[Lines, list[Clash]]:
    """The lines with both sides' changes, and the clashes; where there is one, the lines are theirs."""
    mine, others = _hunks(base, ours), _hunks(base, theirs)
    merged: Lines = []
    clashes: list[Clash] = []
    at = 0
    for here, there in _groups(mine, others):
        start = min(each.start for each in (*here, *there))
        end = max(each.end for each in (*here, *there))
        merged += base[at:start]
        left, right = _made(base, here, start, end), _made(base, there, start, end)
        chosen = _chosen(base[start:end], left, right)
        if chosen is None:
            clashes.append(Clash(there[0].at - (there[0].start - start), left, right))
        merged += right if chosen is None else chosen
        at = end
    return merged + base[at:], clashes


def _chosen(base: Lines, ours: Lines, theirs: Lines) -> Lines | None:
    """The one reading both changes allow; ``None`` when they contradict each other."""
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    if not base and (_holds(ours, theirs) or _holds(theirs, ours)):
        return max(ours, theirs, key=len)
    return None


def _holds(longer: Lines, shorter: Lines) -> bool:
    """Whether ``shorter`` stands in ``longer``, in order, with other lines between at most."""
    rest = iter(longer)
    return all(line in rest for line in shorter)


def _hunks(base: Lines, changed: Lines) -> list[_Hunk]:
    head = _shared(base, changed)
    tail = _shared(base[head:][::-1], changed[head:][::-1])
    matcher = SequenceMatcher(None, base[head : len(base) - tail], changed[head : len(changed) - tail], autojunk=False)
    return [
        _Hunk(head + i1, head + i2, changed[head + j1 : head + j2], head + j1)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def _shared(one: Lines, other: Lines) -> int:
    """How many lines both begin with."""
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        count += 1
    return count


def _groups(mine: Sequence[_Hunk], others: Sequence[_Hunk]) -> Iterator[tuple[list[_Hunk], list[_Hunk]]]:
    """Hunks of both sides that touch the same base lines, together; each other hunk by itself; in order."""
    waiting = sorted(
        [(h.start, h.end, 0, h) for h in mine] + [(h.start, h.end, 1, h) for h in others], key=lambda w: w[:3]
    )
    while waiting:
        first = waiting.pop(0)
        group = [first]
        while waiting and any(_touch(waiting[0][3], each[3]) for each in group):
            group.append(waiting.pop(0))
        yield [w[3] for w in group if w[2] == 0], [w[3] for w in group if w[2] == 1]


def _touch(one: _Hunk, other: _Hunk) -> bool:
    if one.start == other.start and one.end == other.end:
        return True
    if one.start == one.end:
        return other.start < one.start < other.end
    if other.start == other.end:
        return one.start < other.start < one.end
    return one.start < other.end and other.start < one.end


def _made(base: Lines, hunks: Sequence[_Hunk], start: int, end: int) -> Lines:
    """Base lines from ``start`` to ``end`` with ``hunks`` made."""
    lines: Lines = []
    at = start
    for hunk in hunks:
        lines += base[at : hunk.start] + hunk.lines
        at = hunk.end
    return lines + base[at:end]
