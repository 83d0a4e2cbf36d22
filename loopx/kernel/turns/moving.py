"""The one place that moves a turn to another status, as its lifecycle allows."""

from __future__ import annotations

from loopx.kernel.apply import updated
from loopx.kernel.outcome import Update
from loopx.kernel.transitions import move
from loopx.model.turn import Turn, TurnStatus


def moved(turn: Turn, to: TurnStatus, command: str) -> Turn:
    """``turn`` in the status ``to``; whoever asks has seen that it is open."""
    change = move(turn, to, command)
    if not isinstance(change, Update):
        raise ValueError(f"turn {turn.id} is {turn.status} and cannot become {to}")
    return updated(turn, change)
