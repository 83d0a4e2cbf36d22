"""Waiting until a file that was just saved holds still, before anything is said about it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from loopx.model.clock import Clock
from loopx.workspace.places import Places
from loopx.workspace.scan import Sighting, look

YOUNG_SECONDS = 0.2
"""A file changed more recently than this is read twice."""
BETWEEN_SECONDS = 0.1
"""How far apart the two readings are."""
ADOPTION_SECONDS = 2.0
"""New ids are inserted this long after the last save at the earliest; an absence must last as long to count."""


def settled(
    places: Places, clock: Clock, changed: list[Sighting], is_moving: Callable[[Sighting], bool]
) -> tuple[list[Sighting], list[Sighting]]:
    """Split sightings into those that hold still and those that are still being written.

    ``is_moving`` says of a young file that an earlier look, not long ago, saw other contents: then nobody waits for it.
    """
    now = clock.now()
    young = [each for each in changed if _is_young(each, now)]
    if all(is_moving(each) for each in young):
        return [each for each in changed if each not in young], young
    clock.wait(BETWEEN_SECONDS)
    moving = [each for each in young if not _holds_still(places, each)]
    moving_paths = {each.path for each in moving}
    return [each for each in changed if each.path not in moving_paths], moving


def age_seconds(sighting: Sighting, now: datetime) -> float:
    """How long ago the file was last written; a time in the future counts as long ago, so that it is not waited for."""
    age = now.timestamp() - sighting.modified_ns / 1e9
    return age if age >= 0 else ADOPTION_SECONDS


def _is_young(sighting: Sighting, now: datetime) -> bool:
    return sighting.content == b"" or age_seconds(sighting, now) < YOUNG_SECONDS


def _holds_still(places: Places, before: Sighting) -> bool:
    again = look(places.file(before.path), before.path)
    return again is not None and again.content == before.content and again.modified_ns == before.modified_ns
