"""A desk to put proposals on: entities in memory, a fixed time, foretellable ids, and every answer checked.

A refusal must change nothing, stand in the catalogue and stay small; whatever is accepted is applied, so that tests
read as a sequence of what people and agents did.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from loopx.errors import CATALOGUE
from loopx.kernel.apply import apply_changes
from loopx.kernel.commands import Command
from loopx.kernel.context import Context
from loopx.kernel.decide import decide
from loopx.kernel.environment import UNKNOWN, Environment
from loopx.kernel.hand import HandEdit, decide_hand
from loopx.kernel.outcome import Accepted, Outcome, Receipt, Refused
from loopx.kernel.state import MemorySource, State
from loopx.kernel.verdicts import Verdict, verdict
from loopx.model.actor import Actor, Origin
from loopx.model.entities import Entity, goal_of, identity, kind_of
from loopx.model.gate import Gate
from loopx.model.goal import Criterion, Goal
from loopx.model.kind import Kind
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.todo import Todo, Validation
from loopx.model.workspace import AgentEntry, Policies, WorkspaceConfig
from tests.support.clock import START
from tests.support.ids import FixedIds

ANN = Actor.parse("human:Ann")
BEN = Actor.parse("human:Ben")
BOT = Actor.parse("agent:bot")
REX = Actor.parse("agent:rex")

T1, T2, T3, T4 = "t-aaaa1111", "t-bbbb2222", "t-cccc3333", "t-dddd4444"
G1, G2 = "g-aaaa1111", "g-bbbb2222"
E1, E2 = "e-aaaa1111", "e-bbbb2222"

REFUSAL_LIMIT = 1024
"""Bytes a refusal may have as JSON, its place included."""

PYTEST = Validation(argv=("pytest", "-q"))


def goal(name: str = "beta", **fields: Any) -> Goal:
    """An active Goal."""
    return Goal(**{"id": name, "title": "Ship the beta", **fields})


def criterion(name: str = "a1", text: str = "Ten people use it", **fields: Any) -> Criterion:
    return Criterion(id=name, text=text, **fields)


def todo(name: str = T1, title: str = "Write the guide", **fields: Any) -> Todo:
    """An open Todo of the Goal beta."""
    return Todo(**{"id": name, "title": title, "goal": "beta", "created_at": START, **fields})


def gate(name: str = G1, scope: str = "production:goal:deploy", **fields: Any) -> Gate:
    """An open Gate of the Goal beta, asked by the agent bot."""
    asked = {"question": "May it go live?", "goal": "beta", "asked_by": str(BOT), "created_at": START}
    return Gate(**{"id": name, "scope": scope, **asked, **fields})


def config(*agents: AgentEntry, operators: Iterable[str] = (), **policies: Any) -> WorkspaceConfig:
    """The workspace's document."""
    return WorkspaceConfig(
        version=1,
        id="w-1",
        title="Lab",
        operators=tuple(operators),
        agents=agents,
        policies=Policies(**policies),
        created_at=START,
    )


def evidence(name: str = E1, subject: str = T1, **fields: Any) -> Evidence:
    """A validation that passed, bound to nothing yet."""
    seen = {"kind": EvidenceKind.VALIDATION, "source": "loopx:validation", "result": EvidenceResult.PASSED}
    return Evidence(**{"id": name, "subject": subject, "observed_at": START, "goal": "beta", **seen, **fields})


@dataclass
class Desk:
    """A workspace in memory that proposals are put to."""

    entities: list[Entity] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    known_ids: set[str] = field(default_factory=set)
    now: datetime = START
    ids: FixedIds = field(default_factory=FixedIds)
    environment: Environment = UNKNOWN
    _operations: int = 0

    @classmethod
    def of(cls, *entities: Entity) -> Desk:
        return cls(list(entities))

    @property
    def state(self) -> State:
        return State(MemorySource(self.entities, self.receipts, self.known_ids), self.environment)

    def wait(self, **length: float) -> None:
        """Let time pass (keywords of :class:`datetime.timedelta`)."""
        self.now += timedelta(**length)

    def context(self, actor: Actor = ANN, op: str | None = None, origin: Origin = Origin.COMMAND) -> Context:
        self._operations += 1
        return Context(actor, origin, op or f"op-{self._operations:04}", self.now, self.ids)

    def ask(
        self, command: Command, actor: Actor = ANN, *, op: str | None = None, origin: Origin = Origin.COMMAND
    ) -> Outcome:
        """The kernel's answer; an accepted one is applied."""
        return self._settled(decide(self.state, command, self.context(actor, op, origin)))

    def do(self, command: Command, actor: Actor = ANN, **way: Any) -> Accepted:
        """The answer, which must be yes."""
        return _yes(self.ask(command, actor, **way))

    def no(self, command: Command, actor: Actor = ANN, **way: Any) -> Refused:
        """The answer, which must be no."""
        return _no(self.ask(command, actor, **way))

    def type(self, before: Entity | None, after: Entity | None, actor: Actor = ANN, **more: Any) -> Outcome:
        """The answer to a hand edit; an accepted one is applied."""
        subject = after or before
        assert subject is not None
        origin = more.pop("origin", Origin.HAND)
        edit = HandEdit(
            kind=kind_of(subject),
            goal=goal_of(subject),
            id=identity(subject),
            before=before,
            after=after,
            path="goals/beta/todos/file.md",
            **more,
        )
        return self._settled(decide_hand(self.state, edit, self.context(actor, origin=origin)))

    def typed(self, before: Entity | None, after: Entity | None, actor: Actor = ANN, **more: Any) -> Accepted:
        """The answer to a hand edit, which must be yes."""
        return _yes(self.type(before, after, actor, **more))

    def mistyped(self, before: Entity | None, after: Entity | None, actor: Actor = ANN, **more: Any) -> Refused:
        """The answer to a hand edit, which must be no."""
        return _no(self.type(before, after, actor, **more))

    def todo(self, name: str = T1) -> Todo:
        found = self.state.todo(name)
        assert found is not None
        return found

    def gate(self, name: str = G1) -> Gate:
        found = self.state.gate(name)
        assert found is not None
        return found

    def goal(self, name: str = "beta") -> Goal:
        found = self.state.goal(name)
        assert found is not None
        return found

    def verdict(self, name: str = T1, actor: Actor | None = None) -> Verdict:
        return verdict(self.state, self.todo(name), actor, self.now)

    def reasons(self, name: str = T1, actor: Actor | None = None) -> list[str]:
        """Codes of the reasons why a Todo is not runnable."""
        return [each.code.value for each in self.verdict(name, actor).reasons]

    def records(self, kind: Kind) -> list[Any]:
        return [each for each in self.entities if kind_of(each) is kind]

    def _settled(self, outcome: Outcome) -> Outcome:
        if isinstance(outcome, Accepted):
            self.entities = apply_changes(self.entities, outcome.changes)
            self.known_ids |= {identity(each) for each in self.entities}
            self.receipts.append(outcome.receipt)
        return outcome


def facts(outcome: Accepted) -> Mapping[str, Any]:
    """The compact facts of a receipt."""
    return outcome.receipt.result


def edited(entity: Any, **fields: Any) -> Any:
    """``entity`` as somebody typed it anew."""
    return replace(entity, **fields)


def _yes(outcome: Outcome) -> Accepted:
    assert isinstance(outcome, Accepted), outcome
    return outcome


def _no(outcome: Outcome) -> Refused:
    assert isinstance(outcome, Refused), outcome
    assert outcome.code in CATALOGUE
    assert outcome.message.endswith((".", "…"))
    assert outcome.problem.hint
    assert len(json.dumps(outcome.problem.as_json(), ensure_ascii=False).encode()) <= REFUSAL_LIMIT
    return outcome
