"""Instants as text: RFC 3339 with an offset, written in UTC to the second."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_FORM = re.compile(r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d+))?\s*([Zz]|[+-]\d{2}:?\d{2})")


def parse_instant(text: str) -> datetime:
    """The instant ``text`` names, in UTC; a text without an offset names none and raises :class:`ValueError`."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a time with an offset, such as 2026-01-02T03:04:05Z")
    day, clock, fraction, offset = match.groups()
    micro = (fraction or "")[:6].ljust(6, "0")
    zone = "+00:00" if offset in "Zz" else offset
    seconds = clock if clock.count(":") == 2 else f"{clock}:00"
    return datetime.fromisoformat(f"{day}T{seconds}.{micro}{zone}").astimezone(UTC)


def format_instant(at: datetime) -> str:
    """``at`` as LoopX writes it: UTC, to the second, with ``Z``."""
    return at.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"
