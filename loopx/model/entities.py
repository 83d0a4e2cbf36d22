"""Which class stands for which kind, and the few questions one may ask of any entity.

Classes are loaded when their kind is first met: making one costs more than reading a hundred rows of it, and most
commands meet two or three kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from loopx.model.kind import Kind

if TYPE_CHECKING:
    from loopx.model.baseline import BaselineLog
    from loopx.model.closure import ClosureLog
    from loopx.model.effect import Effect
    from loopx.model.gate import Gate
    from loopx.model.goal import Goal
    from loopx.model.handoff import Handoff
    from loopx.model.lease import Lease
    from loopx.model.monitor import MonitorLog
    from loopx.model.plan import PlanDocument
    from loopx.model.proposal import Proposal
    from loopx.model.records import CompletionLog, CriterionLog, DecisionLog, Evidence
    from loopx.model.run import RunRecord, StepRecord, TraceSegment
    from loopx.model.todo import Todo
    from loopx.model.turn import Turn
    from loopx.model.vision import Vision
    from loopx.model.workspace import WorkspaceConfig

    Entity = (
        WorkspaceConfig
        | Goal
        | Todo
        | Gate
        | Vision
        | CompletionLog
        | DecisionLog
        | CriterionLog
        | Evidence
        | Lease
        | Turn
        | MonitorLog
        | Effect
        | Handoff
        | Proposal
        | BaselineLog
        | ClosureLog
        | PlanDocument
        | RunRecord
        | StepRecord
        | TraceSegment
    )
else:
    Entity = Any

_WHERE = {
    Kind.WORKSPACE: ("workspace", "WorkspaceConfig"),
    Kind.GOAL: ("goal", "Goal"),
    Kind.TODO: ("todo", "Todo"),
    Kind.GATE: ("gate", "Gate"),
    Kind.VISION: ("vision", "Vision"),
    Kind.COMPLETION: ("records", "CompletionLog"),
    Kind.DECISION: ("records", "DecisionLog"),
    Kind.CRITERION: ("records", "CriterionLog"),
    Kind.EVIDENCE: ("records", "Evidence"),
    Kind.LEASE: ("lease", "Lease"),
    Kind.TURN: ("turn", "Turn"),
    Kind.MONITOR: ("monitor", "MonitorLog"),
    Kind.EFFECT: ("effect", "Effect"),
    Kind.HANDOFF: ("handoff", "Handoff"),
    Kind.PROPOSAL: ("proposal", "Proposal"),
    Kind.BASELINE: ("baseline", "BaselineLog"),
    Kind.CLOSURE: ("closure", "ClosureLog"),
    Kind.PLAN: ("plan", "PlanDocument"),
    Kind.RUN: ("run", "RunRecord"),
    Kind.STEP: ("run", "StepRecord"),
    Kind.TRACE: ("run", "TraceSegment"),
}


class _Classes(Mapping[Kind, type[Any]]):
    """Kind to class, each imported when asked for."""

    def __getitem__(self, kind: Kind) -> type[Any]:
        module, name = _WHERE[kind]
        found: type[Any] = getattr(import_module(f"loopx.model.{module}"), name)
        return found

    def __iter__(self) -> Iterator[Kind]:
        return iter(_WHERE)

    def __len__(self) -> int:
        return len(_WHERE)


CLASSES: Mapping[Kind, type[Any]] = _Classes()


def kind_of(entity: Entity) -> Kind:
    """The kind of document ``entity`` is written as."""
    return entity.KIND


def identity(entity: Entity) -> str:
    """What ``entity`` is found by within its kind (and, for Visions and criteria, its Goal)."""
    found: str = entity.agent if entity.KIND is Kind.VISION else entity.id  # type: ignore[union-attr]
    return found


def goal_of(entity: Entity) -> str:
    """The Goal ``entity`` belongs to; ``""`` for the workspace document."""
    if entity.KIND is Kind.WORKSPACE:
        return ""
    found: str = entity.id if entity.KIND is Kind.GOAL else entity.goal  # type: ignore[union-attr]
    return found
