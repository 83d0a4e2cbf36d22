"""Keeping evidence that no transition follows from: a validation that failed, something somebody observed."""

from __future__ import annotations

from loopx.kernel.answering import accepted, headline
from loopx.kernel.authority import beyond
from loopx.kernel.commands import RecordEvidence
from loopx.kernel.context import Context
from loopx.kernel.outcome import Outcome, Record, Refused
from loopx.kernel.resolve import find_goal
from loopx.kernel.state import State
from loopx.kernel.wording import refuse
from loopx.model.actor import Origin
from loopx.model.records import EvidenceKind

_OF_LOOPX = frozenset({EvidenceKind.VALIDATION, EvidenceKind.READBACK, EvidenceKind.DECISION})


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
