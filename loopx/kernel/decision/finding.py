"""What a rule of the order answers: that it matches and what is called for, or that it does not. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from loopx.kernel.decision.record import NO_FACTS, Mode, Selected

CLOCK = "the clock"
"""The owner of what time alone brings about."""
PEOPLE = "operators"
"""The owner of what a person decides."""
ANYBODY = "anybody"
"""The owner of what whoever is there may bring about."""


class Wait(NamedTuple):
    """Something that has to come about first: the fact that ends it, who owns that, and when, where that is known."""

    what: str
    """One clause, such as ``t-4k9x2m7q "Ship it" waits until 2026-01-02T00:00:00Z``."""
    ended_by: str
    owner: str
    at: datetime | None = None


class Question(NamedTuple):
    """What a person is asked. ``commands`` answer it; ``asks_first`` says that an agent has to put it."""

    text: str
    commands: tuple[str, ...]
    asks_first: bool = False
    deadline: datetime | None = None


class Match(NamedTuple):
    """A rule that decides."""

    mode: Mode
    reason: str
    """A code in kebab-case."""
    message: str
    """One sentence."""
    subject: Any = None
    """What it is about, as the channels of its mode take it."""
    selected: Selected | None = None
    waits: tuple[Wait, ...] = ()
    question: Question | None = None
    facts: Mapping[str, Any] = NO_FACTS


class Miss(NamedTuple):
    """A rule that does not match, and what it looked at."""

    facts: Mapping[str, Any] = NO_FACTS


Finding = Match | Miss


def first_wait(waits: tuple[Wait, ...]) -> Wait | None:
    """The wait that ends first by the clock, else the first one."""
    timed = [each for each in waits if each.at is not None]
    return min(timed, key=lambda each: str(each.at)) if timed else next(iter(waits), None)
