"""How an obligation is armed: what triggers look at, whose it becomes, and its stable id. For the triggers only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

from loopx.kernel.agents import is_registered, participant
from loopx.kernel.claims import PERSON_PREFIX
from loopx.kernel.judgement import criterion_standing
from loopx.kernel.obligations.discharging import IN_WORDS
from loopx.kernel.obligations.record import OPERATORS, Obligation, ObligationKind
from loopx.kernel.policies import goal_policies
from loopx.kernel.state import State
from loopx.kernel.turns.past import ended
from loopx.kernel.uncertainty import EffectBook
from loopx.model.goal import AgentMode
from loopx.model.ids import ALPHABET
from loopx.model.todo import Todo, TodoClass, TodoStatus

if TYPE_CHECKING:
    from loopx.kernel.judgement import CriterionStanding
    from loopx.model.effect import Effect
    from loopx.model.goal import Criterion, Goal, GoalPolicies
    from loopx.model.turn import Turn

UNCLOSED = (TodoStatus.OPEN, TodoStatus.BLOCKED, TodoStatus.DEFERRED)
_LENGTH = 10
_A_FEW = 16


class Scene:
    """What triggers look at: one Goal at one instant. What several triggers need is looked up once."""

    def __init__(self, state: State, goal: Goal, now: datetime) -> None:
        self.state, self.goal, self.now = state, goal, now
        self._past: dict[str, list[Turn]] = {}

    @cached_property
    def policies(self) -> GoalPolicies:
        return goal_policies(self.goal)

    @cached_property
    def standings(self) -> tuple[tuple[Criterion, CriterionStanding], ...]:
        """Every criterion with what it is worth now."""
        return tuple((each, criterion_standing(self.state, self.goal, each, self.now)) for each in self.goal.acceptance)

    @cached_property
    def unmet(self) -> tuple[str, ...]:
        """Ids of the criteria that are neither met nor waived."""
        return tuple(each.id for each, found in self.standings if found.status == "open")

    @cached_property
    def counts(self) -> dict[TodoStatus, int]:
        """Todos by status."""
        found = self.state.tally().get(self.goal.id, {})
        return {each: found.get(each, 0) for each in TodoStatus}

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """Acts on the outside of which nobody knows whether they happened."""
        return EffectBook(self.state).unknown(self.goal.id)

    @cached_property
    def monitors(self) -> tuple[Todo, ...]:
        """Open monitors."""
        return tuple(self.state.open_of_class(self.goal.id, TodoClass.MONITOR))

    @cached_property
    def frontier(self) -> tuple[Todo, ...]:
        """The first open Todos: most criteria are advanced by one of them."""
        return tuple(self.state.frontier(self.goal.id, _A_FEW))

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """Agents that may owe something: those that take part, and those that left a Vision or an open Turn here."""
        config = self.state.config()
        named = [each.id for each in self.goal.agents] or [each.id for each in (config.agents if config else ())]
        routes = [each.agent for each in self.state.visions(self.goal.id)]
        working = [each.agent for each in self.state.open_turns(self.goal.id)]
        return tuple(dict.fromkeys([*named, *routes, *working]))

    @cached_property
    def steward(self) -> str:
        """Who owes what is nobody's in particular: the agent that worked here last, else the first that takes part.

        Agents that only watch are passed over; without any other the operators owe it.
        """
        last = [each.agent for each in self.state.turns(self.goal.id, limit=1)]
        return next((each for each in (*last, *self.agents) if self._is_active(each)), OPERATORS)

    def past(self, agent: str, count: int) -> list[Turn]:
        """The last ``count`` Turns of ``agent`` that ended, newest first; looked up once for the most asked for."""
        known = self._past.get(agent)
        if known is None or len(known) < count:
            known = self._past[agent] = ended(self.state, self.goal.id, agent, count)
        return known[:count]

    def owner(self, agent: str | None) -> str:
        """``agent`` while it is there, the operators once it is gone, the steward for nobody in particular."""
        if agent is None:
            return self.steward
        if agent.startswith(PERSON_PREFIX) or is_registered(self.state, agent, self.goal.id):
            return agent
        return OPERATORS

    def _is_active(self, agent: str) -> bool:
        found = participant(self.goal, agent)
        if found is None or found.mode is AgentMode.MONITOR_ONLY:
            return False
        return is_registered(self.state, agent, self.goal.id)


def agent_of(actor: str) -> str | None:
    """The name of the agent that ``actor`` (``agent:ID``) is; ``None`` for a person."""
    kind, _, name = actor.partition(":")
    return name if kind == "agent" else None


def obligation(
    kind: ObligationKind,
    trigger: str,
    subjects: Sequence[str],
    armed_by: str,
    owner: str,
    message: str,
    *,
    seen: str = "",
    discharged_by: str = "",
) -> Obligation:
    """The obligation these facts make."""
    identity = obligation_id(trigger, subjects, armed_by)
    way = discharged_by or IN_WORDS[kind]
    return Obligation(identity, kind, trigger, tuple(subjects), armed_by, owner, message, way, seen)


def obligation_id(trigger: str, subjects: Sequence[str], armed_by: str) -> str:
    """``o-`` and a digest of trigger, subjects and the fact that armed it: of nothing else, so that nothing else
    rotates it."""
    digest = int.from_bytes(sha256("\n".join((trigger, *subjects, armed_by)).encode()).digest()[:8], "big")
    return "o-" + "".join(ALPHABET[(digest >> (5 * each)) & 31] for each in range(_LENGTH))


Armed = Iterator[Obligation]
