"""The evidence a turn cites: pieces by id, and words, which become observations or negative results of the actor.

What is *new* was cited by no earlier turn. Words are new by nature and say nothing beyond whoever said them: they carry
a claim no further than the change they come with, and support no criterion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from loopx.kernel.answering import fresh_id, stamp
from loopx.kernel.bindings import bindings_of, evidence_standing
from loopx.kernel.commands import SettleTurn
from loopx.kernel.outcome import Record, Refused
from loopx.kernel.privacy import bad_text, is_shared
from loopx.kernel.resolve import resolve
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line
from loopx.kernel.turns.scratch import Scratch
from loopx.kernel.wording import refuse
from loopx.model.ids import EVIDENCE, EVIDENCE_PATTERN, folded
from loopx.model.kind import Kind
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.turn import Turn

_SHOWN = (EvidenceKind.VALIDATION, EvidenceKind.READBACK)
_HOLDS = (EvidenceResult.PASSED, EvidenceResult.NOTED)
_MOST = 50
"""Pieces of evidence one turn may cite."""


class Cited(NamedTuple):
    """The evidence of one turn: every piece, and the ids of those no earlier turn cited."""

    pieces: tuple[Evidence, ...]
    new: frozenset[str]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(each.id for each in self.pieces)

    def negative(self) -> Iterator[str]:
        """Ids of new negative results: what turned out not to be so."""
        return (each.id for each in self.pieces if each.kind is EvidenceKind.NEGATIVE_RESULT and each.id in self.new)


def cite(scratch: Scratch, turn: Turn, command: SettleTurn) -> Cited | Refused:
    """The evidence ``command`` cites, with words made into evidence."""
    found: dict[str, Evidence] = {}
    named = [(each, EvidenceKind.OBSERVATION) for each in command.evidence]
    words = [(each, EvidenceKind.NEGATIVE_RESULT) for each in command.negative]
    if len(named) + len(words) > _MOST:
        message = f"A turn cites at most {_MOST} pieces of evidence."
        return refuse("field-value", message, "Cite those that matter.", field="evidence")
    for text, kind in (*named, *words):
        piece = _piece(scratch, turn, text, kind)
        if isinstance(piece, Refused):
            return piece
        found[piece.id] = piece
    return with_more(scratch.before, turn, Cited((), frozenset()), *found.values())


def with_more(state: State, turn: Turn, cited: Cited, *pieces: Evidence) -> Cited:
    """``cited`` with ``pieces`` besides."""
    known = set(cited.ids)
    more = tuple(each for each in pieces if each.id not in known)
    new = (each.id for each in more if not any(found.id != turn.id for found in state.turns_citing(each.id)))
    return Cited((*cited.pieces, *more), cited.new | frozenset(new))


def shows_more_than_a_word(state: State, piece: Evidence, now: datetime) -> bool:
    """Whether ``piece`` is what LoopX saw itself or a person said, and still counts."""
    is_backed = piece.source.startswith("human:") or (piece.kind in _SHOWN and piece.source.startswith("loopx:"))
    return is_backed and piece.result in _HOLDS and evidence_standing(state, piece, now).counts


def _piece(scratch: Scratch, turn: Turn, text: str, kind: EvidenceKind) -> Evidence | Refused:
    if kind is EvidenceKind.OBSERVATION and re.fullmatch(EVIDENCE_PATTERN, folded(text)):
        identity = resolve(scratch.state, Kind.EVIDENCE, text)
        if isinstance(identity, Refused):
            return identity
        known = scratch.state.evidence(identity)
        assert known is not None
        return known
    if refused := bad_line(text, "evidence") or bad_text(text, "evidence", is_shared(scratch.state)):
        return refused
    said = _said(scratch, turn, text.strip(), kind)
    scratch.put(Record(said))
    return said


def _said(scratch: Scratch, turn: Turn, words: str, kind: EvidenceKind) -> Evidence:
    """``words`` as evidence of the actor about what the turn works on, bound to how that is now."""
    context = scratch.context
    return Evidence(
        id=fresh_id(scratch.state, context, EVIDENCE),
        kind=kind,
        subject=turn.todo or turn.goal,
        source=str(context.actor),
        observed_at=stamp(context),
        result=EvidenceResult.NOTED,
        summary=words,
        bound=bindings_of(scratch.state, turn.goal, turn.todo) if turn.todo else (),
        operation=context.operation,
        goal=turn.goal,
    )
