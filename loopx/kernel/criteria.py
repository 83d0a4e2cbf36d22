"""Acceptance criteria: meeting, reopening and waiving them. What such a judgement is worth is told in ``judgement``."""

from __future__ import annotations

from collections.abc import Sequence

from loopx.kernel.answering import accepted, headline, stamp
from loopx.kernel.authority import beyond
from loopx.kernel.commands import Command, MeetCriterion, UnmeetCriterion, WaiveCriterion
from loopx.kernel.context import Context
from loopx.kernel.digest import criterion_text
from loopx.kernel.judgement import CriterionStanding as CriterionStanding
from loopx.kernel.judgement import criterion_standing as criterion_standing
from loopx.kernel.judgement import criterion_status as criterion_status
from loopx.kernel.judgement import last_mark as last_mark
from loopx.kernel.outcome import Outcome, Record, Refused
from loopx.kernel.resolve import find_criterion, find_goal
from loopx.kernel.state import State
from loopx.kernel.support import read_support
from loopx.kernel.texts import bad_reason
from loopx.kernel.wording import refuse
from loopx.model.goal import Criterion, Goal, GoalStatus
from loopx.model.records import CriterionLog, CriterionMark, CriterionStatus, Evidence


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
