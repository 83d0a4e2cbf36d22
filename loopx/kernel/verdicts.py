"""Whether a Todo may be worked on now, and every reason why not: no filter hides work without a name.

One table of rules, asked in order; ``loopx why`` prints the same table. Nothing here refuses or changes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from loopx.kernel.claims import holder, holder_name
from loopx.kernel.lease_standing import LeaseBook, ends_at
from loopx.kernel.state import State
from loopx.kernel.uncertainty import EffectBook
from loopx.kernel.wording import listed, quoted
from loopx.model.actor import Actor
from loopx.model.defining import dataclass
from loopx.model.gate import DecisionScope
from loopx.model.goal import GoalStatus
from loopx.model.times import format_instant
from loopx.model.todo import Todo, TodoClass, TodoStatus

if TYPE_CHECKING:
    from loopx.kernel.standing import GateBook


class ReasonCode(StrEnum):
    """Why a Todo is not runnable."""

    GOAL_NOT_ACTIVE = "goal-not-active"
    TODO_CLOSED = "todo-closed"
    TODO_BLOCKED = "todo-blocked"
    TODO_DEFERRED = "todo-deferred"
    CONDITION_DEAD = "condition-dead"
    """What would end its deferral can no longer come true."""
    DEPENDENCY_UNMET = "dependency-unmet"
    DEPENDENCY_DEAD = "dependency-dead"
    """A prerequisite was cancelled."""
    DEPENDENCY_IMPOSSIBLE = "dependency-impossible"
    """A prerequisite is open by design: a standing monitor."""
    DEPENDENCY_UNKNOWN = "dependency-unknown"
    """A prerequisite does not exist."""
    DEPENDENCY_CYCLE = "dependency-cycle"
    GATE_REQUIRED = "gate-required"
    """A decision it requires has not been asked for, or was answered with no."""
    GATE_PENDING = "gate-pending"
    """A decision it requires waits for a person."""
    LEASED_BY_OTHER = "leased-by-other"
    """Somebody else executes it under a live lease, and has its claim with it."""
    CLAIMED_BY_OTHER = "claimed-by-other"
    AGENT_EXCLUDED = "agent-excluded"
    CAPABILITY_MISSING = "capability-missing"
    REPOSITORY_ELSEWHERE = "repository-elsewhere"
    """It is work in another repository than the one this workspace lies in."""
    EFFECT_UNKNOWN = "effect-unknown"
    """Nobody knows whether something outside happened that it rests on."""
    NOT_WORK = "not-work"
    """Its class says that it is not an agent's to do: a monitor, a person's action, an obstacle."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason, in a sentence that says what would change it."""

    code: ReasonCode
    message: str
    facts: Mapping[str, Any] = field(default_factory=dict)


HOPELESS = frozenset(
    {
        ReasonCode.CONDITION_DEAD,
        ReasonCode.DEPENDENCY_DEAD,
        ReasonCode.DEPENDENCY_IMPOSSIBLE,
        ReasonCode.DEPENDENCY_UNKNOWN,
        ReasonCode.DEPENDENCY_CYCLE,
    }
)
"""Why a Todo waits for good: no time and no work ends it, only a change of what the Todo itself says."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a Todo is runnable; every reason why not, in the order of the rules."""

    is_runnable: bool
    reasons: tuple[Reason, ...] = ()


class Case:
    """What a rule looks at. ``actor`` is ``None`` for the view of nobody in particular: then claims, exclusions and
    capabilities keep nothing back."""

    __slots__ = ("_gates", "actor", "effects", "leases", "now", "state", "todo")

    def __init__(
        self,
        state: State,
        todo: Todo,
        actor: Actor | None,
        now: datetime,
        gates: GateBook | None = None,
        effects: EffectBook | None = None,
        leases: LeaseBook | None = None,
    ) -> None:
        self.state, self.todo, self.actor, self.now = state, todo, actor, now
        self.effects = effects or EffectBook(state)
        self.leases = leases or LeaseBook(state, now)
        self._gates = gates

    @property
    def gates(self) -> GateBook:
        """The Gates that could matter; most Todos require no decision and never ask."""
        if self._gates is None:
            from loopx.kernel.standing import GateBook

            self._gates = GateBook(self.state, self.now)
        return self._gates


Rule = Callable[[Case], Iterator[Reason]]

_UNFULFILLED: Mapping[str, ReasonCode] = MappingProxyType(
    {
        "unmet": ReasonCode.DEPENDENCY_UNMET,
        "dead": ReasonCode.DEPENDENCY_DEAD,
        "impossible": ReasonCode.DEPENDENCY_IMPOSSIBLE,
        "dangling": ReasonCode.DEPENDENCY_UNKNOWN,
        "circular": ReasonCode.DEPENDENCY_CYCLE,
    }
)
"""What each prospect of a prerequisite but *met* means for the Todo that waits for it."""
_NOT_WORK: Mapping[TodoClass, str] = MappingProxyType(
    {
        TodoClass.MONITOR: "is a monitor: it is observed, not done",
        TodoClass.USER_ACTION: "is a person's to do",
        TodoClass.BLOCKER: "is an obstacle a person has to clear",
    }
)


def verdict(
    state: State,
    todo: Todo,
    actor: Actor | None,
    now: datetime,
    gates: GateBook | None = None,
    effects: EffectBook | None = None,
    leases: LeaseBook | None = None,
) -> Verdict:
    """Whether ``todo`` may be worked on by ``actor`` at ``now``.

    Over many Todos pass one book each of Gates, effects and leases, so that these are looked up once.
    """
    case = Case(state, todo, actor, now, gates, effects, leases)
    if todo.status.is_closed:
        return Verdict(False, tuple(_status(case)))
    reasons = tuple(reason for rule in RULES.values() for reason in rule(case))
    return Verdict(not reasons, reasons)


def _goal(case: Case) -> Iterator[Reason]:
    goal = case.state.goal(case.todo.goal)
    status = goal.status if goal else None
    if status is not GoalStatus.ACTIVE:
        what = f"is {status}" if status else "does not exist"
        facts = {"goal": case.todo.goal, "status": status.value if status else None}
        yield Reason(ReasonCode.GOAL_NOT_ACTIVE, f"Goal {case.todo.goal} {what}.", facts)


def _status(case: Case) -> Iterator[Reason]:
    todo = case.todo
    if todo.status.is_closed:
        yield Reason(ReasonCode.TODO_CLOSED, f"It is {todo.status}.", {"status": todo.status.value})
    elif todo.status is TodoStatus.BLOCKED:
        message = f"It is blocked: {todo.reason or 'no reason was given'}."
        yield Reason(ReasonCode.TODO_BLOCKED, message, {"reason": todo.reason})
    elif todo.status is TodoStatus.DEFERRED:
        yield _deferred(case)


def _deferred(case: Case) -> Reason:
    from loopx.kernel.conditions import Wake, waking  # only deferred work waits for a condition

    found = waking(case.state, case.todo, case.now)
    facts = {"resume_when": case.todo.resume_when, "wake": found.wake.value}
    if found.wake is Wake.DEAD:
        return Reason(ReasonCode.CONDITION_DEAD, f"What would wake it can no longer come true: {found.why}", facts)
    if found.wake is Wake.MET:
        return Reason(ReasonCode.TODO_DEFERRED, f"What it waited for has come: resume it. {found.why}", facts)
    return Reason(ReasonCode.TODO_DEFERRED, f"It is deferred. {found.why}", facts)


def _dependencies(case: Case) -> Iterator[Reason]:
    if not case.todo.depends_on:
        return
    from loopx.kernel.dependencies import prerequisites  # most Todos depend on nothing

    for each in prerequisites(case.state, case.todo):
        code = _UNFULFILLED.get(each.prospect)
        if code is not None:
            yield Reason(code, each.message, {"named": each.named, "id": each.id})


def _decisions(case: Case) -> Iterator[Reason]:
    for text in case.todo.requires:
        try:
            need = _need(text)
        except ValueError as error:
            yield Reason(ReasonCode.GATE_REQUIRED, f"{error}, so nothing can cover it.", {"scope": text})
            continue
        coverage = case.gates.coverage(case.todo.goal, need)
        if coverage.gate is not None:
            continue
        if coverage.pending is not None:
            asked = f"Gate {coverage.pending.id} {quoted(coverage.pending.question)} waits for a person."
            yield Reason(ReasonCode.GATE_PENDING, asked, {"scope": text, "gate": coverage.pending.id})
        else:
            lapsed = f" Gate {coverage.lapsed.id}: {coverage.why}" if coverage.lapsed else ""
            message = f"It requires {text}, which no approved Gate covers.{lapsed}"
            answered = {"gate": coverage.lapsed.id, "answer": coverage.lapsed.status.value} if coverage.lapsed else {}
            yield Reason(ReasonCode.GATE_REQUIRED, message, {"scope": text, **answered})


@lru_cache(maxsize=256)
def _need(text: str) -> DecisionScope:
    """The scope ``text`` names; many Todos require the same few."""
    return DecisionScope.parse(text)


def _lease(case: Case) -> Iterator[Reason]:
    lease = case.leases.live(case.todo.goal, case.todo.id) if case.actor is not None else None
    if lease is None or case.actor is None or lease.owner == holder_name(case.actor):
        return
    end = format_instant(ends_at(lease, case.now))
    facts = {"holder": lease.owner, "expires_at": end, "epoch": lease.epoch}
    yield Reason(ReasonCode.LEASED_BY_OTHER, f"{lease.owner} executes it until {end}.", facts)


def _claim(case: Case) -> Iterator[Reason]:
    """A claim that still holds. Beside a live lease it says nothing that the lease does not."""
    if case.actor is None or case.todo.claimed_by in (None, holder_name(case.actor)):
        return
    if case.leases.live(case.todo.goal, case.todo.id) is not None:
        return
    claimant = holder(case.state, case.todo, case.now)
    if claimant is not None and claimant != holder_name(case.actor):
        yield Reason(ReasonCode.CLAIMED_BY_OTHER, f"{claimant} has claimed it.", {"holder": claimant})


def _exclusion(case: Case) -> Iterator[Reason]:
    if case.actor is not None and not case.actor.is_human and case.actor.name in case.todo.excluded_agents:
        yield Reason(ReasonCode.AGENT_EXCLUDED, f"It excludes {case.actor.name}.", {"agent": case.actor.name})


def _capabilities(case: Case) -> Iterator[Reason]:
    """A person is taken to be able to do whatever they set out to do."""
    if case.actor is None or case.actor.is_human:
        return
    missing = [each for each in case.todo.capabilities if each not in abilities(case.state, case.todo, case.actor)]
    if missing:
        message = f"{case.actor.name} lacks {listed(missing)}."
        yield Reason(ReasonCode.CAPABILITY_MISSING, message, {"missing": missing})


def _outcomes(case: Case) -> Iterator[Reason]:
    effect = case.effects.keeping(case.todo)
    if effect is not None:
        message = f"Nobody knows whether {effect.id} {quoted(effect.summary)} happened: it is read back first."
        yield Reason(ReasonCode.EFFECT_UNKNOWN, message, {"effect": effect.id, "agent": effect.agent})


def _repository(case: Case) -> Iterator[Reason]:
    """Work in a repository is done where that repository is; nothing is held against one nobody knows."""
    wanted = case.todo.repository
    known = case.state.environment.repositories() if wanted else None
    if wanted and known is not None and wanted.casefold() not in {each.casefold() for each in known}:
        message = f"It is work in {wanted}, and this project is {listed(sorted(known))}."
        yield Reason(ReasonCode.REPOSITORY_ELSEWHERE, message, {"repository": wanted})


def _class(case: Case) -> Iterator[Reason]:
    why = _NOT_WORK.get(case.todo.todo_class)
    for_people = case.todo.todo_class is not TodoClass.MONITOR
    if why is None or (for_people and case.actor is not None and case.actor.is_human):
        return
    yield Reason(ReasonCode.NOT_WORK, f"It {why}.", {"class": case.todo.todo_class.value})


def abilities(state: State, todo: Todo, actor: Actor) -> frozenset[str]:
    """What an agent can do: what the workspace says of it, and what the Goal adds."""
    config = state.config()
    goal = state.goal(todo.goal)
    registered = [each.capabilities for each in (config.agents if config else ()) if each.id == actor.name]
    taking_part = [each.capabilities for each in (goal.agents if goal else ()) if each.id == actor.name]
    return frozenset(ability for abilities in (*registered, *taking_part) for ability in abilities)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "goal": _goal,
        "status": _status,
        "dependencies": _dependencies,
        "decisions": _decisions,
        "lease": _lease,
        "claim": _claim,
        "exclusion": _exclusion,
        "capabilities": _capabilities,
        "repository": _repository,
        "outcomes": _outcomes,
        "class": _class,
    }
)
"""Every rule, in the order in which its reasons are told."""
