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
    from loopx.model.todo import Todo, TodoClass, TodoStatus
    from loopx.model.turn import Turn
    from loopx.model.vision import Vision
    from loopx.model.workspace import WorkspaceConfig


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

    def runs(self, goal: str | None = None) -> Iterator[RunRecord]:
        """Runs that were begun, of one Goal or of all."""
        return self.source.select(Kind.RUN, goal)  # type: ignore[return-value]

    def open_runs(self, goal: str | None = None) -> Iterator[RunRecord]:
        """Runs that have not ended."""
        from loopx.model.step import ExecutionState  # most reads ask for no run

        going = tuple(each.value for each in ExecutionState if not each.is_terminal)
        return self.source.select(Kind.RUN, goal, going)  # type: ignore[return-value]

    def plans(self, goal: str | None = None) -> Iterator[PlanDocument]:
        """Plans, of one Goal or of all, in order of their runs' names."""
        return self.source.select(Kind.PLAN, goal)  # type: ignore[return-value]

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
