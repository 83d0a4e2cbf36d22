"""The trace of repairs: how often each surface had to be made anew, and whether somebody looked for the cause.

A page that is repaired again and again is an engineering problem and nobody's success. The trace is one small file of
this machine, ``local/repairs.json``; the surfaces it speaks of are this machine's too.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from loopx.kernel.obligations.record import OPERATORS, Obligation, ObligationKind
from loopx.model.defining import dataclass
from loopx.model.times import format_instant, parse_instant
from loopx.workspace.doctor.anew import Anew
from loopx.workspace.doctor.findings import Difference, Finding, Surface
from loopx.workspace.places import Places
from loopx.workspace.rendered import digest

OFTEN = 3
"""Repairs of one place that make it an obligation to find the cause."""
WITHIN = timedelta(days=30)
_KEPT = 200


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair of one place: a page's path, or the surface's name."""

    place: str
    at: datetime


def note(places: Places, mended: Iterable[str], now: datetime) -> None:
    """Add one repair of each of these places."""
    fresh = [{"place": place, "at": format_instant(now)} for place in mended]
    if not fresh:
        return
    trace = _read(places)
    listed = [*trace["repairs"], *fresh]
    _write(places, {**trace, "repairs": listed[-_KEPT:]})


def explain(places: Places, cause: str, by: str, now: datetime) -> None:
    """Say what the repairs so far were due to: they count no further, and the cause stays on record."""
    trace = _read(places)
    causes = [*trace["causes"], {"cause": cause, "by": by, "at": format_instant(now), "of": trace["repairs"]}]
    _write(places, {"repairs": [], "causes": causes[-_KEPT:]})


def repeated(places: Places, now: datetime) -> tuple[Obligation, ...]:
    """The obligations that repeated repairs raise: one a place. The same repair goes on arming the same one."""
    listed = [each for each in _repairs(places) if now - each.at <= WITHIN]
    counts = Counter(each.place for each in listed)
    return tuple(
        _obligation(place, count, _nth(listed, place)) for place, count in sorted(counts.items()) if count >= OFTEN
    )


def too_often(anew: Anew) -> Iterator[Finding]:
    """Places that had to be repaired too often, as findings."""
    for each in repeated(anew.ws.places, anew.now):
        yield Finding(
            surface=Surface.REPAIRS,
            kind=Difference.PAGE_STALE,
            owner=each.owner,
            place=each.subjects[0],
            why=each.message,
            next_step=f"{each.discharged_by[:1].upper()}{each.discharged_by[1:]}.",
            ids=(each.id,),
        )


def _nth(listed: list[Repair], place: str) -> datetime:
    """When the repair was made that made it too many."""
    return [each.at for each in listed if each.place == place][OFTEN - 1]


def _obligation(place: str, count: int, armed: datetime) -> Obligation:
    trigger = "repaired_again"
    stamp = format_instant(armed)
    return Obligation(
        id=f"o-{digest(f'{trigger} {place} {stamp}'.encode())[:8]}",
        kind=ObligationKind.REPAIR,
        trigger=trigger,
        subjects=(place,),
        armed_by=f"the repair of {stamp}",
        owner=OPERATORS,
        message=f"{place} was repaired {count} times within {WITHIN.days} days: something goes on damaging it.",
        discharged_by="find the cause and name it with `loopx repair --cause TEXT`",
    )


def _repairs(places: Places) -> list[Repair]:
    found = [(str(each.get("place", "")), _instant(each.get("at"))) for each in _read(places)["repairs"]]
    return [Repair(place, at) for place, at in found if place and at is not None]


def _instant(value: Any) -> datetime | None:
    try:
        return parse_instant(str(value))
    except ValueError:
        return None


def _read(places: Places) -> dict[str, list[dict[str, Any]]]:
    try:
        found = json.loads(places.repairs.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = {}
    found = found if isinstance(found, dict) else {}
    return {name: _records(found.get(name)) for name in ("repairs", "causes")}


def _records(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _write(places: Places, trace: dict[str, list[dict[str, Any]]]) -> None:
    fresh = places.repairs.with_suffix(f".{os.getpid()}.tmp")
    fresh.write_text(json.dumps(trace, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    os.replace(fresh, places.repairs)
