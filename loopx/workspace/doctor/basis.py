"""What one is looking at: which workspace and why, which revision, whose settings, which time, how much is left out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from loopx.errors import LoopxError
from loopx.model.goal import Goal
from loopx.workspace.doctor.anew import Anew
from loopx.workspace.doctor.findings import Basis
from loopx.workspace.doctor.history import newest_stamp


def basis(anew: Anew) -> Basis:
    """The basis of a diagnosis. What cannot be read is left out: the findings say why."""
    goals: dict[str, str] = {}
    mode: dict[str, str] = {}
    truncated: dict[str, int] = {}
    newest = None
    with suppress(LoopxError, OSError):
        goals = {each.id: _status(each) for each in _goals(anew)}
        mode = dict(_mode(anew))
        newest = newest_stamp(anew)
        truncated = _truncated(anew)
    return Basis(
        root=str(anew.ws.places.root),
        found_by=anew.ws.found.found_by,
        notes=anew.ws.notes,
        goal=anew.goal,
        goals=goals,
        head=anew.head,
        admitted=anew.target,
        cache_revision=None if anew.is_past else anew.ws.cache.get_meta("revision"),
        is_past=anew.is_past,
        actor=anew.ws.environ.get("LOOPX_ACTOR") or None,
        mode=mode,
        now=anew.now,
        newest_stamp=newest[0] if newest is not None else None,
        truncated=truncated,
    )


def _goals(anew: Anew) -> Iterator[Goal]:
    return (each for each in anew.state.goals() if anew.goal in (None, each.id))


def _status(goal: Goal) -> str:
    return f"{goal.status}, {goal.outcome}" if goal.outcome is not None else str(goal.status)


def _mode(anew: Anew) -> Iterator[tuple[str, str]]:
    """Settings that change what commands do here."""
    config = anew.state.config()
    if config is not None:
        yield "durability", config.policies.durability.value
        yield "hooks", config.policies.hooks.value
        yield "ownership", config.policies.ownership.value
        yield "operators", ", ".join(config.operators) or "anybody here"
    is_off = anew.ws.environ.get("LOOPX_PAGES") == "off"
    yield "pages", "only when asked for (LOOPX_PAGES=off)" if is_off else "rendered in the background"


def _truncated(anew: Anew) -> dict[str, int]:
    from loopx.workspace.survey import survey

    return dict(survey(anew.cache, anew.view, full=False).truncated)
