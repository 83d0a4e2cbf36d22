"""Facts in words: when, who, what was done. The same words on every page and in the terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from loopx.model.actor import Origin
from loopx.projections.facts import Lane, Survey, TimelineEntry

LANE_TITLES = {
    Lane.RUNNABLE: "Runnable",
    Lane.WAITING: "Waiting",
    Lane.BLOCKED: "Blocked",
    Lane.DEFERRED: "Deferred",
    Lane.DONE: "Done",
}

_WAYS = {
    Origin.COMMAND: "",
    Origin.HAND: "by editing the file",
    Origin.FOREIGN: "in Git",
    Origin.PAGE: "on the page",
    Origin.SYSTEM: "as housekeeping",
}

_DONE = {
    "abandon": "abandoned",
    "activate": "activated",
    "add": "added",
    "adopt": "adopted",
    "approve": "approved",
    "archive": "archived",
    "block": "blocked",
    "cancel": "cancelled",
    "claim": "claimed",
    "close": "closed",
    "defer": "deferred",
    "done": "completed",
    "edit": "changed",
    "meet": "met a criterion of",
    "new": "set up",
    "open": "opened",
    "pause": "paused",
    "reject": "rejected",
    "reopen": "reopened",
    "resume": "resumed",
    "retire": "retired",
    "set": "wrote",
    "stop": "stopped",
    "supersede": "superseded",
    "unclaim": "gave back",
    "unmeet": "reopened a criterion of",
    "waive": "waived a criterion of",
    "withdraw": "withdrew",
}

_NOUNS = {"goal": "Goal", "todo": "Todo", "gate": "Gate", "vision": "Vision", "workspace": "workspace"}

_HEADLINE = re.compile(r'(?P<noun>[a-z]+): (?P<verb>[a-z]+)(?: (?P<id>[^\s"]+))?(?: "(?P<title>.*)")?', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One commit in words: ``who`` ``did`` the ``noun`` ``id`` ``title``, ``way``. Texts are not escaped."""

    who: str
    did: str
    noun: str = ""
    id: str = ""
    title: str = ""
    way: str = ""


def sentence(entry: TimelineEntry) -> Sentence:
    """What happened, from the commit's subject; a subject that is not LoopX's own is told as it stands."""
    who, way = person(entry.who), _WAYS[entry.origin]
    found = _HEADLINE.fullmatch(entry.headline)
    if found is None or found["noun"] not in _NOUNS or found["verb"] not in _DONE:
        return Sentence(who, "committed", title=entry.headline, way=way)
    return Sentence(who, _DONE[found["verb"]], _NOUNS[found["noun"]], found["id"] or "", found["title"] or "", way)


def person(actor: str) -> str:
    """An actor by its bare name: ``human:Ada`` is Ada, ``agent:coder`` stays recognisable as an agent."""
    kind, colon, name = actor.partition(":")
    if not colon:
        return actor
    return name if kind == "human" else f"{name} ({kind})"


def moment(at: datetime | None) -> str:
    """An instant for people, to the minute, in UTC."""
    return "" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def day(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d}"


def clock(at: datetime) -> str:
    """The time of day, to the second, in UTC."""
    return f"{at.astimezone(UTC):%H:%M:%S}"


def short(revision: str | None) -> str:
    """A revision as people read it."""
    return "" if revision is None else revision[:10]


def closed_otherwise(counts: Mapping[str, int]) -> str:
    """How many of the closed Todos were not done: ``1 cancelled, 2 superseded``; ``""`` for none."""
    return ", ".join(f"{counts[each]} {each}" for each in ("cancelled", "superseded") if counts.get(each))


def yesterday(survey: Survey) -> datetime | None:
    """When the day before the last revision began, in UTC: the past as history knows it, not as the clock does."""
    if survey.revision_at is None:
        return None
    at = survey.revision_at.astimezone(UTC)
    return at.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)


def plural(number: int, one: str, many: str = "") -> str:
    """``1 file``, ``2 files``; ``many`` where the plural is not formed with an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"
