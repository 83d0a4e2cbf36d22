"""What discharges an obligation: an accountable delta that the stored state shows, never another copy of the plan.

Settling a Turn asks :func:`settlement_of` and lists what it discharged, one entry each (:func:`entry_of`); deriving
reads those entries back, so that triggers count only what happened after the last discharge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from loopx.kernel.obligations.record import Obligation, ObligationKind
from loopx.kernel.wording import listed, refuse

if TYPE_CHECKING:
    from loopx.kernel.refusal import Refused
    from loopx.kernel.state import State
    from loopx.model.turn import Turn

_REPLAN = (
    "todo:added:",
    "todo:cancelled:",
    "todo:superseded:",
    "todo:deferred:",
    "todo:blocked:",
    "vision:patched:",
    "vision:retired:",
    "gate:opened:",
    "criterion:met:",
    "acceptance:changed:",
    "boundary:changed:",
    "end:no_followup:",
    "wait:",
)

ACCOUNTABLE: Mapping[ObligationKind, tuple[str, ...]] = MappingProxyType(
    {
        ObligationKind.REPLAN: _REPLAN,
        ObligationKind.CHECKPOINT: ("vision:",),
        ObligationKind.SUCCESSOR: (
            "todo:added:",
            "todo:superseded:",
            "gate:opened:",
            "criterion:met:",
            "acceptance:changed:",
            "end:no_followup:",
            "wait:",
        ),
        ObligationKind.OUTCOME_FLOOR: (*_REPLAN, "evidence:negative:"),
        ObligationKind.RECONCILE: ("effect:settled:",),
        ObligationKind.REPAIR: (),
    }
)
"""How the delta entries begin that discharge an obligation of each kind. Nothing a Turn delivers is a repair: that is
over when the surface reads well again."""

IN_WORDS: Mapping[ObligationKind, str] = MappingProxyType(
    {
        ObligationKind.REPLAN: "a change of Todos, Vision, Gates, acceptance or boundary, or a justified end",
        ObligationKind.CHECKPOINT: "a patched Vision, one supported as unchanged, or its retirement",
        ObligationKind.SUCCESSOR: "a Todo that carries on, a Gate, the criterion met, or a reason why nothing follows",
        ObligationKind.OUTCOME_FLOOR: "a criterion met, a negative result, or a changed route",
        ObligationKind.RECONCILE: "a read-back under the effect's own id",
        ObligationKind.REPAIR: "the surface that is wrong, repaired by whoever owns it",
    }
)
"""What discharges an obligation of each kind, as people read it."""

_DELIVERED = ("evidence:new:", "todo:done:")
"""New evidence for finished work lifts the outcome floor too; either alone does not."""


class Entry(NamedTuple):
    """One line of a Turn's ``discharges``: ``ID KIND:SUBJECT+SUBJECT`` and, where something is counted, ``SEEN``."""

    id: str
    key: str
    """Kind and subjects: what counting starts anew for."""
    seen: str = ""

    def __str__(self) -> str:
        return " ".join(each for each in (self.id, self.key, self.seen) if each)


def key_of(kind: ObligationKind, subjects: Sequence[str]) -> str:
    """Kind and subjects as one word, such as ``replan:t-4k9x2m7q``."""
    return f"{kind}:{'+'.join(subjects)}"


def entry_of(obligation: Obligation) -> str:
    """How a Turn that discharges ``obligation`` lists it."""
    return str(Entry(obligation.id, key_of(obligation.kind, obligation.subjects), obligation.seen))


def parse(text: str) -> Entry | None:
    """The entry that ``text`` is; ``None`` when it is none."""
    words = text.split()
    return Entry(*words) if len(words) in (2, 3) else None


def is_discharged_by(obligation: Obligation, delta: Sequence[str]) -> bool:
    """Whether ``delta``, the rereadable facts a Turn adds, accounts for ``obligation``."""
    if any(each.startswith(ACCOUNTABLE[obligation.kind]) for each in delta):
        return True
    if obligation.kind is not ObligationKind.OUTCOME_FLOOR:
        return False
    return all(any(each.startswith(wanted) for each in delta) for wanted in _DELIVERED)


def settlement_of(
    armed: Sequence[Obligation], delta: Sequence[str], opened_for: str | None = None
) -> tuple[tuple[str, ...], Refused | None]:
    """What a Turn with this ``delta`` discharges, as entries, and the refusal where it owes one and shows nothing.

    ``armed`` are the obligations of the Turn's agent as the state stood before; ``opened_for`` is the id of the
    obligation the Turn was opened for. One that is no longer armed asks for nothing.
    """
    discharged = tuple(each for each in armed if is_discharged_by(each, delta))
    owed = next((each for each in armed if each.id == opened_for), None)
    if owed is None or owed in discharged:
        return tuple(map(entry_of, discharged)), None
    return (), _no_delta(owed, delta)


def discharging(state: State, goal: str, obligation: str) -> Iterator[Turn]:
    """Settled Turns of ``goal`` that discharged the obligation of that id."""
    return (turn for turn, entry in _entries(state, goal, obligation) if entry.id == obligation)


def was_discharged(state: State, goal: str, obligation: str) -> bool:
    """Whether a settled Turn of ``goal`` discharged the obligation of that id."""
    return any(discharging(state, goal, obligation))


def last_discharge(state: State, goal: str, key: str) -> tuple[Turn, Entry] | None:
    """The newest Turn of ``goal`` that discharged obligations of this kind and these subjects, with its entry."""
    found = [(turn, entry) for turn, entry in _entries(state, goal, key) if entry.key == key]
    return max(found, key=lambda each: (str(each[0].settled_at), each[0].id), default=None)


def discharged_by(turn: Turn) -> Iterator[Entry]:
    """The entries of a Turn."""
    return (entry for each in turn.discharges if (entry := parse(each)) is not None)


def _entries(state: State, goal: str, named: str) -> Iterator[tuple[Turn, Entry]]:
    for turn in state.turns_naming(named):
        if turn.goal == goal and turn.settled_at is not None:
            yield from ((turn, entry) for entry in discharged_by(turn))


def _no_delta(owed: Obligation, delta: Sequence[str]) -> Refused:
    shown = f"All it adds is {listed(delta)}." if delta else "It adds nothing that can be read again."
    message = f"The turn was opened for {owed.id} ({owed.trigger}). {shown}"
    hint = f"It is discharged by {owed.discharged_by}."
    return refuse("replan-no-delta", message, hint, obligation=owed.id, kind=owed.kind.value)
