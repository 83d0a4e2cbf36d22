"""The state as it comes to be while one command made of several is judged: each part sees what the parts before it did.

Nothing is committed here. A part is judged by the rules of its own command, the table of who may included; the whole
stands or falls with all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from loopx.errors import Problem
from loopx.kernel.authority import permitted
from loopx.kernel.commands.base import Command
from loopx.kernel.context import Context
from loopx.kernel.decide import judge_of
from loopx.kernel.outcome import Accepted, Change, Create, Outcome, Refused
from loopx.kernel.overlay import merged, overlaid
from loopx.kernel.state import State
from loopx.model.todo import Todo

Judge = Callable[[State, Command, Context], Outcome]


class Scratch:
    """A state and the changes accepted on it so far."""

    def __init__(self, state: State, context: Context) -> None:
        self.before = state
        self.context = context
        self.notices: list[Problem] = []
        self._changes: list[Change] = []

    @cached_property
    def state(self) -> State:
        """The state with every change accepted so far."""
        return overlaid(self.before, self.changes)

    @property
    def changes(self) -> tuple[Change, ...]:
        """One change of each document."""
        return merged(self._changes)

    @property
    def made(self) -> tuple[str, ...]:
        """Ids of the Todos made so far."""
        created = (each.entity for each in self.changes if isinstance(each, Create))
        return tuple(each.id for each in created if isinstance(each, Todo))

    def ask(self, command: Command, judge: Judge | None = None) -> Accepted | Refused:
        """The answer to ``command``; what it changes is part of the state from then on."""
        refused = permitted(self.state, command, self.context)
        answer = refused or (judge or judge_of(type(command)))(self.state, command, self.context)
        if isinstance(answer, Refused):
            return answer
        assert isinstance(answer, Accepted)
        self.notices.extend(answer.notices)
        self.put(*answer.changes)
        return answer

    def put(self, *changes: Change) -> None:
        """Take ``changes`` in as they are."""
        self._changes.extend(changes)
        self.__dict__.pop("state", None)
