"""What the judgements on a criterion amount to now. Read by whatever shows or decides; judging is in ``criteria``.

A judgement is bound to the criterion's text and to the evidence it names. When either changes nothing is deleted: the
criterion counts as open again and says that it needs reassessment.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from loopx.kernel.state import State
from loopx.model.defining import dataclass
from loopx.model.goal import Criterion, CriterionStatus, Goal

if TYPE_CHECKING:
    from loopx.model.records import CriterionMark, Evidence


@dataclass(frozen=True, slots=True)
class CriterionStanding:
    """What the judgements on a criterion amount to now. ``why`` is one sentence."""

    status: CriterionStatus
    mark: CriterionMark | None
    """The newest judgement no rollback undid."""
    needs_reassessment: bool
    why: str


def criterion_standing(
    state: State, goal: Goal, criterion: Criterion, now: datetime | None = None
) -> CriterionStanding:
    """What the judgements on ``criterion`` amount to at ``now``, with the reason.

    Without a time it is not asked whether evidence and read-backs are fresh.
    """
    mark = last_mark(state, goal, criterion)
    if mark is None or mark.status is CriterionStatus.OPEN:
        return CriterionStanding(CriterionStatus.OPEN, mark, False, "Nobody has judged it met.")
    from loopx.kernel.digest import criterion_text  # most criteria are yet to be judged

    if mark.text != criterion_text(criterion):
        return _lapsed(mark, f"Its text or check was changed after it was {mark.status}: it needs reassessment.")
    if mark.status is CriterionStatus.MET and (why := _unsupported(state, goal, criterion, mark, now)):
        return _lapsed(mark, why)
    return CriterionStanding(mark.status, mark, False, f"{mark.status.capitalize()} by {mark.by}.")


def criterion_status(state: State, goal: Goal, criterion: Criterion, now: datetime | None = None) -> CriterionStatus:
    """Whether ``criterion`` is open, met or waived, as far as the judgements on it still hold."""
    return criterion_standing(state, goal, criterion, now).status


def last_mark(state: State, goal: Goal, criterion: Criterion) -> CriterionMark | None:
    """The newest judgement on ``criterion`` that no rollback undid."""
    log = state.criterion(goal.id, criterion.id)
    return next((each for each in reversed(log.entries if log else ()) if each.rolled_back_at is None), None)


def _lapsed(mark: CriterionMark, why: str) -> CriterionStanding:
    return CriterionStanding(CriterionStatus.OPEN, mark, True, why)


def _unsupported(
    state: State, goal: Goal, criterion: Criterion, mark: CriterionMark, now: datetime | None
) -> str | None:
    """Why what ``criterion`` was met on holds it up no longer; ``None`` while it does."""
    from loopx.kernel.support import criterion_subject, is_sufficient

    found = [evidence for each in mark.evidence if (evidence := state.evidence(each)) is not None]
    if not any(is_sufficient(state, goal, criterion, each, mark.by, now) for each in found):
        return f"No evidence it was met on still applies: it needs reassessment.{_first_reason(state, found, now)}"
    if criterion.check is not None:
        from loopx.kernel.bindings import failed_since

        failed = failed_since(state, criterion_subject(goal, criterion), goal.id, mark.at)
        if failed is not None:
            return f"Its check failed after it was met ({failed.id}): it needs reassessment."
    if criterion.readback is None:
        return None
    from loopx.kernel.readbacks import stale

    return stale(state, goal, criterion, now)


def _first_reason(state: State, found: Sequence[Evidence], now: datetime | None) -> str:
    from loopx.kernel.bindings import evidence_standing

    for each in found:
        standing = evidence_standing(state, each, now)
        if not standing.counts:
            return f" {each.id}: {standing.why}"
    return ""
