"""What the person's terminal can show: how wide it is, and whether colours help."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

from loopx.model.defining import dataclass

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_FALLBACK_WIDTH = 80


@dataclass(frozen=True, slots=True)
class Screen:
    """``width`` in columns, or ``None`` when nothing need be cut (a file or a pipe)."""

    width: int | None = None
    colour: bool = False

    def paint(self, text: str, style: str) -> str:
        """``text`` in one of the named styles, or as it is where colours are off."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colour else text


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sits at ``stream``."""
    return stream is not None and not stream.closed and stream.isatty()


def screen_of(stream: TextIO, environ: Mapping[str, str]) -> Screen:
    """The screen behind ``stream``. Colours need a terminal, no ``NO_COLOR``, and one that is not ``dumb``."""
    if not is_terminal(stream):
        return Screen()
    colour = not environ.get("NO_COLOR") and environ.get("TERM", "") != "dumb"
    return Screen(_width(stream, environ), colour)


def _width(stream: TextIO, environ: Mapping[str, str]) -> int:
    columns = environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _FALLBACK_WIDTH
    except (OSError, ValueError):
        return _FALLBACK_WIDTH
