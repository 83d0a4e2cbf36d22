"""Whether the outside fact a criterion rests on was read back lately enough. Criteria and the terminal audit ask.

A reading counts for its criterion only: it names that criterion as what it is about and the criterion's source as where
it was read, and it came out well. LoopX makes one by running the criterion's check, a person by saying what they saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from loopx.kernel.bindings import EvidenceVerdict, evidence_of, evidence_standing, is_fresh
from loopx.kernel.durations import format_duration, parse_duration
from loopx.kernel.state import State
from loopx.model.goal import Criterion, Goal, Readback
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.times import format_instant

_READ = (EvidenceResult.PASSED, EvidenceResult.NOTED)
_AHEAD = timedelta(minutes=5)
"""How far a reading's time may lie ahead of this machine's clock."""


def stale(
    state: State, goal: Goal, criterion: Criterion, now: datetime | None, fresh: Sequence[Evidence] = ()
) -> str | None:
    """Why the outside fact ``criterion`` rests on is not known freshly enough; ``None`` where it is, or rests on none.

    ``fresh`` is evidence made in the decision at hand. Without a time only whether there is a reading is asked.
    """
    if criterion.readback is None:
        return None
    readback = criterion.readback
    try:
        fresh_for = parse_duration(readback.fresh_for)
    except ValueError as error:
        return f"How long a reading counts cannot be told: {error}."
    read = readings(state, goal, criterion, readback, now, fresh)
    if not read:
        return f"Nobody read {readback.source} back."
    if now is None or any(now - each.observed_at <= fresh_for and is_fresh(each, now) for each in read):
        return None
    newest = format_instant(max(each.observed_at for each in read))
    return f"{readback.source} was read at {newest}, which counts {format_duration(fresh_for)}."


def readings(
    state: State, goal: Goal, criterion: Criterion, readback: Readback, now: datetime | None, fresh: Sequence[Evidence]
) -> list[Evidence]:
    """Every reading of the fact that still applies, however old."""
    subject = f"{goal.id}/{criterion.id}"
    found = [*evidence_of(state, subject, goal.id), *fresh]
    return [each for each in found if _reads(state, each, subject, readback, now)]


def _reads(state: State, evidence: Evidence, subject: str, readback: Readback, now: datetime | None) -> bool:
    if evidence.kind is not EvidenceKind.READBACK or evidence.subject != subject or evidence.result not in _READ:
        return False
    if readback.source not in (evidence.source, *evidence.references):
        return False
    is_past = now is None or evidence.observed_at <= now + _AHEAD
    return is_past and evidence_standing(state, evidence, now).verdict is EvidenceVerdict.APPLIES
