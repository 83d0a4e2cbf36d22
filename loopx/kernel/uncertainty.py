"""Work that is kept back because nobody knows whether something outside happened: asked by verdicts.

While an effect's outcome is unknown its Todo stands still, and so does whatever may write where the effect did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel.state import State
from loopx.model.todo import Todo

if TYPE_CHECKING:
    from loopx.model.effect import Effect

_UNKNOWN = ("unknown",)
"""The status as text: most Goals have no effect, and asking loads nothing."""


class EffectBook:
    """Effects of unknown outcome by Goal, looked up once: for verdicts over many Todos."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._found: dict[str, tuple[Effect, ...]] = {}

    def unknown(self, goal: str) -> tuple[Effect, ...]:
        """Effects of ``goal`` whose outcome nobody knows."""
        if goal not in self._found:
            self._found[goal] = tuple(self._state.effects(goal, _UNKNOWN))  # type: ignore[arg-type]
        return self._found[goal]

    def keeping(self, todo: Todo) -> Effect | None:
        """The first effect that keeps ``todo`` back."""
        return next((each for each in self.unknown(todo.goal) if keeps(each, todo)), None)


def keeps(effect: Effect, todo: Todo) -> bool:
    """Whether ``todo`` stands still while the outcome of ``effect`` is unknown."""
    if effect.todo == todo.id or not (effect.write_scopes and todo.write_scopes):
        return effect.todo == todo.id
    from loopx.kernel.scopes import overlap

    return overlap(effect.write_scopes, todo.write_scopes)
