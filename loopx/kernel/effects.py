"""Effects: acts on the outside, recorded before they are done and again when their outcome is known.

While only the intent is on record the outcome is unknown, which is not another spelling of failed: it is read back
under the effect's own id, and nothing here ever assumes that it did not happen.
"""

from __future__ import annotations

from loopx.kernel.state import State
from loopx.model.defining import dataclass
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


def is_unfinished(effect: Effect) -> bool:
    """Whether something of it is still to be found out: its outcome, or what must hold after it."""
    if effect.status is EffectStatus.UNKNOWN:
        return True
    is_left = any(each.confirmed_at is None for each in effect.postconditions)
    return effect.status is EffectStatus.CONFIRMED and is_left


def what_is_known(effect: Effect) -> str:
    """One sentence about the outcome of ``effect``, and what comes next."""
    match effect.status:
        case EffectStatus.UNKNOWN:
            how = f": {effect.readback}" if effect.readback else ""
            return f"Nobody knows yet whether it happened; read it back from {_at(effect)}{how}."
        case EffectStatus.CONFIRMED:
            return "It happened."
        case EffectStatus.ABSENT:
            return "It did not happen."
        case EffectStatus.COMPENSATED:
            return "It happened and was made good."


def _at(effect: Effect) -> str:
    from loopx.model.times import format_instant

    return format_instant(effect.readback_due_at)
