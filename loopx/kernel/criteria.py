"""Acceptance criteria: meeting, reopening and waiving them, and what such a judgement is worth now.

A judgement is bound to the criterion's text and to the evidence it names. When either changes nothing is deleted: the
criterion counts as open again and says that it needs reassessment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from loopx.kernel.answering import accepted, headline, stamp
from loopx.kernel.authority import beyond
from loopx.kernel.commands import Command, MeetCriterion, UnmeetCriterion, WaiveCriterion
from loopx.kernel.context import Context
from loopx.kernel.digest import criterion_text
from loopx.kernel.outcome import Outcome, Record, Refused
from loopx.kernel.resolve import find_criterion, find_goal
from loopx.kernel.state import State
from loopx.kernel.support import criterion_subject, is_sufficient, read_support
from loopx.kernel.texts import bad_reason
from loopx.kernel.wording import refuse
from loopx.model.goal import Criterion, Goal, GoalStatus
from loopx.model.records import CriterionLog, CriterionMark, CriterionStatus, Evidence


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


def meet(state: State, command: MeetCriterion, context: Context) -> Outcome:
    """Judge a criterion met, on evidence that is more than the word of whoever claims it."""
    found = _judged(state, command.goal, command.criterion)
    if isinstance(found, Refused):
        return found
    goal, criterion = found
    if criterion_status(state, goal, criterion, context.now) is CriterionStatus.MET:
        return _answer(command, context, goal, criterion, CriterionStatus.MET, [])
    support = read_support(state, goal, criterion, command.evidence, context)
    if isinstance(support, Refused):
        return support
    if refused := not_read_back(state, goal, criterion, context, support.made):
        return refused
    mark = _mark(context, criterion, CriterionStatus.MET, evidence=support.ids)
    records = [*map(Record, support.made), _recorded(state, goal, criterion, mark)]
    return _answer(command, context, goal, criterion, CriterionStatus.MET, records, support.made)


def unmeet(state: State, command: UnmeetCriterion, context: Context) -> Outcome:
    """Say that a criterion is open after all. A waiver is taken back by a person only."""
    found = _judged(state, command.goal, command.criterion)
    if isinstance(found, Refused):
        return found
    goal, criterion = found
    standing = criterion_standing(state, goal, criterion, context.now)
    if standing.mark is None or standing.mark.status is CriterionStatus.OPEN:
        return _answer(command, context, goal, criterion, CriterionStatus.OPEN, [])
    if standing.mark.status is CriterionStatus.WAIVED and not context.actor.is_human:
        return beyond(context, "a criterion a person waived is reopened by a person")
    mark = _mark(context, criterion, CriterionStatus.OPEN, reason=command.reason)
    records = [_recorded(state, goal, criterion, mark)]
    return _answer(command, context, goal, criterion, CriterionStatus.OPEN, records, reason=command.reason)


def waive(state: State, command: WaiveCriterion, context: Context) -> Outcome:
    """Do without a criterion, for a reason."""
    found = _judged(state, command.goal, command.criterion)
    if isinstance(found, Refused):
        return found
    if refused := bad_reason(command.reason):
        return refused
    goal, criterion = found
    if criterion_status(state, goal, criterion, context.now) is CriterionStatus.WAIVED:
        return _answer(command, context, goal, criterion, CriterionStatus.WAIVED, [])
    mark = _mark(context, criterion, CriterionStatus.WAIVED, reason=command.reason)
    records = [_recorded(state, goal, criterion, mark)]
    return _answer(command, context, goal, criterion, CriterionStatus.WAIVED, records, reason=command.reason)


def not_read_back(
    state: State, goal: Goal, criterion: Criterion, context: Context, fresh: Sequence[Evidence] = ()
) -> Refused | None:
    """The refusal where the outside fact ``criterion`` rests on was not read lately; ``fresh`` is made just now."""
    if criterion.readback is None:
        return None
    from loopx.kernel.readbacks import stale

    why = stale(state, goal, criterion, context.now, fresh)
    if why is None:
        return None
    hint = f"A person reads it with `loopx evidence add {goal.id}/{criterion.id} … --kind readback`."
    if criterion.check is not None:
        hint = f"Run its check with `loopx goal check {goal.id} {criterion.id}`."
    return refuse("readback-stale", why, hint, goal=goal.id, criterion=criterion.id)


def _judged(state: State, typed_goal: str, typed: str) -> tuple[Goal, Criterion] | Refused:
    goal = find_goal(state, typed_goal)
    if isinstance(goal, Refused):
        return goal
    if goal.status is GoalStatus.CLOSED:
        return refuse("goal-closed", f"Goal {goal.id} is closed; its criteria are judged.", goal=goal.id)
    criterion = find_criterion(goal, typed)
    return criterion if isinstance(criterion, Refused) else (goal, criterion)


def _lapsed(mark: CriterionMark, why: str) -> CriterionStanding:
    return CriterionStanding(CriterionStatus.OPEN, mark, True, why)


def _unsupported(
    state: State, goal: Goal, criterion: Criterion, mark: CriterionMark, now: datetime | None
) -> str | None:
    """Why what ``criterion`` was met on holds it up no longer; ``None`` while it does."""
    found = [evidence for each in mark.evidence if (evidence := state.evidence(each)) is not None]
    if not any(is_sufficient(state, goal, criterion, each, mark.by, now) for each in found):
        return f"No evidence it was met on still applies: it needs reassessment.{_first_reason(state, found, now)}"
    if criterion.check is not None:
        from loopx.kernel.bindings import failed_since

        failed = failed_since(state, criterion_subject(goal, criterion), mark.at)
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


def _mark(
    context: Context,
    criterion: Criterion,
    status: CriterionStatus,
    *,
    evidence: tuple[str, ...] = (),
    reason: str | None = None,
) -> CriterionMark:
    return CriterionMark(
        status=status,
        at=stamp(context),
        by=str(context.actor),
        operation=context.operation,
        evidence=evidence,
        reason=reason,
        text=criterion_text(criterion),
    )


def _recorded(state: State, goal: Goal, criterion: Criterion, mark: CriterionMark) -> Record:
    log = state.criterion(goal.id, criterion.id)
    return Record(CriterionLog(criterion=criterion.id, entries=(*(log.entries if log else ()), mark), goal=goal.id))


def _answer(
    command: Command,
    context: Context,
    goal: Goal,
    criterion: Criterion,
    status: CriterionStatus,
    records: Sequence[Record],
    made: Sequence[Evidence] = (),
    reason: str | None = None,
) -> Outcome:
    result = {"goal": goal.id, "criterion": criterion.id, "status": status.value, "already": not records}
    verb = command.name.split()[1]
    return accepted(
        command,
        context,
        subject=f"goal {goal.id}",
        goal=goal.id,
        headline=headline("goal", verb, f"{goal.id} {criterion.id}", criterion.text),
        changes=records,
        body=reason or "\n".join(each.summary for each in made),
        result={**result, **({"evidence": [each.id for each in made]} if made else {})},
    )
