"""Rules of Goals: new, edit, and the verbs that set the status. How one ends is in :mod:`loopx.kernel.ending`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loopx.errors import Problem
from loopx.kernel.answering import accepted, headline, stamp
from loopx.kernel.authority import beyond, person_only
from loopx.kernel.commands import EditGoal, NewGoal, SetGoalStatus
from loopx.kernel.context import Context
from loopx.kernel.departing import departures, leaving_goal, only_these
from loopx.kernel.durations import parse_duration
from loopx.kernel.outcome import Change, Create, Outcome, Refused, Update
from loopx.kernel.rebinding import changed_fields, edited, rebound
from loopx.kernel.resolve import find_criterion, find_goal
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line, bad_lines
from loopx.kernel.transitions import move
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model.goal import Criterion, Goal, GoalStatus
from loopx.model.ids import slug
from loopx.model.layout import is_goal_slug

_OF_A_DRAFT = frozenset({"title", "body", "tags"})
"""What an agent may edit, as long as nobody has activated the Goal."""


def new(state: State, command: NewGoal, context: Context) -> Outcome:
    """Make a Goal. Its name is chosen by whoever makes it and never changes."""
    refused = _bad_name(state, command.goal) or _bad_texts(command)
    if refused:
        return refused
    if not command.draft and (refused := person_only(state, context, "making a Goal active")):
        return replace(refused, hint="Pass --draft to propose it.")
    goal = Goal(
        id=command.goal,
        title=command.title.strip(),
        status=GoalStatus.DRAFT if command.draft else GoalStatus.ACTIVE,
        acceptance=_criteria((), command.acceptance),
        tags=command.tags,
        created_at=stamp(context),
        body=command.objective,
    )
    return accepted(
        command,
        context,
        subject=f"goal {goal.id}",
        goal=goal.id,
        headline=headline("goal", "new", goal.id, goal.title),
        changes=[Create(goal)],
        result={"id": goal.id, "status": goal.status.value},
    )


def edit(state: State, command: EditGoal, context: Context) -> Outcome:
    """Change fields, the objective, or add criteria; the status has verbs of its own."""
    before = find_goal(state, command.goal)
    if isinstance(before, Refused):
        return before
    after = _edited(before, command)
    if isinstance(after, Refused):
        return after
    notices = judge_edit(state, before, after, context)
    if isinstance(notices, Refused):
        return notices
    return edited(command, context, before, after, notices, after_edit(state, before, after, context))


def after_edit(state: State, before: Goal, after: Goal, context: Context) -> list[Change]:
    """What else changes once a Goal reads ``after``: agents that no longer take part hold nothing in it any more."""
    return departures(state, leaving_goal(state, before, after), context, after.id)


def judge_edit(state: State, before: Goal, after: Goal, context: Context) -> Refused | list[Problem]:
    """Whether the actor may turn ``before`` into ``after``, by command or by hand; notices when so.

    The status is judged elsewhere.
    """
    changed = set(changed_fields(before, after)) - {"status"}
    refused = _not_yours(state, before, changed, context) if changed else None
    if refused := refused or _judged_by_already(before, changed):
        return refused
    names = [each.id for each in after.acceptance]
    twice = sorted({each for each in names if names.count(each) > 1})
    if twice:
        return refuse("criterion-duplicate", f"Two criteria have the id {listed(twice)}.", field="acceptance")
    if "acceptance" in changed and (refused := _bad_readback(after)):
        return refused
    agents = [each.id for each in after.agents]
    twice = sorted({each for each in agents if agents.count(each) > 1})
    if twice:
        return refuse("field-value", f"agents lists {listed(twice)} twice.", "Keep one entry each.", field="agents")
    return [*_dangling(state, before, after), *only_these(before, after, leaving_goal(state, before, after))]


def _judged_by_already(before: Goal, changed: set[str]) -> Refused | None:
    """What a Goal that has ended was judged by stays as it was: other criteria are for a Goal that goes on."""
    if before.status is not GoalStatus.CLOSED or "acceptance" not in changed:
        return None
    message = f"Goal {before.id} is closed, and what it was judged by stays as it was."
    hint = f"A person takes it up again with `loopx goal reopen {before.id}` first."
    return refuse("goal-closed", message, hint, field="acceptance", goal=before.id)


def set_status(state: State, command: SetGoalStatus, context: Context) -> Outcome:
    """Activate, pause, resume or stop. Saying again what holds already changes nothing."""
    goal = find_goal(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    if command.reason is not None and (refused := bad_line(command.reason, "reason")):
        return refused
    change: Update | Refused | None = None
    if goal.status is not command.to:
        change = move(goal, command.to, f"goal {command.verb}", reason=command.reason)
    if isinstance(change, Refused):
        return change
    return accepted(
        command,
        context,
        subject=f"goal {goal.id}",
        goal=goal.id,
        headline=headline("goal", command.verb, goal.id, goal.title),
        changes=[change] if change else [],
        body=command.reason or "",
        result={"id": goal.id, "status": command.to.value, "already": change is None},
    )


def _bad_name(state: State, name: str) -> Refused | None:
    if not is_goal_slug(name):
        suggested = slug(name)
        hint = f"Use lower-case letters, digits and dashes{f', such as {suggested}' if suggested else ''}."
        return refuse("goal-id-invalid", f"{quoted(name)} cannot be a Goal's name.", hint, suggestion=suggested or None)
    there = state.goal(name)
    if there is not None:
        return refuse("goal-exists", f"Goal {name} {quoted(there.title)} is there already.", goal=name)
    return None


def _bad_texts(command: NewGoal) -> Refused | None:
    return (
        bad_line(command.title, "title")
        or bad_lines(command.acceptance, "acceptance")
        or bad_lines(command.tags, "tags")
    )


def _edited(before: Goal, command: EditGoal) -> Goal | Refused:
    if refused := bad_lines(command.add_acceptance, "acceptance"):
        return refused
    after = rebound(before, command.fields) if command.fields else before
    if isinstance(after, Refused):
        return after
    body = after.body if command.objective is None else command.objective
    after = replace(after, acceptance=_criteria(after.acceptance, command.add_acceptance), body=body)
    return _with_checks(after, command.checks)


def _with_checks(goal: Goal, checks: Sequence[tuple[str, tuple[str, ...]]]) -> Goal | Refused:
    """``goal`` with these commands as the checks of its criteria."""
    wanted: dict[str, tuple[str, ...]] = {}
    for typed, argv in checks:
        criterion = find_criterion(goal, typed)
        if isinstance(criterion, Refused):
            return criterion
        wanted[criterion.id] = argv
    found = (replace(each, check=wanted[each.id] or None) if each.id in wanted else each for each in goal.acceptance)
    return replace(goal, acceptance=tuple(found)) if wanted else goal


def _criteria(known: tuple[Criterion, ...], texts: tuple[str, ...]) -> tuple[Criterion, ...]:
    """``known`` and one new criterion a text, named by the first free of a1, a2, …"""
    found = list(known)
    for text in texts:
        taken = {each.id for each in found}
        number = next(n for n in range(1, len(found) + 2) if f"a{n}" not in taken)
        found.append(Criterion(id=f"a{number}", text=text.strip()))
    return tuple(found)


def _bad_readback(goal: Goal) -> Refused | None:
    """The refusal of a read-back of which nobody could tell how long it counts."""
    for each in goal.acceptance:
        try:
            if each.readback is not None:
                parse_duration(each.readback.fresh_for)
        except ValueError as error:
            return refuse("field-value", f"{each.id}: {error}.", "Write 30m, 6h or 1d.", field="acceptance")
    return None


def _not_yours(state: State, before: Goal, changed: set[str], context: Context) -> Refused | None:
    guarded = sorted(changed - _OF_A_DRAFT)
    if guarded:
        refused = person_only(state, context, f"changing {listed(guarded)} of a Goal")
        return replace(refused, facts={**refused.facts, "field": guarded[0]}) if refused else None
    if context.actor.is_human or before.status is GoalStatus.DRAFT:
        return None
    return beyond(context, "an agent may edit a Goal while it is a draft", field=sorted(changed)[0])


def _dangling(state: State, before: Goal, after: Goal) -> list[Problem]:
    """A notice for Todos that name criteria ``after`` no longer has."""
    gone = {each.id for each in before.acceptance} - {each.id for each in after.acceptance}
    if not gone:
        return []
    left = [each.id for each in state.todos(before.id) if not each.status.is_closed and gone & set(each.acceptance)]
    if not left:
        return []
    message = f"{listed(left)} still name {listed(sorted(gone))}, which Goal {before.id} no longer has."
    return [Problem("criterion-dangling", message, facts={"todos": left[:5], "criteria": sorted(gone)[:5]})]
