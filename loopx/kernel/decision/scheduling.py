"""When to look again: at once, when a known time ends the wait, or after a while that grows the longer nothing changes.

The back-off is derived from when the Goal last changed; a read stores nothing. It is a hint and no authority.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from loopx.kernel.decision.finding import Wait
from loopx.kernel.decision.record import Scheduler
from loopx.kernel.durations import LONGEST, format_duration, later

BASE = timedelta(minutes=1)
"""How long the first wait is."""
CAP = timedelta(hours=1)
"""How long a wait without a known end is at most."""


def at_once(why: str, now: datetime) -> Scheduler:
    """Act, then ask again."""
    return Scheduler(0, why, now)


def never(wait: Wait, now: datetime) -> Scheduler:
    """Nothing is left to look for, unless somebody starts it anew."""
    return Scheduler(_seconds(LONGEST), f"{_sentence(wait.what)}.", None, wait.ended_by, wait.owner)


def until(wait: Wait, now: datetime) -> Scheduler:
    """The instant that ends ``wait``, to the second after it."""
    assert wait.at is not None
    length = min(max(wait.at - now, timedelta()), LONGEST)
    seconds = max(-(-length // timedelta(seconds=1)), 1)
    at = later(now, timedelta(seconds=seconds))
    return Scheduler(seconds, f"{_sentence(wait.what)}.", at, wait.ended_by, wait.owner)


def back_off(wait: Wait, now: datetime, changed_at: datetime | None) -> Scheduler:
    """After 1, 2, 4… times :data:`BASE`, no longer than has passed since the Goal changed, and at most :data:`CAP`.

    A ``wait`` with a known time is looked at again by then at the latest.
    """
    length = interval(now, changed_at)
    if wait.at is not None and now < wait.at < now + length:
        return until(wait, now)
    why = f"{_sentence(wait.what)}; nothing changed for {_since(now, changed_at)}."
    return Scheduler(_seconds(length), why, later(now, length), wait.ended_by, wait.owner)


def interval(now: datetime, changed_at: datetime | None) -> timedelta:
    """The back-off for a Goal that last changed at ``changed_at``; clocks that were set back or forward change nothing
    about its bounds."""
    if changed_at is None or changed_at >= now:
        return BASE
    quiet = (now - changed_at) // BASE
    return min(BASE * (1 << min(max(quiet.bit_length() - 1, 0), 16)), CAP)


def _since(now: datetime, changed_at: datetime | None) -> str:
    return format_duration(now - changed_at) if changed_at is not None and changed_at < now else "a moment"


def _seconds(length: timedelta) -> int:
    return int(length.total_seconds())


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}"
