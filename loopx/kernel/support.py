"""What counts as evidence that a criterion is met, and whether a piece of evidence still applies.

Evidence is a validation LoopX ran, a read-back, a person's word, or the completion of a Todo that one of these backs.
What the claimant says of itself is kept, but supports nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loopx.kernel.answering import fresh_id, stamp
from loopx.kernel.context import Context
from loopx.kernel.digest import validation_inputs
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_todo, resolve
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line
from loopx.kernel.wording import cut, quoted, refuse
from loopx.model.actor import ActorKind
from loopx.model.goal import Criterion, Goal
from loopx.model.ids import EVIDENCE, EVIDENCE_PATTERN, TODO_PATTERN, folded
from loopx.model.kind import Kind
from loopx.model.records import Completion, Evidence, EvidenceKind, EvidenceResult
from loopx.model.todo import Todo, TodoStatus

_HUMAN = f"{ActorKind.HUMAN}:"


@dataclass(frozen=True, slots=True)
class Support:
    """What a criterion is met on: evidence ids, and the evidence made from a person's words."""

    ids: tuple[str, ...]
    made: tuple[Evidence, ...]


def read_support(
    state: State, goal: Goal, criterion: Criterion, cited: Sequence[str], context: Context
) -> Support | Refused:
    """The evidence ``cited`` names: evidence ids, ids of Todos done with validation, or words of a person.

    Refused when none of it is more than the word of whoever claims it.
    """
    found: dict[str, Evidence] = {}
    made: list[Evidence] = []
    for each in cited:
        read = _read(state, goal, criterion, each, context, tuple(found))
        if isinstance(read, Refused):
            return read
        for evidence in read:
            found[evidence.id] = evidence
            if state.evidence(evidence.id) is None:
                made.append(evidence)
    subject, by = criterion_subject(goal, criterion), str(context.actor)
    if not any(is_sufficient(state, each, subject, by) for each in found.values()):
        return _insufficient(goal, criterion, context)
    return Support(tuple(found), tuple(made))


def is_sufficient(state: State, evidence: Evidence, subject: str, by: str) -> bool:
    """Whether ``evidence`` shows something beyond the word of ``by``, who claims that ``subject`` is met.

    A person's word counts for the criterion it was given on; only another person may carry it over to a second one.
    """
    if evidence.source.startswith(_HUMAN):
        is_meant = evidence.subject == subject or by.startswith(_HUMAN)
        return is_meant and evidence.result in (EvidenceResult.NOTED, EvidenceResult.PASSED)
    if evidence.kind not in (EvidenceKind.VALIDATION, EvidenceKind.READBACK):
        return False
    return evidence.result is EvidenceResult.PASSED and applies(state, evidence)


def criterion_subject(goal: Goal, criterion: Criterion) -> str:
    """How evidence names a criterion as its subject."""
    return f"{goal.id}/{criterion.id}"


def applies(state: State, evidence: Evidence) -> bool:
    """Whether what ``evidence`` was made on is still so: the Todo reads as it was validated, and no completion that
    rests on it was undone."""
    if evidence.kind is not EvidenceKind.VALIDATION:
        return True
    todo = state.todo(evidence.subject)
    if todo is None or evidence.inputs != validation_inputs(todo, state.goal(todo.goal)):
        return False
    log = state.completions(todo.id)
    resting = [each for each in (log.entries if log else ()) if evidence.id in each.evidence]
    return not resting or any(each.stands for each in resting)


def standing_completion(state: State, todo: Todo) -> Completion | None:
    """The newest completion of ``todo`` that nothing undid; ``None`` unless the Todo is done."""
    if todo.status is not TodoStatus.DONE:
        return None
    log = state.completions(todo.id)
    return next((each for each in reversed(log.entries if log else ()) if each.stands), None)


def unvalidated(state: State, todo: Todo) -> bool:
    """Whether ``todo`` is done on nothing but somebody's word, so that it supports no criterion."""
    if todo.status is not TodoStatus.DONE:
        return False
    completion = standing_completion(state, todo)
    return completion is None or not completion.validated


def _read(
    state: State, goal: Goal, criterion: Criterion, cited: str, context: Context, taken: tuple[str, ...]
) -> Sequence[Evidence] | Refused:
    wanted = folded(cited)
    if re.fullmatch(EVIDENCE_PATTERN, wanted):
        return _evidence(state, cited)
    if re.fullmatch(TODO_PATTERN, wanted):
        return _evidence_of_todo(state, cited)
    return _words(state, goal, criterion, cited, context, taken)


def _evidence(state: State, cited: str) -> Sequence[Evidence] | Refused:
    identity = resolve(state, Kind.EVIDENCE, cited)
    if isinstance(identity, Refused):
        return identity
    found = state.evidence(identity)
    return [found] if found else []


def _evidence_of_todo(state: State, cited: str) -> Sequence[Evidence] | Refused:
    todo = find_todo(state, cited)
    if isinstance(todo, Refused):
        return todo
    completion = standing_completion(state, todo)
    if completion is None or not completion.validated:
        state_of_it = "done without validation" if todo.status is TodoStatus.DONE else f"{todo.status}"
        message = f"{todo.id} {quoted(todo.title)} is {state_of_it} and shows nothing yet."
        return refuse("criterion-evidence-insufficient", message, todo=todo.id)
    return [found for each in completion.evidence if (found := state.evidence(each)) is not None]


def _words(
    state: State, goal: Goal, criterion: Criterion, words: str, context: Context, taken: tuple[str, ...]
) -> Sequence[Evidence] | Refused:
    if not context.actor.is_human:
        return _insufficient(goal, criterion, context)
    if refused := bad_line(words, "evidence"):
        return refused
    made = Evidence(
        id=fresh_id(state, context, EVIDENCE, taken),
        kind=EvidenceKind.OBSERVATION,
        subject=criterion_subject(goal, criterion),
        source=str(context.actor),
        observed_at=stamp(context),
        result=EvidenceResult.NOTED,
        summary=words.strip(),
        operation=context.operation,
        goal=goal.id,
    )
    return [made]


def _insufficient(goal: Goal, criterion: Criterion, context: Context) -> Refused:
    message = f"Nothing cited shows that {goal.id} {criterion.id} ({cut(criterion.text, 60)}) is met."
    person = context.actor.is_human
    hint = "Say in words what you saw, with --evidence." if person else ""
    return refuse("criterion-evidence-insufficient", message, hint, goal=goal.id, criterion=criterion.id)
