"""What rests on, names or judges a piece of evidence: for whoever asks what a change reaches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loopx.kernel.state import State
from loopx.model.kind import Kind
from loopx.model.records import Evidence


class Citation(NamedTuple):
    """One thing that cites evidence: its kind (todo, criterion, gate, turn, effect, handoff, judgement), id and how."""

    kind: str
    id: str
    how: str


def citations(state: State, evidence: Evidence) -> Iterator[Citation]:
    """Everything that cites ``evidence``, oldest facts of a kind first."""
    yield from _completions(state, evidence)
    yield from _criteria(state, evidence)
    for kind, how in ((Kind.GATE, "was asked on it"), (Kind.EFFECT, "is shown by it"), (Kind.HANDOFF, "carries it")):
        for each in state.source.referring(kind, evidence.id):
            yield Citation(kind.value, each.id, how)  # type: ignore[union-attr]
    for turn in state.turns_citing(evidence.id):
        yield Citation("turn", turn.id, f"of {turn.agent} cites it")
    for other in state.evidence_about(evidence.id):
        if other.reassessment is not None and other.reassessment.of == evidence.id:
            yield Citation("judgement", other.id, f"by {other.source}: {other.reassessment.assessment}")


def _completions(state: State, evidence: Evidence) -> Iterator[Citation]:
    log = state.completions(evidence.subject)
    for each in log.entries if log else ():
        if evidence.id in each.evidence:
            yield Citation(
                "todo", evidence.subject, "was done on it" if each.stands else "was done on it, undone since"
            )


def _criteria(state: State, evidence: Evidence) -> Iterator[Citation]:
    goal = state.goal(evidence.goal)
    for criterion in goal.acceptance if goal else ():
        log = state.criterion(evidence.goal, criterion.id)
        marks = [each for each in (log.entries if log else ()) if evidence.id in each.evidence]
        if marks:
            undone = ", undone since" if all(each.rolled_back_at for each in marks) else ""
            yield Citation("criterion", f"{evidence.goal}/{criterion.id}", f"was judged met on it{undone}")
