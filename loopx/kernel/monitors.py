"""Rules of a look at a monitor: nothing new, something that calls for work, or nothing could be read.

One look is one commit. What was seen is kept as a digest and a few words; the first look is what later ones are
compared with. Streaks of looks that found or read nothing are kept for the obligations that follow from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from loopx.errors import Problem
from loopx.kernel.adding import named_or_new
from loopx.kernel.answering import accepted, fresh_id, headline, stamp
from loopx.kernel.cadence import cadence_of, monitor_standing, not_a_monitor
from loopx.kernel.commands import PollMonitor
from loopx.kernel.context import Context
from loopx.kernel.durations import later
from loopx.kernel.fencing import closed, excluded
from loopx.kernel.outcome import Change, Create, Outcome, Record, Refused
from loopx.kernel.privacy import bad_text, is_shared
from loopx.kernel.references import goal_taking_work
from loopx.kernel.resolve import find_todo
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line, bad_reason
from loopx.kernel.transitions import update
from loopx.kernel.wording import cut, quoted, refuse
from loopx.model.defining import dataclass
from loopx.model.ids import EVIDENCE
from loopx.model.monitor import MonitorLog, Poll, PollResult
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.times import format_instant
from loopx.model.todo import Todo, TodoStatus

RECENT = 10
"""Looks a log lists; Git has the others."""
_SUMMARY = 200
"""Characters kept of what was seen, where nobody summed it up."""


def poll(state: State, command: PollMonitor, context: Context) -> Outcome:
    """Record one look."""
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    refused = _unwatched(state, todo, context) or _elsewhere(todo, command) or _unclear(state, command)
    if refused:
        return refused
    before = state.monitor(todo.id) or MonitorLog(todo=todo.id, goal=todo.goal)
    look = _look(before, command)
    if refused := _contradicted(command, look.result):
        return refused
    raised = _raised(state, todo, command, context) if look.result is PollResult.MATERIAL else _NOTHING
    return raised if isinstance(raised, Refused) else _recorded(state, todo, command, context, before, look, raised)


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look comes out as. ``digest`` is what later looks are compared with."""

    result: PollResult
    digest: str | None
    is_first: bool


@dataclass(frozen=True, slots=True)
class _Raised:
    """Todos a look names as its successors, and those of them that are new."""

    named: tuple[Todo, ...] = ()
    made: tuple[Todo, ...] = ()


_NOTHING = _Raised()


def _unwatched(state: State, todo: Todo, context: Context) -> Refused | None:
    """The refusal of a look at what is not, or no longer, watched."""
    if refused := not_a_monitor(todo):
        return refused
    if todo.status.is_closed:
        return closed(todo)
    if todo.status is not TodoStatus.OPEN:
        message = f"{todo.id} {quoted(todo.title)} is {todo.status}."
        return refuse("todo-not-open", message, todo=todo.id, status=todo.status.value)
    goal = goal_taking_work(state, todo.goal)
    if isinstance(goal, Refused):
        return goal
    return excluded(todo, context.actor) or _expired(state, todo, context)


def _expired(state: State, todo: Todo, context: Context) -> Refused | None:
    standing = monitor_standing(state, todo, context.now)
    if not standing.is_expired:
        return None
    hint = f"Close it with `loopx todo done {todo.id} --no-follow-up …`, or set a later expires_at."
    return refuse("monitor-expired", f"{todo.id}: {standing.why}", hint, todo=todo.id)


def _elsewhere(todo: Todo, command: PollMonitor) -> Refused | None:
    """The refusal of a look at something else than the monitor's target."""
    if not todo.target:
        hint = f"Say what it watches with `loopx todo edit {todo.id} --set target=…`."
        return refuse("target-missing", f"{todo.id} has no target to look at.", hint, todo=todo.id)
    if command.target.strip() == todo.target:
        return None
    message = f"{todo.id} watches {quoted(todo.target, 120)}, not {quoted(command.target, 60)}."
    return refuse("monitor-target-mismatch", message, todo=todo.id, target=todo.target)


def _unclear(state: State, command: PollMonitor) -> Refused | None:
    if command.seen is None and not command.is_dead:
        hint = "Give it with --seen, or say with --dead that nothing could be read."
        return refuse("field-missing", "What was seen was not said.", hint, field="seen")
    if command.is_dead and (command.seen is not None or command.is_material):
        return refuse("poll-contradiction", "Nothing could be read, and yet something was seen.")
    if command.successors and command.no_follow_up is not None:
        return refuse("poll-contradiction", "Something follows, and nothing does.")
    refused = None
    if command.no_follow_up is not None:
        refused = bad_reason(command.no_follow_up)
    if refused is None and command.summary is not None:
        refused = bad_line(command.summary, "summary")
    return refused or bad_text(command.summary, "summary", is_shared(state))


def _look(before: MonitorLog, command: PollMonitor) -> _Look:
    if command.is_dead or command.seen is None:
        return _Look(PollResult.DEAD, before.last_result_hash, False)
    digest = sha256(command.seen.strip().encode("utf-8", "surrogatepass")).hexdigest()
    is_first = before.last_result_hash is None
    is_material = command.is_material
    if is_material is None:
        is_material = not is_first and digest != before.last_result_hash
    return _Look(PollResult.MATERIAL if is_material else PollResult.UNCHANGED, digest, is_first)


def _contradicted(command: PollMonitor, result: PollResult) -> Refused | None:
    """The refusal of a follow-up to a look that found nothing new."""
    if result is PollResult.MATERIAL or not (command.successors or command.no_follow_up is not None):
        return None
    hint = "Say --material where it calls for work after all, or name nothing that follows."
    return refuse("poll-contradiction", f"The look is {result}, so nothing follows from it.", hint)


def _raised(state: State, todo: Todo, command: PollMonitor, context: Context) -> _Raised | Refused:
    """What a material look calls for: its successors, unless it only watches or an earlier one is still open."""
    if not command.successors:
        is_answered = command.no_follow_up is not None or todo.watch_only or open_successors(state, todo)
        return _NOTHING if is_answered else _nothing_follows(todo)
    found = named_or_new(state, context, command.successors, todo, guards=False)
    if isinstance(found, Refused):
        return found
    named, made = found
    wrong = next((each for each in named if each.id == todo.id or each.status.is_closed), None)
    if wrong is not None and wrong.id == todo.id:
        return refuse("poll-contradiction", f"{todo.id} cannot be its own successor.", todo=todo.id)
    return closed(wrong) if wrong is not None else _Raised(tuple(named), tuple(made))


def open_successors(state: State, todo: Todo) -> tuple[str, ...]:
    """Ids of Todos that earlier looks at a monitor raised and that are not closed yet."""
    found = (state.todo(each) for each in todo.successors)
    return tuple(each.id for each in found if each is not None and not each.status.is_closed)


def _nothing_follows(todo: Todo) -> Refused:
    message = f"{todo.id} {quoted(todo.title)} saw something that calls for work, and nothing follows from it."
    return refuse("monitor-successor-missing", message, todo=todo.id)


def _recorded(
    state: State,
    todo: Todo,
    command: PollMonitor,
    context: Context,
    before: MonitorLog,
    look: _Look,
    raised: _Raised,
) -> Outcome:
    summary = _summary(state, command)
    evidence = _evidence(state, todo, context, summary) if look.result is PollResult.MATERIAL else None
    entry = Poll(
        number=before.polls + 1,
        at=stamp(context),
        by=str(context.actor),
        operation=context.operation,
        result=look.result,
        digest=None if look.result is PollResult.DEAD else look.digest,
        summary=summary,
        successors=tuple(each.id for each in raised.named),
        evidence=(evidence.id,) if evidence else (),
    )
    after = _counted(todo, before, look, entry)
    linked = (*todo.successors, *(each for each in entry.successors if each not in todo.successors))
    changes: list[Change] = [Record(after), *map(Create, raised.made), update(todo, successors=linked)]
    if evidence is not None:
        changes.append(Record(evidence))
    return accepted(
        command,
        context,
        subject=f"todo {todo.id}",
        goal=todo.goal,
        headline=headline("monitor", "poll", todo.id, todo.title),
        changes=changes,
        body=_told(command, after, entry),
        result={
            "id": todo.id,
            "result": look.result.value,
            "number": entry.number,
            "unchanged_count": after.unchanged_count,
            "dead_count": after.dead_count,
            "next_due_at": format_instant(after.next_due_at) if after.next_due_at else None,
            "successors": list(entry.successors),
            "evidence": list(entry.evidence),
        },
        notices=_early(state, todo, context),
    )


def _counted(todo: Todo, before: MonitorLog, look: _Look, entry: Poll) -> MonitorLog:
    """The log with one more look. A dead one neither adds to the looks that found nothing new nor ends them."""
    unchanged = {
        PollResult.UNCHANGED: 0 if look.is_first else before.unchanged_count + 1,
        PollResult.MATERIAL: 0,
        PollResult.DEAD: before.unchanged_count,
    }
    return replace(
        before,
        polls=entry.number,
        unchanged_count=unchanged[look.result],
        dead_count=before.dead_count + 1 if look.result is PollResult.DEAD else 0,
        last_result_hash=look.digest,
        last_polled_at=entry.at,
        last_material_at=entry.at if look.result is PollResult.MATERIAL else before.last_material_at,
        next_due_at=later(entry.at, cadence_of(todo)),
        recent=(*before.recent, entry)[-RECENT:],
    )


def _summary(state: State, command: PollMonitor) -> str:
    """A few words on what was seen. What was not summed up is left out where it holds what no text may."""
    if command.summary is not None:
        return command.summary.strip()
    seen = cut(command.seen or "", _SUMMARY)
    return "" if bad_text(command.seen, "seen", is_shared(state)) else seen


def _evidence(state: State, todo: Todo, context: Context, summary: str) -> Evidence:
    """What a material look leaves for others to cite: the word of whoever looked, no more."""
    return Evidence(
        id=fresh_id(state, context, EVIDENCE),
        kind=EvidenceKind.OBSERVATION,
        subject=todo.id,
        source=str(context.actor),
        observed_at=stamp(context),
        result=EvidenceResult.NOTED,
        summary=summary,
        references=(todo.target,) if todo.target else (),
        operation=context.operation,
        goal=todo.goal,
    )


def _early(state: State, todo: Todo, context: Context) -> Sequence[Problem]:
    standing = monitor_standing(state, todo, context.now)
    if standing.is_due or standing.next_due_at is None:
        return ()
    message = f"{todo.id} was not due before {format_instant(standing.next_due_at)}."
    return (Problem("monitor-early", message, facts={"todo": todo.id}),)


def _told(command: PollMonitor, after: MonitorLog, entry: Poll) -> str:
    streak = {
        PollResult.UNCHANGED: f"Nothing new, {after.unchanged_count} in a row." if after.unchanged_count else "Seen.",
        PollResult.MATERIAL: "Something that calls for work.",
        PollResult.DEAD: f"Nothing could be read, {after.dead_count} in a row.",
    }
    lines = [streak[entry.result], entry.summary]
    if entry.successors:
        lines.append(f"Carried on by {', '.join(entry.successors)}.")
    if command.no_follow_up:
        lines.append(f"Nothing follows: {command.no_follow_up}")
    return "\n".join(each for each in lines if each)
