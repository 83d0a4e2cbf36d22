"""Which class stands for which kind, and the few questions one may ask of any entity."""

from __future__ import annotations

from typing import Any

from loopx.model.gate import Gate
from loopx.model.goal import Goal
from loopx.model.kind import Kind
from loopx.model.records import CompletionLog, CriterionLog, DecisionLog, Evidence
from loopx.model.todo import Todo
from loopx.model.vision import Vision
from loopx.model.workspace import WorkspaceConfig

Entity = WorkspaceConfig | Goal | Todo | Gate | Vision | CompletionLog | DecisionLog | CriterionLog | Evidence

CLASSES: dict[Kind, type[Any]] = {
    Kind.WORKSPACE: WorkspaceConfig,
    Kind.GOAL: Goal,
    Kind.TODO: Todo,
    Kind.GATE: Gate,
    Kind.VISION: Vision,
    Kind.COMPLETION: CompletionLog,
    Kind.DECISION: DecisionLog,
    Kind.CRITERION: CriterionLog,
    Kind.EVIDENCE: Evidence,
}
_KINDS = {cls: kind for kind, cls in CLASSES.items()}


def kind_of(entity: Entity) -> Kind:
    """The kind of document ``entity`` is written as."""
    return _KINDS[type(entity)]


def identity(entity: Entity) -> str:
    """What ``entity`` is found by within its kind (and, for Visions and criteria, its Goal)."""
    if isinstance(entity, Vision):
        return entity.agent
    return entity.id


def goal_of(entity: Entity) -> str:
    """The Goal ``entity`` belongs to; ``""`` for the workspace document."""
    if isinstance(entity, Goal):
        return entity.id
    if isinstance(entity, WorkspaceConfig):
        return ""
    return entity.goal
