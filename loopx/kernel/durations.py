"""Lengths of time as people write them: ``30m``, ``6h``, ``1d``, ``90s``, ``2w``, and sums such as ``1h30m``."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_FORM = re.compile(r"(?:(\d{1,6})\s*([smhdw]))(?:\s*(\d{1,6})\s*([smhdw]))?", re.IGNORECASE)
LONGEST = timedelta(days=3660)
"""Whatever is longer is taken for this, so that no sum of times runs over."""

_LAST = datetime.max.replace(tzinfo=UTC, microsecond=0)


def parse_duration(text: str) -> timedelta:
    """The length ``text`` names, at least a second and at most :data:`LONGEST`.

    Raises :class:`ValueError` for anything else.
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a length of time such as 30m, 6h or 1d")
    first, unit, second, smaller = match.groups()
    seconds = int(first) * _UNITS[unit.lower()]
    if second is not None:
        seconds += int(second) * _UNITS[smaller.lower()]
    if seconds <= 0:
        raise ValueError(f"{text!r} is no time at all")
    return min(timedelta(seconds=seconds), LONGEST)


def format_duration(length: timedelta) -> str:
    """``length`` in its two largest units, such as ``1h30m``."""
    seconds = max(int(length.total_seconds()), 0)
    parts: list[str] = []
    for unit in ("w", "d", "h", "m", "s"):
        count, seconds = divmod(seconds, _UNITS[unit])
        if count and len(parts) < 2:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


def later(at: datetime, length: timedelta) -> datetime:
    """``length`` after ``at``, or the last instant there is where that lies beyond it."""
    try:
        return at + length
    except OverflowError:
        return _LAST
