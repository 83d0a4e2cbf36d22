"""What somebody cites to show something: evidence on record by its id, or words, which are kept as an observation.

What a citation is worth is for whoever asks to judge; here it is only read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from loopx.kernel.answering import fresh_id, stamp
from loopx.kernel.context import Context
from loopx.kernel.privacy import bad_text, is_shared
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import resolve
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line
from loopx.kernel.wording import refuse
from loopx.model.defining import dataclass
from loopx.model.ids import EVIDENCE, EVIDENCE_PATTERN, folded
from loopx.model.kind import Kind
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.times import format_instant


@dataclass(frozen=True, slots=True)
class Cited:
    """Evidence in the order it was cited, each piece once; ``made`` are those that words were turned into."""

    evidence: tuple[Evidence, ...] = ()
    made: tuple[Evidence, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(each.id for each in self.evidence)


def read_citations(
    state: State, cited: Sequence[str], context: Context, *, subject: str, goal: str, since: datetime | None = None
) -> Cited | Refused:
    """The evidence ``cited`` names. Words become an observation of the actor about ``subject``.

    With ``since``, evidence seen before that instant is refused: it cannot show what came of something later.
    """
    found: dict[str, Evidence] = {}
    made: list[Evidence] = []
    for each in cited:
        evidence = _on_record(state, each) or _said(state, each, context, subject, goal, tuple(found))
        if isinstance(evidence, Refused):
            return evidence
        if since is not None and evidence.observed_at < since:
            at = format_instant(evidence.observed_at)
            message = f"{evidence.id} was seen at {at}, before {format_instant(since)}, and shows nothing of {subject}."
            return refuse("evidence-too-old", message, evidence=evidence.id)
        found[evidence.id] = evidence
        if state.evidence(evidence.id) is None:
            made.append(evidence)
    return Cited(tuple(found.values()), tuple(made))


def _on_record(state: State, cited: str) -> Evidence | Refused | None:
    """The evidence whose id ``cited`` has the form of; ``None`` for words."""
    if not re.fullmatch(EVIDENCE_PATTERN, folded(cited)):
        return None
    identity = resolve(state, Kind.EVIDENCE, cited)
    return identity if isinstance(identity, Refused) else state.evidence(identity)


def _said(
    state: State, words: str, context: Context, subject: str, goal: str, taken: Sequence[str]
) -> Evidence | Refused:
    if refused := bad_line(words, "evidence") or bad_text(words, "evidence", is_shared(state)):
        return refused
    return Evidence(
        id=fresh_id(state, context, EVIDENCE, taken),
        kind=EvidenceKind.OBSERVATION,
        subject=subject,
        source=str(context.actor),
        observed_at=stamp(context),
        result=EvidenceResult.NOTED,
        summary=words.strip(),
        operation=context.operation,
        goal=goal,
    )
