"""Judging what a piece of evidence is still worth after what it was made on changed. The judgement is evidence too.

That a change does not matter needs what changed, the requirement looked at and how it was checked, and is not settled
by whoever did the work alone. A judgement speaks of the inputs it was made on: when they change again, it is asked
anew.
"""

from __future__ import annotations

from collections.abc import Iterator

from loopx.kernel.answering import accepted, fresh_id, headline, stamp
from loopx.kernel.bindings import EvidenceStanding, EvidenceVerdict, evidence_standing, inputs_today
from loopx.kernel.commands import ReassessEvidence
from loopx.kernel.context import Context
from loopx.kernel.outcome import Outcome, Record, Refused
from loopx.kernel.privacy import bad_texts, is_shared
from loopx.kernel.resolve import resolve
from loopx.kernel.state import State
from loopx.kernel.subjects import criterion_named
from loopx.kernel.texts import bad_reason
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model.actor import ActorKind
from loopx.model.ids import EVIDENCE
from loopx.model.kind import Kind
from loopx.model.records import Assessment, Evidence, EvidenceKind, EvidenceResult, Reassessment
from loopx.model.todo import Todo, TodoStatus

_AGENT = f"{ActorKind.AGENT}:"
_AGAINST = frozenset({EvidenceResult.FAILED, EvidenceResult.TIMED_OUT, EvidenceResult.UNAVAILABLE})
"""Results that speak against the work: setting one aside is in the executor's favour."""


def reassess(state: State, command: ReassessEvidence, context: Context) -> Outcome:
    """Record a judgement on a piece of evidence."""
    evidence = _judged(state, command)
    if isinstance(evidence, Refused):
        return evidence
    standing = evidence_standing(state, evidence, context.now)
    assessment = _assessment(command)
    if isinstance(assessment, Refused):
        return assessment
    refused = bad_reason(command.reason) or _leaky(state, command) or _own_work(state, evidence, assessment, context)
    if refused:
        return refused
    if _is_said_already(standing, assessment):
        return _answer(command, context, evidence, assessment, None)
    if assessment is Assessment.APPLIES and (refused := _unfounded(command, evidence, standing)):
        return refused
    return _answer(command, context, evidence, assessment, _made(state, command, context, evidence, assessment))


def executors(state: State, evidence: Evidence) -> frozenset[str]:
    """Ids of the agents that produced ``evidence`` or did, or do, the work it speaks of."""
    found = {*_agents((evidence.source,))}
    receipt = state.receipt(evidence.operation) if evidence.operation else None
    if receipt is not None:
        found.update(_agents((str(receipt.actor),)))
    for todo in _work(state, evidence):
        log, lease = state.completions(todo.id), state.lease(todo.id)
        found.update(_agents(each.by for each in (log.entries if log else ())))
        found.update(each.agent for each in state.turns_citing(todo.id))
        found.update(name for name in (todo.claimed_by, lease.owner if lease else None) if name)
    return frozenset(found)


def _judged(state: State, command: ReassessEvidence) -> Evidence | Refused:
    identity = resolve(state, Kind.EVIDENCE, command.evidence)
    if isinstance(identity, Refused):
        return identity
    evidence = state.evidence(identity)
    if evidence is None:
        return refuse("evidence-unknown", f"There is no evidence {quoted(command.evidence)}.")
    if evidence.reassessment is None:
        return evidence
    message = f"{evidence.id} is itself a judgement, on {evidence.reassessment.of}."
    return refuse("reassessment-of-judgement", message, f"Judge {evidence.reassessment.of} anew.", evidence=evidence.id)


def _assessment(command: ReassessEvidence) -> Assessment | Refused:
    try:
        return Assessment(command.assessment)
    except ValueError:
        hint = f"Use {listed(Assessment)}."
        return refuse("field-value", f"{quoted(command.assessment)} is no judgement on evidence.", hint)


def _leaky(state: State, command: ReassessEvidence) -> Refused | None:
    names = ("reason", "difference", "requirement", "method")
    return bad_texts([(name, getattr(command, name)) for name in names], is_shared(state))


def _own_work(state: State, evidence: Evidence, assessment: Assessment, context: Context) -> Refused | None:
    """The refusal of an agent that would settle in its own favour what its own work is worth."""
    favours = assessment is Assessment.APPLIES or evidence.result in _AGAINST
    if context.actor.is_human or not favours or context.actor.name not in executors(state, evidence):
        return None
    message = f"{context.actor} did the work {evidence.id} speaks of, and cannot settle alone what it is still worth."
    return refuse("reassessment-own-work", message, evidence=evidence.id, actor=str(context.actor))


def _is_said_already(standing: EvidenceStanding, assessment: Assessment) -> bool:
    if assessment is Assessment.APPLIES:
        return standing.verdict is EvidenceVerdict.APPLIES
    return standing.verdict is EvidenceVerdict.SUPERSEDED


def _unfounded(command: ReassessEvidence, evidence: Evidence, standing: EvidenceStanding) -> Refused | None:
    """The refusal of ``applies`` where it could not hold, or where what it rests on was not said."""
    if standing.verdict is EvidenceVerdict.SUPERSEDED and standing.judgement is None:
        message = f"{evidence.id} is superseded: {standing.why}"
        return refuse("evidence-superseded", message, evidence=evidence.id)
    if standing.unknown:
        message = f"What {evidence.id} was made on cannot be compared here: {listed(standing.unknown)}."
        return refuse("evidence-input-unknown", message, evidence=evidence.id)
    said = {
        "difference": command.difference or command.observed,
        "requirement": command.requirement,
        "method": command.method,
    }
    missing = [name for name, text in said.items() if not (text or "").strip()]
    if not missing:
        return None
    message = f"That {evidence.id} still applies needs more than a reason: {listed(missing)}."
    return refuse("reassessment-unfounded", message, evidence=evidence.id, missing=missing)


def _made(
    state: State, command: ReassessEvidence, context: Context, evidence: Evidence, assessment: Assessment
) -> Evidence:
    told = [text.strip() for text in (command.observed, command.difference) if text and text.strip()]
    judgement = Reassessment(
        of=evidence.id,
        assessment=assessment,
        inputs=inputs_today(state, evidence),
        difference="\n".join(told) or None,
        requirement=command.requirement,
        method=command.method,
    )
    return Evidence(
        id=fresh_id(state, context, EVIDENCE),
        kind=EvidenceKind.DECISION,
        subject=evidence.subject,
        source=str(context.actor),
        observed_at=stamp(context),
        result=EvidenceResult.NOTED,
        summary=command.reason.strip(),
        artifact_revision=state.environment.artifact_revision(),
        reassessment=judgement,
        operation=context.operation,
        goal=evidence.goal,
    )


def _work(state: State, evidence: Evidence) -> Iterator[Todo]:
    """The Todos evidence speaks of: the one it is about, or those that advance the criterion it is about."""
    named = criterion_named(evidence.subject)
    if named is not None:
        yield from state.advancing(*named, tuple(TodoStatus))
    elif (todo := state.todo(evidence.subject)) is not None:
        yield todo


def _agents(actors: Iterator[str] | tuple[str, ...]) -> Iterator[str]:
    return (each.removeprefix(_AGENT) for each in actors if each.startswith(_AGENT))


def _answer(
    command: ReassessEvidence,
    context: Context,
    evidence: Evidence,
    assessment: Assessment,
    made: Evidence | None,
) -> Outcome:
    result = {"id": evidence.id, "assessment": assessment.value, "already": made is None}
    return accepted(
        command,
        context,
        subject=f"evidence {evidence.id}",
        goal=evidence.goal,
        headline=headline("evidence", "reassess", evidence.id, evidence.summary or evidence.result),
        changes=[Record(made)] if made else [],
        body=command.reason,
        result={**result, **({"judgement": made.id} if made else {})},
    )
