"""What the kernel decides on: one workspace at one revision, read-only.

:class:`State` holds the questions decisions ask; what it cannot answer from one look-up is worked out elsewhere. It
never changes while it is used.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, cast

from loopx.kernel.environment import UNKNOWN, Environment
from loopx.kernel.memory import MemorySource as MemorySource
from loopx.kernel.relations import EVERYWHERE as EVERYWHERE
from loopx.kernel.relations import frontier_order as frontier_order
from loopx.kernel.relations import happened_at as happened_at
from loopx.kernel.relations import is_entangled as is_entangled
from loopx.kernel.relations import named_by as named_by
from loopx.kernel.relations import owner_of as owner_of
from loopx.kernel.relations import references as references
from loopx.kernel.source import Remembering as Remembering
from loopx.kernel.source import Source as Source
from loopx.model.ids import normalised_title
from loopx.model.kind import Kind

if TYPE_CHECKING:
    from datetime import datetime

    from loopx.kernel.outcome import Receipt
    from loopx.model.baseline import BaselineLog
    from loopx.model.closure import ClosureLog
    from loopx.model.effect import Effect, EffectStatus
    from loopx.model.gate import Gate, GateStatus
    from loopx.model.goal import Goal, GoalStatus
    from loopx.model.handoff import Handoff, HandoffStatus
    from loopx.model.lease import Lease, LeaseStatus
    from loopx.model.monitor import MonitorLog
    from loopx.model.plan import PlanDocument
    from loopx.model.proposal import Proposal, ProposalStatus
    from loopx.model.records import CompletionLog, CriterionLog, DecisionLog, Evidence
    from loopx.model.run import RunRecord, StepRecord, TraceSegment
    from loopx.model.turn import Turn
    from loopx.model.vision import Vision
    from loopx.model.workspace import WorkspaceConfig


EVERYWHERE = "*"
"""What a Gate names that reaches beyond its own Goal."""


class Source(Protocol):
    """Look-ups at one revision."""

    def get(self, kind: Kind, identity: str, goal: str = "") -> Entity | None:
        """The entity of that identity; ``goal`` is needed for Visions and criteria only."""
        ...

    def select(self, kind: Kind, goal: str | None = None, statuses: Collection[str] | None = None) -> Iterator[Entity]:
        """Entities of a kind, narrowed by Goal and by status value, in order of identity."""
        ...

    def open_todos_titled(self, goal: str, title_key: str) -> Iterator[Todo]:
        """Todos of ``goal`` that are not closed and whose normalised title is ``title_key``."""
        ...

    def dependants(self, todo: str) -> Iterator[str]:
        """Ids of Todos that depend on, wait for, supersede or are superseded by ``todo``."""
        ...

    def matching(self, kind: Kind, prefix: str) -> list[str]:
        """Identities of ``kind`` that start with ``prefix``, at most a handful: to resolve what a person typed."""
        ...

    def within(self, kind: Kind, prefix: str) -> Iterator[Entity]:
        """Entities of ``kind`` whose identity starts with ``prefix``, in order of identity: what belongs to one run."""
        ...

    def tally(self) -> Mapping[str, Mapping[TodoStatus, int]]:
        """How many Todos each Goal has by status. Costs nothing that grows with the number of Todos in Python."""
        ...

    def plain_open(self) -> Mapping[str, int]:
        """Open Todos by Goal of which :func:`is_entangled` is false: runnable if their Goal is active."""
        ...

    def entangled(self, goal: str | None = None, claimed_by: str | None = None) -> Iterator[Todo]:
        """Open Todos of which :func:`is_entangled` is true: each needs a verdict of its own. ``claimed_by`` narrows
        them to those one holder claims on paper."""
        ...

    def frontier(self, goal: str | None = None, limit: int = 20) -> list[Todo]:
        """The first open Todos by priority, then age (created_at, id), entangled or not."""
        ...

    def open_of_class(self, goal: str, classes: Collection[TodoClass]) -> Iterator[Todo]:
        """Open Todos of these classes, in order of id. Costs as much as it gives."""
        ...

    def owned(self, kind: Kind, owner: str, goal: str | None = None) -> Iterator[Entity]:
        """Entities of a kind that belong to ``owner`` (:func:`owner_of`), in order of identity."""
        ...

    def latest(
        self,
        kind: Kind,
        goal: str | None = None,
        *,
        owner: str | None = None,
        since: datetime | None = None,
        limit: int | None = None,
    ) -> Iterator[Entity]:
        """Entities of a kind, newest first (:func:`happened_at`); costs as much as it gives, however many there are."""
        ...

    def referring(
        self, kind: Kind, identity: str, statuses: Collection[str] | None = None, limit: int | None = None
    ) -> Iterator[Entity]:
        """Entities of ``kind`` that name ``identity`` (:func:`named_by`), narrowed by status, in order of identity."""
        ...

    def last_change(self, goal: str) -> datetime | None:
        """When the newest commit that could change what ``goal`` calls for was made."""
        ...

    def unreadable(self, goal: str | None = None) -> list[str]:
        """Paths of committed documents that cannot be read, of one Goal or all."""
        ...

    def is_known_id(self, identity: str) -> bool:
        """Whether any document of any revision ever had this id."""
        ...

    def receipt(self, operation: str) -> Receipt | None:
        """The receipt of a committed operation."""
        ...

    def receipts_after(self, operation: str, goal: str) -> Iterator[Receipt]:
        """Receipts of commands about ``goal`` committed after ``operation``, oldest first; none if that is unknown."""
        ...


class State:
    """A workspace at one revision, as decisions see it."""

    def __init__(self, source: Source, environment: Environment = UNKNOWN) -> None:
        self.source = source
        self.environment = environment

    def looked_up_once(self) -> State:
        """The same state, in which nothing is looked up twice by its identity: for one decision, which asks for the
        same Goal and the same agents many times over."""
        return State(cast("Source", Remembering(self.source)), self.environment)

    # single entities ---------------------------------------------------------------------

    def config(self) -> WorkspaceConfig | None:
        return self.source.get(Kind.WORKSPACE, "")  # type: ignore[return-value]

    def goal(self, goal: str) -> Goal | None:
        return self.source.get(Kind.GOAL, goal)  # type: ignore[return-value]

    def todo(self, todo: str) -> Todo | None:
        return self.source.get(Kind.TODO, todo)  # type: ignore[return-value]

    def gate(self, gate: str) -> Gate | None:
        return self.source.get(Kind.GATE, gate)  # type: ignore[return-value]

    def vision(self, goal: str, agent: str) -> Vision | None:
        return self.source.get(Kind.VISION, agent, goal)  # type: ignore[return-value]

    def completions(self, todo: str) -> CompletionLog | None:
        return self.source.get(Kind.COMPLETION, todo)  # type: ignore[return-value]

    def decisions(self, gate: str) -> DecisionLog | None:
        return self.source.get(Kind.DECISION, gate)  # type: ignore[return-value]

    def criterion(self, goal: str, criterion: str) -> CriterionLog | None:
        return self.source.get(Kind.CRITERION, criterion, goal)  # type: ignore[return-value]

    def evidence(self, evidence: str) -> Evidence | None:
        return self.source.get(Kind.EVIDENCE, evidence)  # type: ignore[return-value]

    def lease(self, todo: str) -> Lease | None:
        """The lease record of a Todo, whatever its status; whether it is live is told by the clock."""
        return self.source.get(Kind.LEASE, todo)  # type: ignore[return-value]

    def turn(self, turn: str) -> Turn | None:
        return self.source.get(Kind.TURN, turn)  # type: ignore[return-value]

    def monitor(self, todo: str) -> MonitorLog | None:
        return self.source.get(Kind.MONITOR, todo)  # type: ignore[return-value]

    def effect(self, effect: str) -> Effect | None:
        return self.source.get(Kind.EFFECT, effect)  # type: ignore[return-value]

    def handoff(self, handoff: str) -> Handoff | None:
        return self.source.get(Kind.HANDOFF, handoff)  # type: ignore[return-value]

    def proposal(self, proposal: str) -> Proposal | None:
        return self.source.get(Kind.PROPOSAL, proposal)  # type: ignore[return-value]

    def baselines(self, goal: str, agent: str) -> BaselineLog | None:
        return self.source.get(Kind.BASELINE, agent, goal)  # type: ignore[return-value]

    def closure(self, goal: str) -> ClosureLog | None:
        return self.source.get(Kind.CLOSURE, goal)  # type: ignore[return-value]

    def plan(self, run: str) -> PlanDocument | None:
        return self.source.get(Kind.PLAN, run)  # type: ignore[return-value]

    def run(self, run: str) -> RunRecord | None:
        return self.source.get(Kind.RUN, run)  # type: ignore[return-value]

    def step(self, run: str, step: str) -> StepRecord | None:
        return self.source.get(Kind.STEP, f"{run}/{step}")  # type: ignore[return-value]

    def trace_segment(self, run: str, number: int) -> TraceSegment | None:
        return self.source.get(Kind.TRACE, f"{run}/{number:04d}")  # type: ignore[return-value]

    def receipt(self, operation: str) -> Receipt | None:
        return self.source.receipt(operation)

    def receipts_after(self, operation: str, goal: str) -> Iterator[Receipt]:
        return self.source.receipts_after(operation, goal)

    def is_known_id(self, identity: str) -> bool:
        return self.source.is_known_id(identity)

    # many ----------------------------------------------------------------------------------

    def goals(self, statuses: Collection[GoalStatus] | None = None) -> Iterator[Goal]:
        return self.source.select(Kind.GOAL, None, statuses)  # type: ignore[return-value]

    def todos(self, goal: str | None = None, statuses: Collection[TodoStatus] | None = None) -> Iterator[Todo]:
        return self.source.select(Kind.TODO, goal, statuses)  # type: ignore[return-value]

    def gates(self, goal: str | None = None, statuses: Collection[GateStatus] | None = None) -> Iterator[Gate]:
        return self.source.select(Kind.GATE, goal, statuses)  # type: ignore[return-value]

    def visions(self, goal: str | None = None) -> Iterator[Vision]:
        return self.source.select(Kind.VISION, goal)  # type: ignore[return-value]

    def gates_reaching(self, goal: str) -> Iterator[Gate]:
        """Gates that could cover work in ``goal``: its own, and those of other Goals that reach beyond theirs."""
        yield from self.gates(goal)
        wide: Iterator[Gate] = self.source.referring(Kind.GATE, EVERYWHERE)  # type: ignore[assignment]
        yield from (each for each in wide if each.goal != goal)

    def evidences(self, goal: str | None = None) -> Iterator[Evidence]:
        return self.source.select(Kind.EVIDENCE, goal)  # type: ignore[return-value]

    def leases(self, goal: str | None = None, statuses: Collection[LeaseStatus] | None = None) -> Iterator[Lease]:
        return self.source.select(Kind.LEASE, goal, statuses)  # type: ignore[return-value]

    def leases_with_key(self, key: str) -> Iterator[Lease]:
        """Leases whose execution key is, or ever was, ``key``."""
        return self.source.referring(Kind.LEASE, key)  # type: ignore[return-value]

    def open_turns(self, goal: str | None = None) -> Iterator[Turn]:
        return self.source.select(Kind.TURN, goal, ("open",))  # type: ignore[return-value]

    def turns(
        self,
        goal: str | None = None,
        *,
        agent: str | None = None,
        since: datetime | None = None,
        limit: int | None = None,
    ) -> Iterator[Turn]:
        """Turns, newest first by when they were settled or, while open, opened."""
        return self.source.latest(Kind.TURN, goal, owner=agent, since=since, limit=limit)  # type: ignore[return-value]

    def spent(self, goal: str, since: datetime) -> Iterator[tuple[datetime, int]]:
        return self.source.spent(goal, since)

    def effects(self, goal: str | None = None, statuses: Collection[EffectStatus] | None = None) -> Iterator[Effect]:
        return self.source.select(Kind.EFFECT, goal, statuses)  # type: ignore[return-value]

    def handoffs(self, goal: str | None = None, statuses: Collection[HandoffStatus] | None = None) -> Iterator[Handoff]:
        return self.source.select(Kind.HANDOFF, goal, statuses)  # type: ignore[return-value]

    def proposals(
        self, goal: str | None = None, statuses: Collection[ProposalStatus] | None = None
    ) -> Iterator[Proposal]:
        return self.source.select(Kind.PROPOSAL, goal, statuses)  # type: ignore[return-value]

    def advancing(
        self, goal: str, criterion: str, statuses: Collection[TodoStatus], limit: int | None = None
    ) -> Iterator[Todo]:
        """Todos of these statuses that say they advance a criterion of ``goal``."""
        found = self.source.referring(Kind.TODO, f"{goal}/{criterion}", statuses, limit)
        return (each for each in found if each.goal == goal)  # type: ignore[union-attr, misc]

    def newest_completions(self, goal: str, limit: int | None = None) -> Iterator[CompletionLog]:
        """Logs of completions, the one with the newest entry first."""
        return self.source.latest(Kind.COMPLETION, goal, limit=limit)  # type: ignore[return-value]

    def open_of_class(self, goal: str, *classes: TodoClass) -> Iterator[Todo]:
        return self.source.open_of_class(goal, classes)

    def claimed_by(self, holder: str, goal: str | None = None) -> Iterator[Todo]:
        """Todos, closed ones too, that ``holder`` claims on paper."""
        return self.source.owned(Kind.TODO, holder, goal)  # type: ignore[return-value]

    def evidence_about(self, subject: str) -> Iterator[Evidence]:
        """Evidence whose subject, references or reassessment name ``subject``."""
        return self.source.referring(Kind.EVIDENCE, subject)  # type: ignore[return-value]

    def turns_citing(self, evidence: str) -> Iterator[Turn]:
        """Turns that cite a piece of evidence."""
        return self.source.referring(Kind.TURN, evidence)  # type: ignore[return-value]

    def turns_naming(self, named: str) -> Iterator[Turn]:
        """Turns that discharged the obligation ``named``, or any of the kind and subjects ``named``."""
        return self.source.referring(Kind.TURN, named)  # type: ignore[return-value]

    def runs_of(self, todo: str) -> Iterator[RunRecord]:
        """Runs that carry ``todo`` out, or did."""
        return self.source.referring(Kind.RUN, todo)  # type: ignore[return-value]

    def plans_of(self, todo: str) -> Iterator[PlanDocument]:
        """Plans for ``todo``, those nobody began included."""
        return self.source.referring(Kind.PLAN, todo)  # type: ignore[return-value]

    def steps_of(self, run: str) -> Iterator[StepRecord]:
        """Records of the steps of a run that something became of, in order of name."""
        return self.source.within(Kind.STEP, f"{run}/")  # type: ignore[return-value]

    def trace_of(self, run: str) -> Iterator[TraceSegment]:
        """The segments of a run's trace, oldest first."""
        found: Iterator[TraceSegment] = self.source.within(Kind.TRACE, f"{run}/")  # type: ignore[assignment]
        return iter(sorted(found, key=lambda each: each.number))

    def last_change(self, goal: str) -> datetime | None:
        return self.source.last_change(goal)

    def unreadable(self, goal: str | None = None) -> list[str]:
        return self.source.unreadable(goal)

    def open_todos_titled(self, goal: str, title: str) -> Iterator[Todo]:
        return self.source.open_todos_titled(goal, normalised_title(title))

    def dependants(self, todo: str) -> Iterator[str]:
        return self.source.dependants(todo)

    def matching(self, kind: Kind, prefix: str) -> list[str]:
        return self.source.matching(kind, prefix)

    def tally(self) -> Mapping[str, Mapping[TodoStatus, int]]:
        return self.source.tally()

    def plain_open(self) -> Mapping[str, int]:
        return self.source.plain_open()

    def entangled(self, goal: str | None = None, claimed_by: str | None = None) -> Iterator[Todo]:
        return self.source.entangled(goal, claimed_by)

    def frontier(self, goal: str | None = None, limit: int = 20) -> list[Todo]:
        return self.source.frontier(goal, limit)


class Remembering:
    """A :class:`Source` that keeps what it looked up by identity. It lives as long as one decision takes."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._known: dict[tuple[Kind, str, str], Entity | None] = {}

    def get(self, kind: Kind, identity: str, goal: str = "") -> Entity | None:
        key = (kind, identity, goal)
        if key not in self._known:
            self._known[key] = self.source.get(kind, identity, goal)
        return self._known[key]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)


class MemorySource:
    """A :class:`Source` over entities held in memory."""

    def __init__(
        self,
        entities: Iterable[Entity] = (),
        receipts: Iterable[Receipt] = (),
        known_ids: Iterable[str] = (),
        *,
        changed_at: Mapping[str, datetime] | None = None,
        unreadable: Iterable[str] = (),
    ) -> None:
        self._changed_at = changed_at or {}
        self._unreadable = sorted(unreadable)
        self._entities: dict[tuple[Kind, str, str], Entity] = {}
        for each in entities:
            self._entities[_key(kind_of(each), identity(each), goal_of(each))] = each
        self._receipts = {each.operation: each for each in receipts}
        self._known = {identity(each) for each in self._entities.values()} | set(known_ids)

    def get(self, kind: Kind, identity: str, goal: str = "") -> Entity | None:
        return self._entities.get(_key(kind, identity, goal))

    def select(self, kind: Kind, goal: str | None = None, statuses: Collection[str] | None = None) -> Iterator[Entity]:
        for key in sorted(self._entities):
            each = self._entities[key]
            if key[0] is not kind or (goal is not None and goal_of(each) != goal):
                continue
            if statuses is None or getattr(each, "status", None) in statuses:
                yield each

    def open_todos_titled(self, goal: str, title_key: str) -> Iterator[Todo]:
        for each in self.select(Kind.TODO, goal):
            if isinstance(each, Todo) and not each.status.is_closed and normalised_title(each.title) == title_key:
                yield each

    def dependants(self, todo: str) -> Iterator[str]:
        for each in self.select(Kind.TODO):
            if isinstance(each, Todo) and todo in named_by(each):
                yield each.id

    def matching(self, kind: Kind, prefix: str) -> list[str]:
        found = (identity(each) for each in self.select(kind) if identity(each).startswith(prefix))
        return list(islice(dict.fromkeys(found), 5))

    def within(self, kind: Kind, prefix: str) -> Iterator[Entity]:
        return (each for each in self.select(kind) if identity(each).startswith(prefix))

    def tally(self) -> Mapping[str, Mapping[TodoStatus, int]]:
        found: dict[str, Counter[TodoStatus]] = {}
        for each in self._todos():
            found.setdefault(each.goal, Counter())[each.status] += 1
        return found

    def plain_open(self) -> Mapping[str, int]:
        return Counter(each.goal for each in self._todos() if each.status is TodoStatus.OPEN and not is_entangled(each))

    def entangled(self, goal: str | None = None, claimed_by: str | None = None) -> Iterator[Todo]:
        found = (each for each in self._todos(goal) if each.status is TodoStatus.OPEN and is_entangled(each))
        return (each for each in found if claimed_by is None or each.claimed_by == claimed_by)

    def frontier(self, goal: str | None = None, limit: int = 20) -> list[Todo]:
        ready = (each for each in self._todos(goal) if each.status is TodoStatus.OPEN)
        return sorted(ready, key=frontier_order)[:limit]

    def _todos(self, goal: str | None = None) -> Iterator[Todo]:
        return (each for each in self.select(Kind.TODO, goal) if isinstance(each, Todo))

    def open_of_class(self, goal: str, classes: Collection[TodoClass]) -> Iterator[Todo]:
        ready = (each for each in self._todos(goal) if each.status is TodoStatus.OPEN)
        return (each for each in ready if each.todo_class in classes)

    def owned(self, kind: Kind, owner: str, goal: str | None = None) -> Iterator[Entity]:
        return (each for each in self.select(kind, goal) if owner_of(each) == owner)

    def latest(
        self,
        kind: Kind,
        goal: str | None = None,
        *,
        owner: str | None = None,
        since: datetime | None = None,
        limit: int | None = None,
    ) -> Iterator[Entity]:
        found = [each for each in self.select(kind, goal) if owner is None or owner_of(each) == owner]
        dated = [(at, identity(each), each) for each in found if (at := happened_at(each)) is not None]
        wanted = [each for each in dated if since is None or each[0] >= since]
        wanted.sort(key=lambda each: each[:2], reverse=True)
        return (each for _, _, each in wanted[:limit])

    def referring(
        self, kind: Kind, identity: str, statuses: Collection[str] | None = None, limit: int | None = None
    ) -> Iterator[Entity]:
        return islice((each for each in self.select(kind, None, statuses) if identity in named_by(each)), limit)

    def last_change(self, goal: str) -> datetime | None:
        return self._changed_at.get(goal)

    def unreadable(self, goal: str | None = None) -> list[str]:
        return [each for each in self._unreadable if goal is None or each.startswith(f"goals/{goal}/")]

    def is_known_id(self, identity: str) -> bool:
        return identity in self._known

    def receipt(self, operation: str) -> Receipt | None:
        return self._receipts.get(operation)

    def receipts_after(self, operation: str, goal: str) -> Iterator[Receipt]:
        if operation not in self._receipts:
            return iter(())
        later = islice(dropwhile(lambda each: each.operation != operation, self._receipts.values()), 1, None)
        return (each for each in later if each.goal == goal)


def is_entangled(todo: Todo) -> bool:
    """Whether something beyond its Goal's status could keep an open Todo from running."""
    return bool(
        todo.depends_on
        or todo.requires
        or todo.claimed_by
        or todo.resume_when
        or todo.capabilities
        or todo.excluded_agents
        or todo.repository
        or todo.write_scopes
        or todo.todo_class is not TodoClass.ADVANCEMENT
    )


def frontier_order(todo: Todo) -> tuple[str, str, str]:
    """The order in which open Todos are offered: priority, age, id."""
    return (todo.priority, todo.created_at.isoformat() if todo.created_at else "", todo.id)


def references(todo: Todo) -> set[str]:
    """Ids of other Todos and Gates that ``todo`` names in its fields."""
    named = {*todo.depends_on, *todo.supersedes, *todo.superseded_by, *todo.successors}
    condition, _, subject = (todo.resume_when or "").partition(":")
    if condition in ("todo_done", "gate_approved") and subject:
        named.add(subject)
    return named


def owner_of(entity: Entity) -> str | None:
    """Whose ``entity`` is: who claims the Todo, holds the Lease, takes the Turn, does the Effect, gets the Handoff."""
    name = _OWNER.get(kind_of(entity))
    return getattr(entity, name) if name else None


def happened_at(entity: Entity) -> datetime | None:
    """When what ``entity`` tells of happened, to the second: for a settled Turn its settling."""
    for name in _HAPPENED.get(kind_of(entity), ("created_at",)):
        found: datetime | None = getattr(entity, name, None)
        if found is not None:
            return found
    return None


def named_by(entity: Entity) -> set[str]:
    """What ``entity`` names and is found by: ids of other documents, the criteria a Todo advances (``goal/id``), the
    obligations a Turn discharged, the keys a Lease has and had, the operations a record tells of, :data:`EVERYWHERE`
    for a Gate that reaches beyond its Goal."""
    if isinstance(entity, Todo):
        return references(entity) | {f"{entity.goal}/{each}" for each in entity.acceptance}
    found = operations_of(entity)
    for name in _NAMING.get(kind_of(entity), ()):
        value = getattr(entity, name)
        found.update((value,) if isinstance(value, str) else value or ())
    if kind_of(entity) is Kind.EVIDENCE and entity.reassessment is not None:  # type: ignore[union-attr]
        found.add(entity.reassessment.of)  # type: ignore[union-attr]
    if kind_of(entity) is Kind.TURN:
        found.update(word for each in entity.discharges for word in each.split()[:2])  # type: ignore[union-attr]
    if kind_of(entity) is Kind.LEASE:
        found.update((entity.key, *(each.key for each in entity.retired)))  # type: ignore[union-attr]
    if kind_of(entity) is Kind.GATE and reaches_beyond(entity.scope):  # type: ignore[union-attr, arg-type]
        found.add(EVERYWHERE)
    return found


def reaches_beyond(scope: str) -> bool:
    """Whether a decision of this scope holds beyond its own Goal."""
    return scope.split(":")[1:2] in (["project"], ["global"])


_OWNER = {
    Kind.TODO: "claimed_by",
    Kind.LEASE: "owner",
    Kind.TURN: "agent",
    Kind.EFFECT: "agent",
    Kind.HANDOFF: "receiver",
}
_HAPPENED = {
    Kind.TURN: ("settled_at", "opened_at"),
    Kind.EVIDENCE: ("observed_at",),
    Kind.LEASE: ("renewed_at",),
    Kind.EFFECT: ("opened_at",),
    Kind.COMPLETION: ("completed_at",),
}
_NAMING = {
    Kind.GATE: ("evidence",),
    Kind.EVIDENCE: ("subject", "references"),
    Kind.TURN: ("todo", "evidence"),
    Kind.EFFECT: ("todo", "evidence", "compensation"),
    Kind.HANDOFF: ("todos", "gates", "evidence"),
    Kind.PLAN: ("todo",),
    Kind.RUN: ("todo", "gate"),
}


def _key(kind: Kind, identity: str, goal: str) -> tuple[Kind, str, str]:
    return (kind, "" if kind is Kind.WORKSPACE else identity, goal if kind.is_per_goal else "")
