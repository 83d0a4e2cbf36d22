"""Aligned columns in plain text, by the width characters have on a screen. Used by every list; imports nothing heavy.

Titles are typed by people and programs: control characters and direction marks are shown as escapes, so that no title
can move the cursor or turn the line around.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from loopx.cli.screen import Screen

GAP = "  "
_ELLIPSIS = "…"
_SMALLEST = 12
"""A flexible column is never cut below this, even where the line then runs over."""
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u2028\u2029")


def shown(text: str) -> str:
    """``text`` in one line, with control characters, direction marks and lone surrogates as escapes."""
    if text.isprintable():
        return text
    return "".join(_visible(each) for each in text)


def width_of(text: str) -> int:
    """How many columns ``text`` takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(each) for each in text)


def cut(text: str, width: int) -> str:
    """``text``, or as much of it as fits into ``width`` columns with an ellipsis."""
    if width_of(text) <= width:
        return text
    room = width - 1
    kept = []
    for each in text:
        room -= _columns(each)
        if room < 0:
            break
        kept.append(each)
    return "".join(kept) + _ELLIPSIS


def padded(text: str, width: int) -> str:
    """``text`` filled with blanks up to ``width`` columns."""
    return text + " " * (width - width_of(text))


def table(header: Sequence[str], rows: Sequence[Sequence[str]], screen: Screen, *, flexible: int = -1) -> list[str]:
    """The rows under a header as aligned lines; the ``flexible`` column is cut to the screen. No rows: no lines."""
    if not rows:
        return []
    cells = [[shown(each) for each in row] for row in rows]
    flexible %= len(header)
    widths = [max(map(width_of, column)) for column in zip(header, *cells, strict=True)]
    if screen.width is not None:
        others = sum(widths) - widths[flexible] + len(GAP) * (len(widths) - 1)
        widths[flexible] = min(widths[flexible], max(_SMALLEST, screen.width - others))
    lines = [_line(row, widths) for row in cells]
    return [screen.paint(_line(header, widths), "dim"), *lines]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return GAP.join(padded(cut(cell, width), width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _visible(character: str) -> str:
    if character.isprintable() or (unicodedata.category(character) in ("Zs", "Cf") and character not in _TURNING):
        return character
    return character.encode("unicode_escape", "surrogatepass").decode()


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
