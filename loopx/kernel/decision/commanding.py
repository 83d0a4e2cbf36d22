"""The exact commands of the ``cli`` channel, ids filled in. What only the caller knows is left as ``…``.

Every spelling of a command line that a decision gives stands here; a test parses each of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from loopx.kernel.claims import PERSON_PREFIX

if TYPE_CHECKING:
    from loopx.model.effect import Effect
    from loopx.model.todo import Todo
    from loopx.model.turn import Turn

_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_LONG_TARGET = 400
"""Bytes of a monitor's target that are written out."""


def quote(text: str) -> str:
    """``text`` as one word of a shell."""
    return text if _PLAIN.fullmatch(text) else "'" + text.replace("'", "'\"'\"'") + "'"


class Commands:
    """Command lines for one actor, named as records write it."""

    def __init__(self, name: str, goal: str) -> None:
        self.goal = goal
        self._actor = "" if name.startswith(PERSON_PREFIX) else f" --actor agent:{name}"

    def open_turn(self, todo: Todo, with_lease: bool = False) -> str:
        key = " --lease …" if with_lease else ""
        return self._by(f"loopx turn open --goal {self.goal} --todo {todo.id}{key}")

    def open_for(self, obligation: str) -> str:
        return self._by(f"loopx turn open --goal {self.goal} --obligation {obligation}")

    def settle(self, turn: Turn | None, *, done: bool = True, with_lease: bool = False) -> str:
        """The writeback of ``turn``, or of the one opened by the command before."""
        named = f" --turn {turn.id}" if turn is not None else ""
        ending = f"{' --done' if done else ''}{' --lease …' if with_lease else ''}"
        told = "--scale … --outcome … --evidence …"
        return self._by(f"loopx refresh-state --goal {self.goal}{named} {told}{ending}")

    def void(self, turn: Turn) -> str:
        return self._by(f"loopx turn void {turn.id} --reason …")

    def resume(self, todo: Todo) -> str:
        return self._by(f"loopx todo resume {todo.id}")

    def acquire(self, todo: Todo) -> str:
        return self._by(f"loopx lease acquire {todo.id}")

    def run(self, todo: Todo) -> str:
        return self._by(f"loopx run {todo.id}")

    def done(self, todo: Todo) -> str:
        return self._by(f"loopx todo done {todo.id}")

    def cancel(self, todo: Todo) -> str:
        return self._by(f"loopx todo cancel {todo.id} --reason …")

    def show_todo(self, todo: Todo) -> str:
        return f"loopx why {todo.id}"

    def add_todo(self, criterion: str | None = None) -> str:
        accept = f" --accept {criterion}" if criterion else ""
        return self._by(f"loopx todo add … --goal {self.goal}{accept}")

    def set_vision(self, agent: str) -> str:
        return self._by(f"loopx vision set --goal {self.goal} --agent {agent} --summary …")

    def meet(self, criterion: str) -> str:
        return self._by(f"loopx goal meet {self.goal} {criterion} --evidence …")

    def poll(self, monitor: Todo) -> tuple[str, ...]:
        """The look itself; a target too long for a decision is to be read from the monitor first."""
        target = quote(monitor.target or "…")
        is_long = len(target.encode("utf-8", "replace")) > _LONG_TARGET
        first = (f"loopx monitor show {monitor.id}",) if is_long else ()
        return (*first, self._by(f"loopx monitor poll {monitor.id} --target {'…' if is_long else target} --seen …"))

    def settle_effect(self, effect: Effect) -> tuple[str, ...]:
        return (
            f"loopx effect show {effect.id}",
            self._by(f"loopx effect settle {effect.id} --status … --evidence …"),
        )

    def ask(self, scope: str) -> str:
        return self._by(f"loopx gate open --goal {self.goal} --scope {quote(scope)} --question …")

    def audit(self) -> tuple[str, ...]:
        return (f"loopx goal audit {self.goal}", self._by(f"loopx goal close {self.goal} --as achieved"))

    def doctor(self) -> str:
        return f"loopx doctor --goal {self.goal}"

    def look_again(self) -> str:
        return self._by(f"loopx next --goal {self.goal}")

    def _by(self, line: str) -> str:
        return f"{line}{self._actor}"


def show_gate(gate: str) -> str:
    return f"loopx gate show {gate}"


def answer_gate(gate: str) -> str:
    """For people only."""
    return f"loopx gate approve {gate} --reason …"
