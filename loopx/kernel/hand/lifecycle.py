"""A Todo's status or claim typed into its file: the guards of the commands, applied to the file as it now reads."""

from __future__ import annotations

from dataclasses import replace

from loopx.errors import Problem
from loopx.kernel.answering import stamp
from loopx.kernel.authority import beyond, person_only
from loopx.kernel.closing import judge_cancellation, judge_reopening
from loopx.kernel.commands import CancelTodo, CompleteTodo, ReopenTodo
from loopx.kernel.completing import judge_completion
from loopx.kernel.conditions import read_condition
from loopx.kernel.context import Context
from loopx.kernel.fencing import excluded, held_by_another
from loopx.kernel.lease_standing import live_lease
from loopx.kernel.outcome import Accepted, Change, Outcome, Refused, Update
from loopx.kernel.proving import with_the_lease
from loopx.kernel.state import State
from loopx.kernel.texts import bad_reason
from loopx.kernel.transitions import move
from loopx.kernel.wording import refuse
from loopx.model.todo import Todo, TodoStatus

Effects = tuple[str, tuple[Change, ...], tuple[Problem, ...]]
"""The verb, what follows from the change beyond the document itself, and notices."""

_NOTHING: Effects = ("edit", (), ())


def judge_lifecycle(state: State, before: Todo, after: Todo, context: Context) -> Effects | Refused:
    """Whether status and claim may change as typed."""
    if before.claimed_by != after.claimed_by and (refused := _bad_claim(state, before, after, context)):
        return refused
    if before.status is after.status:
        return _NOTHING
    # The other fields count as typed: whoever may edit them may do so in the same save.
    typed = replace(after, status=before.status)
    illegal = move(typed, after.status)
    if isinstance(illegal, Refused):
        return illegal
    if TodoStatus.SUPERSEDED in (before.status, after.status):
        return _by_command(after)
    return _judged(state, typed, after, context)


def _judged(state: State, typed: Todo, after: Todo, context: Context) -> Effects | Refused:
    match after.status:
        case TodoStatus.DONE:
            return _effects("done", typed, judge_completion(state, typed, CompleteTodo(todo=typed.id), context))
        case TodoStatus.CANCELLED:
            command = CancelTodo(todo=typed.id, reason=after.reason or "")
            return _effects("cancel", typed, judge_cancellation(state, typed, command, context))
        case TodoStatus.OPEN if typed.status.is_closed:
            return _reopened(state, typed, context)
        case TodoStatus.OPEN:
            return _not_held(state, typed, context) or ("resume", (), ())
        case TodoStatus.BLOCKED:
            return _not_held(state, typed, context) or bad_reason(after.reason) or ("block", (), ())
        case TodoStatus.DEFERRED:
            return _not_held(state, typed, context) or _deferred(state, after)
        case TodoStatus.SUPERSEDED:
            return _by_command(after)


def _reopened(state: State, typed: Todo, context: Context) -> Effects | Refused:
    if refused := person_only(state, context, "reopening a Todo"):
        return refused
    command = ReopenTodo(todo=typed.id, reason=typed.reason or "reopened in an editor")
    return _effects("reopen", typed, judge_reopening(state, typed, command, context))


def _deferred(state: State, after: Todo) -> Effects | Refused:
    if after.resume_when is None:
        hint = "Add a `resume_when` line that says what ends it."
        return refuse("condition-invalid", f"{after.id} is deferred until nothing.", hint, field="status")
    found = read_condition(state, after.resume_when, after.id)
    return found if isinstance(found, Refused) else ("defer", (), ())


def _effects(verb: str, todo: Todo, outcome: Outcome) -> Effects | Refused:
    """What an accepted command would change beyond the Todo itself, whose text is typed already."""
    if isinstance(outcome, Refused):
        return outcome
    assert isinstance(outcome, Accepted)
    others = tuple(each for each in outcome.changes if not (isinstance(each, Update) and each.id == todo.id))
    return verb, others, outcome.notices


def with_claim_dated(before: Todo, after: Todo, context: Context) -> Todo:
    """``after`` with the time of a claim that was typed, and without one where the claim was taken out: the time is
    LoopX's to write, and without it a claim never lapses."""
    if before.claimed_by == after.claimed_by:
        return after
    return replace(after, claimed_at=stamp(context) if after.claimed_by else None)


def _bad_claim(state: State, before: Todo, after: Todo, context: Context) -> Refused | None:
    """A person may enter or remove anybody's claim, an agent its own; one that goes with a live lease stays with it."""
    lease = live_lease(state, before.id, context.now)
    if lease is not None and after.claimed_by != lease.owner:
        return with_the_lease(before, lease, context)
    if context.actor.is_human:
        return None
    if refused := held_by_another(state, before, context) or excluded(before, context.actor):
        return refused
    if after.claimed_by not in (None, context.actor.name):
        return beyond(context, f"an agent claims for itself, not for {after.claimed_by}", field="claimed_by")
    return None


def _not_held(state: State, todo: Todo, context: Context) -> Refused | None:
    return None if context.actor.is_human else held_by_another(state, todo, context)


def _by_command(todo: Todo) -> Refused:
    hint = "Use `loopx todo supersede --by`, which links both ways, or `loopx todo reopen`."
    return refuse("field-by-command", f"{todo.id} is replaced, or taken up again, by a command.", hint, field="status")
