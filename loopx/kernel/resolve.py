"""From what somebody typed to the one document meant: folding, shortened ids, and the nearest name when nothing fits.

The CLI resolves its arguments here; every command's rules find their documents through the ``find_…`` functions, so
that one folding holds for files, commands and the Python API.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model import ids
from loopx.model.gate import Gate
from loopx.model.goal import Criterion, Goal
from loopx.model.kind import Kind
from loopx.model.todo import Todo

if TYPE_CHECKING:
    from loopx.model.plan import PlanDocument

_PREFIXES = {
    Kind.TODO: ids.TODO,
    Kind.GATE: ids.GATE,
    Kind.EVIDENCE: ids.EVIDENCE,
    Kind.TURN: ids.TURN,
    Kind.EFFECT: ids.EFFECT,
    Kind.HANDOFF: ids.HANDOFF,
    Kind.PROPOSAL: ids.PROPOSAL,
    Kind.PLAN: ids.RUN,
}
_LONGEST = 64
"""Characters the longest identity has; whatever is longer is looked up no further."""
_UNKNOWN = {
    Kind.GOAL: "goal-unknown",
    Kind.TODO: "todo-unknown",
    Kind.GATE: "gate-unknown",
    Kind.EVIDENCE: "evidence-unknown",
    Kind.TURN: "turn-unknown",
    Kind.EFFECT: "effect-unknown",
    Kind.HANDOFF: "handoff-unknown",
    Kind.PROPOSAL: "proposal-unknown",
    Kind.PLAN: "run-unknown",
}


def resolve(state: State, kind: Kind, typed: str) -> str | Refused:
    """The identity of the Goal, Todo, Gate or Evidence that ``typed`` names, whole or by an unambiguous prefix.

    Case, blanks, full-width forms and Crockford's look-alikes (o for 0, l for 1) make no difference.
    """
    wanted = ids.folded(typed) if kind in _PREFIXES else folded_name(typed)
    if not wanted or len(wanted) > _LONGEST:
        return _unknown(state, kind, typed)
    if _is_there(state, kind, wanted):
        return wanted
    found = state.matching(kind, wanted) or _without_prefix(state, kind, wanted)
    if len(found) == 1:
        return found[0]
    return _ambiguous(kind, typed, found) if found else _unknown(state, kind, typed)


def folded_name(typed: str) -> str:
    """A name people chose (a Goal's, an agent's, a criterion's) as it is compared: trimmed, lower case, full-width
    forms narrowed. Unlike in random ids, no letter stands for another: the Goal ``g-force`` is no Gate."""
    return unicodedata.normalize("NFKC", typed).strip().lower()


def find_goal(state: State, typed: str) -> Goal | Refused:
    """The Goal ``typed`` names."""
    found = resolve(state, Kind.GOAL, typed)
    return found if isinstance(found, Refused) else state.goal(found) or _unknown(state, Kind.GOAL, typed)


def find_todo(state: State, typed: str) -> Todo | Refused:
    """The Todo ``typed`` names."""
    found = resolve(state, Kind.TODO, typed)
    return found if isinstance(found, Refused) else state.todo(found) or _unknown(state, Kind.TODO, typed)


def find_gate(state: State, typed: str) -> Gate | Refused:
    """The Gate ``typed`` names."""
    found = resolve(state, Kind.GATE, typed)
    return found if isinstance(found, Refused) else state.gate(found) or _unknown(state, Kind.GATE, typed)


def find_plan(state: State, typed: str) -> PlanDocument | Refused:
    """The plan of the run ``typed`` names."""
    found = resolve(state, Kind.PLAN, typed)
    return found if isinstance(found, Refused) else state.plan(found) or _unknown(state, Kind.PLAN, typed)


def find_criterion(goal: Goal, typed: str) -> Criterion | Refused:
    """The criterion of ``goal`` that ``typed`` names."""
    wanted = folded_name(typed)
    for each in goal.acceptance:
        if each.id == wanted:
            return each
    known = [each.id for each in goal.acceptance]
    nearest = _closest(wanted, known)
    hint = f"Its criteria are {listed(known)}." if known else "It has no acceptance criteria yet."
    message = f"Goal {goal.id} has no criterion {quoted(typed)}."
    return refuse("criterion-unknown", message, hint, field="acceptance", typed=typed, nearest=nearest)


def _is_there(state: State, kind: Kind, identity: str) -> bool:
    found = {
        Kind.GOAL: state.goal,
        Kind.TODO: state.todo,
        Kind.GATE: state.gate,
        Kind.EVIDENCE: state.evidence,
        Kind.TURN: state.turn,
        Kind.EFFECT: state.effect,
        Kind.HANDOFF: state.handoff,
        Kind.PROPOSAL: state.proposal,
        Kind.PLAN: state.plan,
    }
    return found[kind](identity) is not None


def _without_prefix(state: State, kind: Kind, wanted: str) -> list[str]:
    """What fits when somebody left ``t-`` out."""
    prefix = _PREFIXES.get(kind)
    if prefix is None or wanted.startswith(f"{prefix}-"):
        return []
    return state.matching(kind, ids.folded(f"{prefix}-{wanted}"))


def _ambiguous(kind: Kind, typed: str, found: list[str]) -> Refused:
    message = f"{quoted(typed)} could be {listed(found)}."
    return refuse("id-ambiguous", message, typed=typed, candidates=found, kind=kind.value)


def _unknown(state: State, kind: Kind, typed: str) -> Refused:
    nearest = _nearest(state, kind, ids.folded(typed) if kind in _PREFIXES else folded_name(typed))
    hint = f"Did you mean {nearest}?" if nearest else ""
    return refuse(_UNKNOWN[kind], f"There is no {kind} {quoted(typed)}.", hint, typed=typed, nearest=nearest)


def _nearest(state: State, kind: Kind, wanted: str) -> str | None:
    """The closest name there is. Goals are compared one by one; random ids only by how they begin."""
    if kind is Kind.GOAL:
        return _closest(wanted, (each.id for each in state.goals()))
    for length in range(min(len(wanted) - 1, _LONGEST), 3, -1):
        found = state.matching(kind, wanted[:length])
        if found:
            return found[0]
    return None


def _closest(wanted: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # only ever needed for an error

    return next(iter(get_close_matches(wanted[:80], list(known), n=1, cutoff=0.5)), None)
