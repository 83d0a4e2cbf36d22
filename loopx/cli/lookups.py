"""What an id without a noun stands for: for ``log ID`` and ``diff --id ID``, where any kind may be meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.kernel.resolve import resolve
from loopx.model.ids import EFFECT, EVIDENCE, GATE, HANDOFF, PROPOSAL, RUN, TODO, TURN, folded
from loopx.model.kind import Kind

if TYPE_CHECKING:
    from loopx.kernel.state import State

_BY_PREFIX = {
    TODO: Kind.TODO,
    GATE: Kind.GATE,
    EVIDENCE: Kind.EVIDENCE,
    TURN: Kind.TURN,
    EFFECT: Kind.EFFECT,
    HANDOFF: Kind.HANDOFF,
    PROPOSAL: Kind.PROPOSAL,
    RUN: Kind.PLAN,
}
_ANY = (Kind.GOAL, Kind.TODO, Kind.GATE, Kind.EVIDENCE)


def known_id(state: State, typed: str) -> str:
    """The full id ``typed`` stands for. One that nothing has any more stays as it is: history may still know it.

    Raises ``id-ambiguous``.
    """
    wanted = folded(typed)
    prefix, dash, _ = wanted.partition("-")
    kinds = (_BY_PREFIX[prefix],) if dash and prefix in _BY_PREFIX else _ANY
    for kind in kinds:
        found = resolve(state, kind, typed)
        if isinstance(found, str):
            return found
        if found.code == "id-ambiguous":
            raise LoopxError.of(found.problem)
    return wanted
