"""What counts as evidence that a criterion is met, and whether a piece of evidence still applies.

Evidence is a validation LoopX ran, a read-back, a person's word, or the completion of a Todo that one of these backs.
What the claimant says of itself is kept, but supports nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from loopx.kernel.answering import fresh_id, stamp
from loopx.kernel.context import Context
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_todo, resolve
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line
from loopx.kernel.wording import cut, quoted, refuse
from loopx.model.actor import ActorKind
from loopx.model.defining import dataclass
from loopx.model.goal import Criterion, Goal
from loopx.model.ids import EVIDENCE, EVIDENCE_PATTERN, TODO_PATTERN, folded
from loopx.model.kind import Kind
from loopx.model.records import Completion, Evidence, EvidenceKind, EvidenceResult
from loopx.model.todo import Todo, TodoStatus

_HUMAN = f"{ActorKind.HUMAN}:"
_SEEN = frozenset({EvidenceKind.VALIDATION, EvidenceKind.READBACK})
_NO_YES = frozenset({EvidenceKind.NEGATIVE_RESULT, EvidenceKind.DECISION})
"""Kinds by which a person says something else than that it is so."""


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
            if evidence.id not in found and state.evidence(evidence.id) is None:
                made.append(evidence)
            found[evidence.id] = evidence
    by = str(context.actor)
    if any(is_sufficient(state, goal, criterion, each, by, context.now) for each in found.values()):
        return Support(tuple(found), tuple(made))
    return _insufficient(state, goal, criterion, context, tuple(found.values()))


def is_sufficient(
    state: State, goal: Goal, criterion: Criterion, evidence: Evidence, by: str, now: datetime | None = None
) -> bool:
    """Whether ``evidence`` shows something beyond the word of ``by``, who claims that ``criterion`` is met.

    A person's word counts for the criterion it was given on, and what LoopX saw for what it looked at: the criterion
    itself, or a Todo that advances it. Only another person may carry either over. Where the criterion declares a check,
    nothing else that LoopX ran stands for it. Without a time it is not asked whether evidence is fresh; of a reading of
    the criterion's outside fact it never is, since any newer reading serves as well.
    """
    subject, is_person = criterion_subject(goal, criterion), by.startswith(_HUMAN)
    if criterion.readback is not None and evidence.kind is EvidenceKind.READBACK and evidence.subject == subject:
        now = None
    if evidence.source.startswith(_HUMAN):
        is_meant = evidence.subject == subject or is_person
        is_said = evidence.kind not in _NO_YES and evidence.result in (EvidenceResult.NOTED, EvidenceResult.PASSED)
    else:
        is_meant = is_person or _is_about(state, criterion, evidence, subject)
        is_said = evidence.kind in _SEEN and evidence.result is EvidenceResult.PASSED
    return is_meant and is_said and applies(state, evidence, now)


def criterion_subject(goal: Goal, criterion: Criterion) -> str:
    """How evidence names a criterion as its subject."""
    return f"{goal.id}/{criterion.id}"


def applies(state: State, evidence: Evidence, now: datetime | None = None) -> bool:
    """Whether something may rest on ``evidence``: what it was made on is still so, or was judged not to matter."""
    from loopx.kernel.bindings import evidence_standing

    return evidence_standing(state, evidence, now).counts


def _is_about(state: State, criterion: Criterion, evidence: Evidence, subject: str) -> bool:
    if evidence.subject == subject:
        return True
    todo = state.todo(evidence.subject) if criterion.check is None else None
    return todo is not None and criterion.id in todo.acceptance


def standing_completion(state: State, todo: Todo) -> Completion | None:
    """The newest completion of ``todo`` that nothing undid; ``None`` unless the Todo is done."""
    if todo.status is not TodoStatus.DONE:
        return None
    log = state.completions(todo.id)
    return next((each for each in reversed(log.entries if log else ()) if each.stands), None)


def lapsed(state: State, completion: Completion, now: datetime | None) -> str | None:
    """Why nothing that backed ``completion`` applies any more, so that it supports nothing; ``None`` while one does."""
    from loopx.kernel.bindings import evidence_standing

    backing = [found for each in completion.evidence if (found := state.evidence(each)) is not None]
    standings = [(each.id, evidence_standing(state, each, now)) for each in backing]
    if not standings or any(standing.counts for _, standing in standings):
        return None
    return f"{standings[0][0]}: {standings[0][1].why}"


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
        return _insufficient(state, goal, criterion, context)
    if refused := bad_line(words, "evidence"):
        return refused
    from loopx.kernel.bindings import bindings_of

    subject, readback = criterion_subject(goal, criterion), criterion.readback
    made = Evidence(
        id=fresh_id(state, context, EVIDENCE, taken),
        kind=EvidenceKind.READBACK if readback else EvidenceKind.OBSERVATION,
        subject=subject,
        source=str(context.actor),
        observed_at=stamp(context),
        result=EvidenceResult.NOTED,
        summary=words.strip(),
        bound=bindings_of(state, goal.id, subject),
        fresh_for=readback.fresh_for if readback else None,
        references=(readback.source,) if readback else (),
        operation=context.operation,
        goal=goal.id,
    )
    return [made]


def _insufficient(
    state: State, goal: Goal, criterion: Criterion, context: Context, found: Sequence[Evidence] = ()
) -> Refused:
    message = (
        f"Nothing cited shows that {goal.id} {criterion.id} ({cut(criterion.text, 60)}) is met.{_lapsed(state, found)}"
    )
    hint = "Say in words what you saw, with --evidence." if context.actor.is_human else ""
    if criterion.check is not None:
        hint = f"Run its check with `loopx goal check {goal.id} {criterion.id}`."
    return refuse("criterion-evidence-insufficient", message, hint, goal=goal.id, criterion=criterion.id)


def _lapsed(state: State, found: Sequence[Evidence]) -> str:
    """Why the first piece of evidence that no longer applies does not, as a sentence of its own."""
    from loopx.kernel.bindings import EvidenceVerdict, evidence_standing

    for each in found:
        standing = evidence_standing(state, each, None)
        if standing.verdict is not EvidenceVerdict.APPLIES:
            return f" {each.id}: {standing.why}"
    return ""
