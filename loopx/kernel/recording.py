"""Keeping evidence: what LoopX saw itself, and what somebody says they saw, in their own name.

Evidence is bound to what it was made on when it is kept, so that a later change of that shows. Nothing follows from it
here: what it is worth is :mod:`loopx.kernel.bindings`, what it shows of a criterion :mod:`loopx.kernel.support`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from loopx.kernel.answering import accepted, fresh_id, headline, stamp
from loopx.kernel.authority import beyond
from loopx.kernel.bindings import bindings_of
from loopx.kernel.commands import AddEvidence, RecordEvidence
from loopx.kernel.context import Context
from loopx.kernel.durations import parse_duration
from loopx.kernel.outcome import Outcome, Record, Refused
from loopx.kernel.privacy import bad_texts, is_shared
from loopx.kernel.resolve import find_goal
from loopx.kernel.state import State
from loopx.kernel.subjects import Subject, find_subject
from loopx.kernel.texts import bad_lines
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model.actor import Origin
from loopx.model.goal import Readback
from loopx.model.ids import EVIDENCE
from loopx.model.records import Binding, Evidence, EvidenceKind, EvidenceResult

SUMMARY_LIMIT = 4000
"""Characters what was seen may take."""
_OF_LOOPX = frozenset({EvidenceKind.VALIDATION, EvidenceKind.READBACK, EvidenceKind.DECISION})
_SAID = (EvidenceKind.OBSERVATION, EvidenceKind.DELIVERY, EvidenceKind.NEGATIVE_RESULT, EvidenceKind.READBACK)
_FILE, _VARIABLE = "file", "environment"


def record_evidence(state: State, command: RecordEvidence, context: Context) -> Outcome:
    """Keep a piece of evidence for good. The same one again changes nothing."""
    evidence = command.evidence
    goal = find_goal(state, evidence.goal)
    if isinstance(goal, Refused):
        return goal
    if refused := _not_yours(command, context):
        return refused
    known = state.evidence(evidence.id)
    if known is not None and known != evidence:
        return refuse("id-duplicate", f"{evidence.id} is the id of other evidence.", evidence=evidence.id)
    return accepted(
        command,
        context,
        subject=f"evidence {evidence.id}",
        goal=goal.id,
        headline=headline("evidence", "record", evidence.id, evidence.summary or evidence.result),
        changes=[] if known else [Record(evidence)],
        body=f"About {evidence.subject}: {evidence.result}.",
        result={"id": evidence.id, "result": evidence.result.value, "already": known is not None},
    )


def add_evidence(state: State, command: AddEvidence, context: Context) -> Outcome:
    """Keep what somebody saw, bound to what it is about and to the files and variables they name."""
    subject = find_subject(state, command.about, command.goal)
    if isinstance(subject, Refused):
        return subject
    if refused := _unsayable(state, command, context):
        return refused
    named = _named_inputs(state, command)
    if isinstance(named, Refused):
        return named
    evidence = _said(state, command, context, subject, named)
    return accepted(
        command,
        context,
        subject=f"evidence {evidence.id}",
        goal=subject.goal,
        headline=headline("evidence", "add", evidence.id, evidence.summary),
        changes=[Record(evidence)],
        body=f"About {evidence.subject}.",
        result={"id": evidence.id, "about": evidence.subject, "kind": evidence.kind.value},
    )


def _not_yours(command: RecordEvidence, context: Context) -> Refused | None:
    """Everybody speaks in their own name; validations and read-backs are what LoopX itself saw."""
    evidence = command.evidence
    if context.origin is Origin.SYSTEM:
        return None
    if evidence.kind in _OF_LOOPX:
        return beyond(context, f"evidence of kind {evidence.kind} is recorded by LoopX itself")
    if evidence.source != str(context.actor):
        return beyond(context, f"the evidence says it comes from {evidence.source}")
    return None


def _unsayable(state: State, command: AddEvidence, context: Context) -> Refused | None:
    texts = (("summary", command.summary), *(("references", each) for each in command.references))
    return (
        _bad_kind(command, context)
        or _bad_summary(command.summary)
        or bad_lines(command.references, "references")
        or bad_texts(texts, is_shared(state))
        or _bad_length(command.fresh_for)
    )


def _bad_kind(command: AddEvidence, context: Context) -> Refused | None:
    if command.kind not in _SAID:
        is_known = command.kind in set(EvidenceKind)
        why = "is recorded by LoopX itself" if is_known else "is no kind of evidence"
        message = f"Evidence of kind {quoted(command.kind)} {why}."
        return refuse("evidence-kind-reserved", message, f"Kinds one may add: {listed(_SAID)}.", kind=command.kind)
    if command.kind == EvidenceKind.READBACK and not context.actor.is_human:
        return beyond(context, "a read-back is LoopX's own or a person's, never an agent's word")
    return None


def _bad_summary(summary: str) -> Refused | None:
    if not summary.strip():
        return refuse("field-missing", "What was seen was not said.", "Say it in a sentence.", field="summary")
    if len(summary) > SUMMARY_LIMIT:
        message = f"What was seen takes {len(summary)} characters; {SUMMARY_LIMIT} are kept."
        return refuse(
            "field-value", message, "Shorten it, and name where the rest is with --reference.", field="summary"
        )
    return None


def _bad_length(fresh_for: str | None) -> Refused | None:
    try:
        if fresh_for is not None:
            parse_duration(fresh_for)
    except ValueError as error:
        return refuse("field-value", f"fresh_for: {error}.", field="fresh_for")
    return None


def _named_inputs(state: State, command: AddEvidence) -> tuple[Binding, ...] | Refused:
    """Bindings of the files and variables named, as they are now; each must be there to be named."""
    found: list[Binding] = []
    around = state.environment
    for word, names, look in (
        (_FILE, command.files, around.file_digest),
        (_VARIABLE, command.variables, around.variable_digest),
    ):
        read = _read_inputs(word, names, look)
        if isinstance(read, Refused):
            return read
        found += read
    return tuple(found)


def _read_inputs(word: str, names: Iterable[str], look: Callable[[str], str | None]) -> list[Binding] | Refused:
    found: list[Binding] = []
    for name in dict.fromkeys(names):
        digest = look(name)
        if digest is None:
            what = "file of the project" if word == _FILE else "variable that is set"
            return refuse("evidence-input-unknown", f"{quoted(name, 80)} is no {what}.", input=name)
        found.append(Binding(what=f"{word}:{name}", digest=digest))
    return found


def _said(
    state: State, command: AddEvidence, context: Context, subject: Subject, named: tuple[Binding, ...]
) -> Evidence:
    readback = _wanted_readback(command, subject)
    sources = (readback.source,) if readback and readback.source not in command.references else ()
    return Evidence(
        id=fresh_id(state, context, EVIDENCE),
        kind=EvidenceKind(command.kind),
        subject=subject.id,
        source=str(context.actor),
        observed_at=stamp(context),
        result=EvidenceResult.NOTED,
        summary=command.summary.strip(),
        bound=(*bindings_of(state, subject.goal, subject.id), *named),
        fresh_for=command.fresh_for or (readback.fresh_for if readback else None),
        references=(*dict.fromkeys(command.references), *sources),
        operation=context.operation,
        goal=subject.goal,
    )


def _wanted_readback(command: AddEvidence, subject: Subject) -> Readback | None:
    """The reading a criterion asks for, where this is one: it names the criterion's source without being told."""
    is_one = command.kind == EvidenceKind.READBACK and subject.criterion is not None
    return subject.criterion.readback if is_one and subject.criterion else None
