"""Finishing a Todo: every guard in its fixed order, the record of it, and what goes on afterwards.

The declared validation is run by the workspace, outside the lock. It asks once without evidence: everything else that
stands in the way is refused first, and only then ``validation-required``. It runs the command and asks again with the
result, which must rest on the Todo as it is then.
"""

from __future__ import annotations

from collections.abc import Sequence

from loopx.kernel.adding import named_or_new
from loopx.kernel.answering import accepted, headline, stamp
from loopx.kernel.claims import holder_name
from loopx.kernel.commands import Command, CompleteTodo
from loopx.kernel.context import Context
from loopx.kernel.dependencies import Prospect, prerequisites
from loopx.kernel.digest import completion_basis, validation_inputs
from loopx.kernel.fencing import closed, fence
from loopx.kernel.lease_record import endings
from loopx.kernel.outcome import Change, Create, Outcome, Record, Refused
from loopx.kernel.policies import ownership
from loopx.kernel.proving import expected_version
from loopx.kernel.resolve import find_todo
from loopx.kernel.standing import Coverage, GateBook
from loopx.kernel.state import State
from loopx.kernel.support import standing_completion
from loopx.kernel.texts import read_scope
from loopx.kernel.transitions import move
from loopx.kernel.wording import cut, listed, quoted, refuse
from loopx.model.policy import Ownership
from loopx.model.records import (
    Completion,
    CompletionContinuation,
    CompletionLog,
    Evidence,
    EvidenceKind,
    EvidenceResult,
)
from loopx.model.todo import Todo, TodoStatus, Validation

_NOT_PASSED = {
    EvidenceResult.FAILED: ("validation-failed", "failed"),
    EvidenceResult.UNAVAILABLE: ("validation-unavailable", "could not be started"),
    EvidenceResult.TIMED_OUT: ("validation-timed-out", "ran out of time"),
}


def complete(state: State, command: CompleteTodo, context: Context) -> Outcome:
    """Finish a Todo. Finished already is no error and changes nothing."""
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    if refused := moved_on(state, todo, command.validated_on):
        return refused
    if todo.status is TodoStatus.DONE:
        return _already(state, command, context, todo)
    return judge_completion(state, todo, command, context)


def judge_completion(state: State, todo: Todo, command: CompleteTodo, context: Context) -> Outcome:
    """Finish ``todo`` as given: the Todo at the revision decided on, or (a hand edit) as its file now reads."""
    refused = (
        expected_version(todo, state.lease(todo.id), command.expect_lease_version)
        or in_the_way(state, todo, context, command.lease_key)
        or _contradiction(command)
        or _not_validated(state, todo, command)
    )
    if refused:
        return refused
    following = named_or_new(state, context, command.successors, todo, guards=False)
    if isinstance(following, Refused):
        return following
    successors, made = following
    if any(each.id == todo.id for each in successors):
        return refuse("completion-contradiction", f"{todo.id} cannot be its own successor.", todo=todo.id)
    return _completed(state, todo, command, context, successors, made)


def moved_on(state: State, todo: Todo, basis: str | None) -> Refused | None:
    """The refusal when ``todo`` is not what it was when its validation began; ``basis`` is what it was then."""
    if basis is None or basis == completion_basis(todo, state.goal(todo.goal), state.lease(todo.id)):
        return None
    message = f"{todo.id} changed while its validation ran, so the result speaks of what it was before."
    return refuse("revision-conflict", message, "Finish it again.", todo=todo.id)


def in_the_way(state: State, todo: Todo, context: Context, key: str | None = None) -> Refused | None:
    """The first thing that keeps ``todo`` from being finished now, its validation apart. ``key``: the execution key."""
    return (
        _not_open(todo)
        or fence(state, todo, context, key)
        or _unclaimed(state, todo, context)
        or _unmet(state, todo)
        or _uncovered(state, todo, context)
    )


def completed_log(state: State, todo: Todo, completion: Completion) -> CompletionLog:
    """The completion record of ``todo`` with one more entry."""
    log = state.completions(todo.id)
    return CompletionLog(todo=todo.id, entries=(*(log.entries if log else ()), completion), goal=todo.goal)


def _completed(
    state: State, todo: Todo, command: CompleteTodo, context: Context, successors: Sequence[Todo], made: Sequence[Todo]
) -> Outcome:
    ids = tuple(each.id for each in successors)
    completion = _completion(command, context, ids)
    linked = (*todo.successors, *(each for each in ids if each not in todo.successors))
    change = move(todo, TodoStatus.DONE, command.name, successors=linked, reason=None, **_claim(todo, context))
    if isinstance(change, Refused):
        return change
    changes: list[Change] = [change, *map(Create, made), Record(completed_log(state, todo, completion))]
    changes += endings(state, todo.id, context, "completed")
    evidence = command.evidence
    if evidence is not None and state.evidence(evidence.id) is None:
        changes.append(Record(evidence))
    result = {"id": todo.id, "already": False, "validated": completion.validated, "successors": list(ids)}
    return _answer(command, context, todo, changes, result, completion)


def _claim(todo: Todo, context: Context) -> dict[str, object]:
    """Whoever finishes what they had not claimed claims it thereby."""
    me = holder_name(context.actor)
    return {} if todo.claimed_by == me else {"claimed_by": me, "claimed_at": stamp(context)}


def _completion(command: CompleteTodo, context: Context, successors: tuple[str, ...]) -> Completion:
    continuation = CompletionContinuation.GOAL_ACTIVE
    if successors:
        continuation = CompletionContinuation.SUCCESSOR
    elif command.no_follow_up is not None:
        continuation = CompletionContinuation.NO_FOLLOWUP
    return Completion(
        at=stamp(context),
        by=str(context.actor),
        operation=context.operation,
        continuation=continuation,
        successors=successors,
        reason=command.no_follow_up,
        evidence=(command.evidence.id,) if command.evidence else (),
        validated=command.evidence is not None,
        note=command.note,
    )


def _not_open(todo: Todo) -> Refused | None:
    if todo.status.is_closed:
        return closed(todo)
    if todo.status is not TodoStatus.OPEN:
        message = f"{todo.id} {quoted(todo.title)} is {todo.status}."
        return refuse("todo-not-open", message, field="status", todo=todo.id, status=todo.status.value)
    return None


def _unclaimed(state: State, todo: Todo, context: Context) -> Refused | None:
    if ownership(state, todo.goal) is not Ownership.CLAIM or todo.claimed_by == holder_name(context.actor):
        return None
    return refuse("claim-required", f"{todo.id} {quoted(todo.title)} is not claimed by you.", todo=todo.id)


def _unmet(state: State, todo: Todo) -> Refused | None:
    """The refusal over prerequisites; those that can never be met speak first, since waiting will not help."""
    missing = [each for each in prerequisites(state, todo) if each.prospect is not Prospect.MET]
    if not missing:
        return None
    missing.sort(key=lambda each: each.prospect is Prospect.UNMET)
    message = f"{todo.id} waits for {listed(each.id for each in missing)}. {missing[0].message}"
    ids = [each.id for each in missing]
    return refuse("dependency-unmet", message, field="status", todo=todo.id, unmet=ids)


def _uncovered(state: State, todo: Todo, context: Context) -> Refused | None:
    book = GateBook(state, context.now)
    for text in todo.requires:
        need = read_scope(text, "requires")
        if isinstance(need, Refused):
            return need
        coverage = book.coverage(todo.goal, need)
        if coverage.gate is None:
            return _gate_wanted(todo, coverage)
    return None


def _gate_wanted(todo: Todo, coverage: Coverage) -> Refused:
    need = str(coverage.need)
    if coverage.pending is not None:
        gate = coverage.pending.id
        message = f"{todo.id} requires {need}, and Gate {gate} still waits for an answer."
        hint = f"Look at it with `loopx gate show {gate}`; a person approves or rejects it."
        return refuse("gate-pending", message, hint, todo=todo.id, scope=need, gate=gate)
    lapsed = f" Gate {coverage.lapsed.id}: {coverage.why}" if coverage.lapsed else ""
    message = f"{todo.id} requires {need}, and no approved Gate covers it.{lapsed}"
    hint = f"Ask with `loopx gate open --goal {todo.goal} --scope {need} --question …`."
    lapsed_id = coverage.lapsed.id if coverage.lapsed else None
    return refuse("gate-required", message, hint, todo=todo.id, scope=need, gate=lapsed_id)


def _contradiction(command: CompleteTodo) -> Refused | None:
    if command.no_follow_up is not None and not command.no_follow_up.strip():
        return refuse("reason-missing", "Why nothing follows was not said.")
    said = [bool(command.successors), command.no_follow_up is not None, command.goal_continues]
    if sum(said) > 1:
        return refuse("completion-contradiction", "What follows was said in two ways that exclude each other.")
    return None


def _not_validated(state: State, todo: Todo, command: CompleteTodo) -> Refused | None:
    evidence = command.evidence
    if evidence is None:
        return _validation_required(todo, todo.validation) if todo.validation else None
    bound = evidence.subject == todo.id and evidence.inputs == validation_inputs(todo, state.goal(todo.goal))
    if todo.validation is None or not bound:
        message = f"{todo.id} changed while its validation ran, so the result speaks of what it was before."
        return refuse("revision-conflict", message, "Finish it again.", todo=todo.id, evidence=evidence.id)
    if evidence.kind is EvidenceKind.VALIDATION and evidence.result is EvidenceResult.PASSED:
        return None
    return _validation_not_passed(todo, evidence)


def _validation_required(todo: Todo, validation: Validation) -> Refused:
    named = quoted(validation.label or " ".join(validation.argv))
    message = f"{todo.id} declares the validation {named}, and it has not passed."
    return refuse("validation-required", message, field="status", todo=todo.id)


def _validation_not_passed(todo: Todo, evidence: Evidence) -> Refused:
    code, ended = _NOT_PASSED.get(evidence.result, ("validation-required", "gave no result"))
    seen = f": {cut(evidence.summary, 120).rstrip('.')}" if evidence.summary else ""
    message = f"The validation of {todo.id} {quoted(todo.title)} {ended}{seen}."
    return refuse(code, message, todo=todo.id, evidence=evidence.id, exit_status=evidence.exit_status)


def _already(state: State, command: CompleteTodo, context: Context, todo: Todo) -> Outcome:
    completion = standing_completion(state, todo)
    result = {"id": todo.id, "already": True, "validated": bool(completion and completion.validated)}
    return _answer(command, context, todo, [], result, None)


def _answer(
    command: Command,
    context: Context,
    todo: Todo,
    changes: Sequence[Change],
    result: dict[str, object],
    completion: Completion | None,
) -> Outcome:
    return accepted(
        command,
        context,
        subject=f"todo {todo.id}",
        goal=todo.goal,
        headline=headline("todo", "done", todo.id, todo.title),
        changes=changes,
        body=_told(completion) if completion else "",
        result=result,
    )


def _told(completion: Completion) -> str:
    """What the commit says beyond its subject."""
    lines = [completion.note or ""]
    if completion.successors:
        lines.append(f"Carried on by {', '.join(completion.successors)}.")
    if completion.reason:
        lines.append(f"Nothing follows: {completion.reason}")
    lines.append(f"Validated by {', '.join(completion.evidence)}." if completion.validated else "Not validated.")
    return "\n".join(each for each in lines if each)
