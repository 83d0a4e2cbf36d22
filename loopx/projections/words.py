"""Facts in words: when, who, what was done. The same words on every page and in the terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from loopx.model.actor import Origin
from loopx.model.defining import dataclass
from loopx.projections.facts import GoalFacts, Lane, Survey, TimelineEntry

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
    "accept": "accepted",
    "acquire": "acquired",
    "activate": "activated",
    "add": "added",
    "adopt": "adopted",
    "approve": "approved",
    "archive": "archived",
    "block": "blocked",
    "cancel": "cancelled",
    "claim": "claimed",
    "close": "closed",
    "confirm": "confirmed what follows from",
    "create": "offered",
    "decline": "declined",
    "defer": "deferred",
    "delete": "deleted",
    "done": "completed",
    "edit": "changed",
    "init": "made",
    "meet": "met a criterion of",
    "mend": "mended",
    "new": "set up",
    "open": "opened",
    "pause": "paused",
    "poll": "looked at",
    "reassess": "judged anew, as",
    "record": "recorded",
    "reject": "rejected",
    "release": "released",
    "remove": "removed",
    "renew": "renewed",
    "reopen": "reopened",
    "resume": "resumed",
    "retire": "retired",
    "set": "wrote",
    "settle": "settled",
    "stop": "stopped",
    "supersede": "superseded",
    "transfer": "handed over",
    "unclaim": "gave back",
    "unmeet": "reopened a criterion of",
    "void": "voided",
    "waive": "waived a criterion of",
    "withdraw": "withdrew",
}

_NOUNS = {
    "agent": "agent",
    "effect": "Effect",
    "evidence": "Evidence",
    "gate": "Gate",
    "goal": "Goal",
    "handoff": "Handoff",
    "lease": "the lease of",
    "monitor": "Monitor",
    "plan": "Plan",
    "proposal": "Proposal",
    "run": "Run",
    "todo": "Todo",
    "turn": "Turn",
    "vision": "Vision",
    "workspace": "workspace",
}

_AGENT = re.compile(r"agent: (?P<verb>add|edit|remove) (?P<id>\S+)(?: (?P<way>to|in|from) (?P<goal>\S+))?")
_HEADLINE = re.compile(
    r'(?P<noun>[a-z]+): (?P<verb>[a-z]+)(?: (?P<id>[^\s"]+)(?: (?P<part>[^\s"]+))?)?(?: "(?P<title>.*)")?', re.DOTALL
)
_ROLLBACK = re.compile(r"rollback: (?:to (?P<revision>\S+)|undo (?P<operation>\S+)), (?P<count>\d+ documents?)")
_CRITERION = "a criterion"
_MANY = re.compile(r"edit: (?P<count>\d+ documents) by hand")


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
    if gone_back := _ROLLBACK.fullmatch(entry.headline):
        return Sentence(who, f"put {gone_back['count']} back {_target(gone_back)}", way=way)
    if many := _MANY.fullmatch(entry.headline):
        return Sentence(who, f"changed {many['count']}", way=way)
    if of_agent := _AGENT.fullmatch(entry.headline):
        where = f" {of_agent['way']} {of_agent['goal']}" if of_agent["goal"] else ""
        return Sentence(who, _DONE[of_agent["verb"]], _NOUNS["agent"], f"{of_agent['id']}{where}", way=way)
    found = _HEADLINE.fullmatch(entry.headline)
    did = _did(found) if found is not None and found["noun"] in _NOUNS else None
    if found is None or did is None:
        return Sentence(who, "committed", title=entry.headline, way=way)
    return Sentence(who, did, _NOUNS[found["noun"]], found["id"] or "", found["title"] or "", way)


def _did(found: re.Match[str]) -> str | None:
    """The verb in the past; ``None`` where the subject is not one of LoopX's own. Only criteria are named as parts."""
    did, part = _DONE.get(found["verb"]), found["part"]
    if did is None or part is None:
        return did
    return did.replace(_CRITERION, f"criterion {part}") if _CRITERION in did else None


def _target(gone_back: re.Match[str]) -> str:
    """To what a rollback went back."""
    if gone_back["operation"]:
        return f"to undo {gone_back['operation']}"
    return f"to revision {gone_back['revision']}"


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


def now(goal: GoalFacts) -> str:
    """What may happen now: ``coder-1 deliver, tester wait``; the mode alone where no agent takes part."""
    decisions = goal.work.decisions if goal.work is not None else ()
    return ", ".join(f"{each.agent} {each.mode}".strip().replace("_", " ") for each in decisions)


def yesterday(survey: Survey) -> datetime | None:
    """When the day before the last revision began, in UTC: the past as history knows it, not as the clock does."""
    if survey.revision_at is None:
        return None
    at = survey.revision_at.astimezone(UTC)
    return at.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)


def plural(number: int, one: str, many: str = "") -> str:
    """``1 file``, ``2 files``; ``many`` where the plural is not formed with an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"
