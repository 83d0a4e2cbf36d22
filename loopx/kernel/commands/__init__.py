"""Every proposal there is, as data. The CLI, a hand edit and the Python API build these; :func:`loopx.kernel.decide`
answers them. A command holds what was asked and nothing else: who asks, when and by which way is the context's.

Classes are loaded with those of their noun when first named: a process seldom needs more than one noun's.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopx.kernel.commands.base import Command as Command
    from loopx.kernel.commands.gates import DecideGate as DecideGate
    from loopx.kernel.commands.gates import OpenGate as OpenGate
    from loopx.kernel.commands.gates import WithdrawGate as WithdrawGate
    from loopx.kernel.commands.goals import EditGoal as EditGoal
    from loopx.kernel.commands.goals import MeetCriterion as MeetCriterion
    from loopx.kernel.commands.goals import NewGoal as NewGoal
    from loopx.kernel.commands.goals import SetGoalStatus as SetGoalStatus
    from loopx.kernel.commands.goals import UnmeetCriterion as UnmeetCriterion
    from loopx.kernel.commands.goals import WaiveCriterion as WaiveCriterion
    from loopx.kernel.commands.todos import AddTodo as AddTodo
    from loopx.kernel.commands.todos import ArchiveTodo as ArchiveTodo
    from loopx.kernel.commands.todos import BlockTodo as BlockTodo
    from loopx.kernel.commands.todos import CancelTodo as CancelTodo
    from loopx.kernel.commands.todos import ClaimTodo as ClaimTodo
    from loopx.kernel.commands.todos import CompleteTodo as CompleteTodo
    from loopx.kernel.commands.todos import DeferTodo as DeferTodo
    from loopx.kernel.commands.todos import EditTodo as EditTodo
    from loopx.kernel.commands.todos import ReopenTodo as ReopenTodo
    from loopx.kernel.commands.todos import ResumeTodo as ResumeTodo
    from loopx.kernel.commands.todos import SupersedeTodo as SupersedeTodo
    from loopx.kernel.commands.todos import UnclaimTodo as UnclaimTodo
    from loopx.kernel.commands.upkeep import EditWorkspace as EditWorkspace
    from loopx.kernel.commands.upkeep import RecordEvidence as RecordEvidence
    from loopx.kernel.commands.upkeep import Rollback as Rollback
    from loopx.kernel.commands.visions import RetireVision as RetireVision
    from loopx.kernel.commands.visions import SetVision as SetVision

_MODULES = {
    "base": ("Command",),
    "goals": (
        "NewGoal",
        "EditGoal",
        "SetGoalStatus",
        "MeetCriterion",
        "UnmeetCriterion",
        "WaiveCriterion",
    ),
    "todos": (
        "AddTodo",
        "EditTodo",
        "ClaimTodo",
        "UnclaimTodo",
        "BlockTodo",
        "DeferTodo",
        "ResumeTodo",
        "CompleteTodo",
        "SupersedeTodo",
        "CancelTodo",
        "ReopenTodo",
        "ArchiveTodo",
    ),
    "gates": (
        "OpenGate",
        "DecideGate",
        "WithdrawGate",
    ),
    "visions": (
        "SetVision",
        "RetireVision",
    ),
    "upkeep": (
        "RecordEvidence",
        "EditWorkspace",
        "Rollback",
    ),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "AddTodo",
    "ArchiveTodo",
    "BlockTodo",
    "CancelTodo",
    "ClaimTodo",
    "Command",
    "CompleteTodo",
    "DecideGate",
    "DeferTodo",
    "EditGoal",
    "EditTodo",
    "EditWorkspace",
    "MeetCriterion",
    "NewGoal",
    "OpenGate",
    "RecordEvidence",
    "ReopenTodo",
    "ResumeTodo",
    "RetireVision",
    "Rollback",
    "SetGoalStatus",
    "SetVision",
    "SupersedeTodo",
    "UnclaimTodo",
    "UnmeetCriterion",
    "WaiveCriterion",
    "WithdrawGate",
    "by_name",
]


def by_name() -> dict[str, type[Command]]:
    """Every command class by its name, ``noun verb``."""
    found = [__getattr__(name) for name in _HOME if name != "Command"]
    return {each.name: each for each in found}


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module 'loopx.kernel.commands' has no attribute {name!r}")
    return getattr(import_module(f"loopx.kernel.commands.{module}"), name)
