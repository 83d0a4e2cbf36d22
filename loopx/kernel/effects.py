"""Effects: acts on the outside, recorded before they are done and again when their outcome is known.

While only the intent is on record the outcome is unknown, which is not another spelling of failed: it is read back
under the effect's own id, and nothing here ever assumes that it did not happen.
"""

from __future__ import annotations

from dataclasses import dataclass

from loopx.kernel.state import State
from loopx.model.effect import Effect, EffectStatus, Postcondition


@dataclass(frozen=True, slots=True)
class OpenPostcondition:
    """A follow-up of an effect that nobody saw hold yet. ``number`` counts from 1, as ``effect confirm`` does."""

    effect: Effect
    number: int
    postcondition: Postcondition


def unknown_effects(state: State, goal_id: str) -> tuple[Effect, ...]:
    """Effects of a Goal whose outcome nobody knows yet."""
    return tuple(state.effects(goal_id, {EffectStatus.UNKNOWN}))


def open_postconditions(state: State, goal_id: str) -> tuple[OpenPostcondition, ...]:
    """What must hold after effects of a Goal and was not seen to hold.

    What never happened, or was made good, has nothing left to hold.
    """
    return tuple(
        OpenPostcondition(effect, number, each)
        for effect in state.effects(goal_id, {EffectStatus.UNKNOWN, EffectStatus.CONFIRMED})
        for number, each in enumerate(effect.postconditions, 1)
        if each.confirmed_at is None
    )
