"""What the rules of the decision look at: one Goal through the eyes of one actor, each fact looked up when first asked.

For :mod:`loopx.kernel.decision` only. Nothing here judges; the rules do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from loopx.kernel.agents import participant
from loopx.kernel.claims import holder_name
from loopx.kernel.decision.record import GateLine
from loopx.kernel.decision.selecting import Work
from loopx.kernel.decision.watching import Watch
from loopx.kernel.obligations.arming import Scene
from loopx.kernel.obligations.deriving import derived
from loopx.kernel.obligations.record import OPERATORS, Obligation
from loopx.kernel.quota import Window, is_past_its_slots, window
from loopx.kernel.state import State
from loopx.kernel.turns.past import last_ended
from loopx.model.gate import GateStatus
from loopx.model.goal import AgentMode
from loopx.model.todo import TodoClass, TodoStatus

if TYPE_CHECKING:
    from datetime import datetime

    from loopx.model.actor import Actor
    from loopx.model.closure import Closure
    from loopx.model.effect import Effect
    from loopx.model.gate import Gate
    from loopx.model.goal import Goal
    from loopx.model.todo import Todo
    from loopx.model.turn import Turn

_WAITING = (GateStatus.OPEN, GateStatus.DEFERRED)


class Facts:
    """One Goal as ``actor`` sees it at ``now``."""

    def __init__(self, state: State, goal: Goal, actor: Actor, now: datetime) -> None:
        self.state, self.goal, self.actor, self.now = state, goal, actor, now

    @cached_property
    def name(self) -> str:
        """The actor as records write it."""
        return holder_name(self.actor)

    @cached_property
    def scene(self) -> Scene:
        """What obligations are derived from; counts, criteria and monitors are looked up once for both."""
        return Scene(self.state, self.goal, self.now)

    @cached_property
    def is_operator(self) -> bool:
        if not self.actor.is_human:
            return False
        from loopx.kernel.authority import is_operator  # agents never are

        return is_operator(self.state, self.actor)

    @cached_property
    def watches_only(self) -> bool:
        """Whether this agent looks at monitors and does no other work here."""
        if self.actor.is_human:
            return False
        found = participant(self.goal, self.name)
        return found is not None and found.mode is AgentMode.MONITOR_ONLY

    @cached_property
    def closure(self) -> Closure | None:
        """The newest end of the Goal that nothing undid."""
        log = self.state.closure(self.goal.id)
        return next((each for each in reversed(log.entries if log else ()) if each.stands), None)

    @cached_property
    def unreadable(self) -> list[str]:
        return self.state.unreadable(self.goal.id)

    # what is owed ----------------------------------------------------------------------------

    @cached_property
    def armed(self) -> tuple[Obligation, ...]:
        """Obligations this actor has to know of: its own, those of the Goal as a whole, those of agents that are gone
        where the actor answers for them."""
        agents = self.scene.agents if self.is_operator else (self.name,)
        return tuple(derived(self.scene, agents))

    @cached_property
    def own(self) -> tuple[Obligation, ...]:
        """What this actor owes."""
        owners = {self.name, OPERATORS} if self.is_operator else {self.name}
        return tuple(each for each in self.armed if each.owner in owners)

    @cached_property
    def left_to_operators(self) -> tuple[Obligation, ...]:
        """What no agent is there to discharge, and the actor is no operator."""
        return () if self.is_operator else tuple(each for each in self.armed if each.owner == OPERATORS)

    # effects ---------------------------------------------------------------------------------

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """Acts on the outside of which nobody knows whether they happened."""
        return self.work.effects.unknown(self.goal.id)

    def is_mine(self, effect: Effect) -> bool:
        """Whether the actor answers for ``effect``: it did it, or whoever did is gone and the actor is an operator."""
        owner = self.scene.owner(effect.agent)
        return owner == self.name or (owner == OPERATORS and self.is_operator)

    # turns and quota -------------------------------------------------------------------------

    @cached_property
    def open_turns(self) -> tuple[Turn, ...]:
        return tuple(self.state.open_turns(self.goal.id))

    @cached_property
    def turn(self) -> Turn | None:
        """The actor's open Turn."""
        return next((each for each in self.open_turns if each.agent == self.name), None)

    @cached_property
    def others_turns(self) -> tuple[Turn, ...]:
        """Open Turns of everybody else."""
        return tuple(each for each in self.open_turns if each.agent != self.name)

    @cached_property
    def in_other_hands(self) -> frozenset[str]:
        """Todos somebody else has a Turn open on that has slots left."""
        live = (each for each in self.others_turns if not is_past_its_slots(each, self.goal, self.now))
        return frozenset(each.todo for each in live if each.todo is not None)

    @cached_property
    def last_turn(self) -> Turn | None:
        """The actor's newest Turn that ended."""
        return last_ended(self.state, self.goal.id, self.name)

    @cached_property
    def window(self) -> Window:
        return window(self.state, self.goal, self.now)

    # work ------------------------------------------------------------------------------------

    @cached_property
    def work(self) -> Work:
        taken = self.in_other_hands
        return Work(self.state, self.goal, self.actor, self.name, self.now, taken, self.watches_only)

    @cached_property
    def watch(self) -> Watch:
        return Watch(self.work, self.scene.monitors, self.last_turn)

    @cached_property
    def unclosed(self) -> int:
        """Todos that are no monitors and not closed."""
        return sum(self.scene.counts[each] for each in TodoStatus if not each.is_closed) - self.unclosed_monitors

    @cached_property
    def unclosed_monitors(self) -> int:
        aside = (TodoStatus.BLOCKED, TodoStatus.DEFERRED)
        put_aside: Iterator[Todo] = iter(())
        if any(self.scene.counts[each] for each in aside):
            put_aside = self.state.todos(self.goal.id, aside)
        return len(self.scene.monitors) + sum(each.todo_class is TodoClass.MONITOR for each in put_aside)

    @cached_property
    def for_people(self) -> tuple[Todo, ...]:
        """Open Todos only a person can do, in order of the frontier."""
        found = self.state.open_of_class(self.goal.id, TodoClass.USER_ACTION, TodoClass.BLOCKER)
        return tuple(sorted(found, key=lambda each: (each.priority, str(each.created_at), each.id)))

    # gates -----------------------------------------------------------------------------------

    @cached_property
    def open_gates(self) -> tuple[Gate, ...]:
        """Questions of this Goal a person has yet to answer, the overdue first, then the oldest."""
        return tuple(sorted(self.state.gates(self.goal.id, _WAITING), key=self._urgency))

    def gate_lines(self, blocked: dict[str, int] | None = None) -> tuple[GateLine, ...]:
        """The open Gates as the decision shows them; ``blocked`` says how many Todos wait for each where counted."""
        return tuple(
            GateLine(
                each.id,
                each.scope,
                each.question,
                each.status.value,
                None if blocked is None else blocked.get(each.id, 0),
            )
            for each in self.open_gates
        )

    def _urgency(self, gate: Gate) -> tuple[bool, str, str]:
        late = gate.deadline is not None and self.now > gate.deadline
        return (not late, str(gate.created_at), gate.id)
