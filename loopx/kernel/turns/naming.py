"""Finding the turn a command names, and what is wrong with the words that come with it."""

from __future__ import annotations

from collections.abc import Iterator

from loopx.kernel.commands import SettleTurn
from loopx.kernel.context import Context
from loopx.kernel.privacy import bad_texts, is_shared
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import resolve
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line
from loopx.kernel.turns.taking import not_theirs
from loopx.kernel.wording import quoted, refuse
from loopx.model.goal import Goal
from loopx.model.kind import Kind
from loopx.model.turn import Turn

_LONGEST = 2000
"""Characters of a text of a turn."""


def find_turn(state: State, typed: str) -> Turn | Refused:
    """The turn ``typed`` names."""
    identity = resolve(state, Kind.TURN, typed)
    if isinstance(identity, Refused):
        return identity
    found = state.turn(identity)
    assert found is not None
    return found


def named_turn(state: State, goal: Goal, typed: str, context: Context) -> Turn | Refused:
    """The turn of ``goal`` that ``typed`` names, where the actor may settle it."""
    turn = find_turn(state, typed)
    if isinstance(turn, Refused):
        return turn
    if turn.goal != goal.id:
        message = f"{turn.id} belongs to {turn.goal}, not to {goal.id}."
        return refuse("turn-mismatch", message, f"Name --goal {turn.goal}.", turn=turn.id, goal=turn.goal)
    return not_theirs(turn.agent, context) or turn


def unreadable(state: State, command: SettleTurn) -> Refused | None:
    """The refusal of words that are no line, too long, or hold what must not travel; and of a path delta that cites
    evidence nobody recorded."""
    lines = [(name, text) for name, text in _lines(command) if text is not None]
    texts = [(name, text) for name, text in _texts(command) if text is not None]
    for name, text in lines:
        if refused := bad_line(text, name):
            return refused
    for name, text in texts:
        if len(text) > _LONGEST:
            return refuse("field-value", f"{name} is longer than {_LONGEST} characters.", "Shorten it.", field=name)
    return bad_texts((*lines, *texts), is_shared(state)) or _uncited(state, command)


def _lines(command: SettleTurn) -> Iterator[tuple[str, str | None]]:
    yield "next_action", command.next_action
    path = command.path_delta
    if path is not None:
        for name in ("retained", "changed", "stopped", "open_questions"):
            yield from ((name, each) for each in getattr(path, name))


def _texts(command: SettleTurn) -> Iterator[tuple[str, str | None]]:
    yield "note", command.note
    yield "unchanged_reason", command.vision.unchanged_reason
    yield from command.vision.patch.items()
    if command.path_delta is not None:
        yield "prior_assumption", command.path_delta.prior_assumption
        yield "observed_reality", command.path_delta.observed_reality


def _uncited(state: State, command: SettleTurn) -> Refused | None:
    cited = command.path_delta.evidence if command.path_delta is not None else ()
    missing = next((each for each in cited if state.evidence(each) is None), None)
    if missing is None:
        return None
    return refuse("evidence-unknown", f"There is no evidence {quoted(missing)}.", field="path_delta")
