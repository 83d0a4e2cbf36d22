"""Work that is kept back because nobody knows whether something outside happened: asked by verdicts.

While an effect's outcome is unknown its Todo stands still, and so does whatever may write where the effect did.
"""

from __future__ import annotations

from loopx.kernel.effects import unknown_effects
from loopx.kernel.scopes import overlap
from loopx.kernel.state import State
from loopx.model.effect import Effect
from loopx.model.todo import Todo


class EffectBook:
    """Effects of unknown outcome by Goal, looked up once: for verdicts over many Todos."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._found: dict[str, tuple[Effect, ...]] = {}

    def unknown(self, goal: str) -> tuple[Effect, ...]:
        """Effects of ``goal`` whose outcome nobody knows."""
        if goal not in self._found:
            self._found[goal] = unknown_effects(self._state, goal)
        return self._found[goal]

    def keeping(self, todo: Todo) -> Effect | None:
        """The first effect that keeps ``todo`` back."""
        return next((each for each in self.unknown(todo.goal) if keeps(each, todo)), None)


def keeps(effect: Effect, todo: Todo) -> bool:
    """Whether ``todo`` stands still while the outcome of ``effect`` is unknown."""
    return effect.todo == todo.id or overlap(effect.write_scopes, todo.write_scopes)
