"""Whether the outside fact a criterion rests on was read back lately enough. Criteria and the terminal audit ask.

A reading counts for its criterion only: it names that criterion as what it is about and the criterion's source as where
it was read, and it came out well. LoopX makes one by running the criterion's check, a person by saying what they saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from loopx.kernel.bindings import evidence_standing
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
    newest = newest_reading(state, goal, criterion, readback, now, fresh)
    if newest is None:
        return f"Nobody read {readback.source} back."
    if now is None or now - newest <= fresh_for:
        return None
    return f"{readback.source} was read at {format_instant(newest)}, which counts {format_duration(fresh_for)}."


def newest_reading(
    state: State, goal: Goal, criterion: Criterion, readback: Readback, now: datetime | None, fresh: Sequence[Evidence]
) -> datetime | None:
    """When the fact was last read in a way that still counts."""
    subject = f"{goal.id}/{criterion.id}"
    found = [*state.evidence_about(subject), *fresh]
    return max((each.observed_at for each in found if _reads(state, each, subject, readback, now)), default=None)


def _reads(state: State, evidence: Evidence, subject: str, readback: Readback, now: datetime | None) -> bool:
    if evidence.kind is not EvidenceKind.READBACK or evidence.subject != subject or evidence.result not in _READ:
        return False
    if readback.source not in (evidence.source, *evidence.references):
        return False
    is_past = now is None or evidence.observed_at <= now + _AHEAD
    return is_past and evidence_standing(state, evidence, now).counts
