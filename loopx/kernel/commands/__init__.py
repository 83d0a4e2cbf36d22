"""Every proposal there is, as data. The CLI, a hand edit and the Python API build these; :func:`loopx.kernel.decide`
answers them. A command holds what was asked and nothing else: who asks, when and by which way is the context's.

Classes are loaded with those of their noun when first named: a process seldom needs more than one noun's.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopx.kernel.commands.base import Command as Command
    from loopx.kernel.commands.evidence import AddEvidence as AddEvidence
    from loopx.kernel.commands.evidence import ReassessEvidence as ReassessEvidence
    from loopx.kernel.commands.evidence import RecordEvidence as RecordEvidence
    from loopx.kernel.commands.exchange import AcceptHandoff as AcceptHandoff
    from loopx.kernel.commands.exchange import AcceptProposal as AcceptProposal
    from loopx.kernel.commands.exchange import AddAgent as AddAgent
    from loopx.kernel.commands.exchange import AddProposal as AddProposal
    from loopx.kernel.commands.exchange import CreateHandoff as CreateHandoff
    from loopx.kernel.commands.exchange import DeclineHandoff as DeclineHandoff
    from loopx.kernel.commands.exchange import EditAgent as EditAgent
    from loopx.kernel.commands.exchange import RejectProposal as RejectProposal
    from loopx.kernel.commands.exchange import RemoveAgent as RemoveAgent
    from loopx.kernel.commands.gates import DecideGate as DecideGate
    from loopx.kernel.commands.gates import OpenGate as OpenGate
    from loopx.kernel.commands.gates import WithdrawGate as WithdrawGate
    from loopx.kernel.commands.goals import CloseGoal as CloseGoal
    from loopx.kernel.commands.goals import EditGoal as EditGoal
    from loopx.kernel.commands.goals import MeetCriterion as MeetCriterion
    from loopx.kernel.commands.goals import NewGoal as NewGoal
    from loopx.kernel.commands.goals import ReopenGoal as ReopenGoal
    from loopx.kernel.commands.goals import SetGoalStatus as SetGoalStatus
    from loopx.kernel.commands.goals import UnmeetCriterion as UnmeetCriterion
    from loopx.kernel.commands.goals import WaiveCriterion as WaiveCriterion
    from loopx.kernel.commands.leases import AcquireLease as AcquireLease
    from loopx.kernel.commands.leases import ReleaseLease as ReleaseLease
    from loopx.kernel.commands.leases import RenewLease as RenewLease
    from loopx.kernel.commands.leases import TransferLease as TransferLease
    from loopx.kernel.commands.plans import EditPlan as EditPlan
    from loopx.kernel.commands.plans import NewPlan as NewPlan
    from loopx.kernel.commands.plans import OpenRun as OpenRun
    from loopx.kernel.commands.plans import RecordRun as RecordRun
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
    from loopx.kernel.commands.turns import OpenTurn as OpenTurn
    from loopx.kernel.commands.turns import SettleTurn as SettleTurn
    from loopx.kernel.commands.turns import VoidTurn as VoidTurn
    from loopx.kernel.commands.upkeep import EditWorkspace as EditWorkspace
    from loopx.kernel.commands.upkeep import Rollback as Rollback
    from loopx.kernel.commands.visions import RetireVision as RetireVision
    from loopx.kernel.commands.visions import SetVision as SetVision
    from loopx.kernel.commands.watching import ConfirmPostcondition as ConfirmPostcondition
    from loopx.kernel.commands.watching import OpenEffect as OpenEffect
    from loopx.kernel.commands.watching import PollMonitor as PollMonitor
    from loopx.kernel.commands.watching import SettleEffect as SettleEffect

_MODULES = {
    "base": ("Command",),
    "goals": (
        "NewGoal",
        "EditGoal",
        "SetGoalStatus",
        "MeetCriterion",
        "UnmeetCriterion",
        "WaiveCriterion",
        "CloseGoal",
        "ReopenGoal",
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
    "leases": (
        "AcquireLease",
        "RenewLease",
        "TransferLease",
        "ReleaseLease",
    ),
    "evidence": (
        "RecordEvidence",
        "AddEvidence",
        "ReassessEvidence",
    ),
    "turns": (
        "OpenTurn",
        "SettleTurn",
        "VoidTurn",
    ),
    "watching": (
        "PollMonitor",
        "OpenEffect",
        "SettleEffect",
        "ConfirmPostcondition",
    ),
    "exchange": (
        "AddAgent",
        "EditAgent",
        "RemoveAgent",
        "AddProposal",
        "AcceptProposal",
        "RejectProposal",
        "CreateHandoff",
        "AcceptHandoff",
        "DeclineHandoff",
    ),
    "plans": (
        "NewPlan",
        "EditPlan",
        "OpenRun",
        "RecordRun",
    ),
    "upkeep": (
        "EditWorkspace",
        "Rollback",
    ),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "AcceptHandoff",
    "AcceptProposal",
    "AcquireLease",
    "AddAgent",
    "AddEvidence",
    "AddProposal",
    "AddTodo",
    "ArchiveTodo",
    "BlockTodo",
    "CancelTodo",
    "ClaimTodo",
    "CloseGoal",
    "Command",
    "CompleteTodo",
    "ConfirmPostcondition",
    "CreateHandoff",
    "DecideGate",
    "DeclineHandoff",
    "DeferTodo",
    "EditAgent",
    "EditGoal",
    "EditPlan",
    "EditTodo",
    "EditWorkspace",
    "MeetCriterion",
    "NewGoal",
    "NewPlan",
    "OpenEffect",
    "OpenGate",
    "OpenRun",
    "OpenTurn",
    "PollMonitor",
    "ReassessEvidence",
    "RecordEvidence",
    "RecordRun",
    "RejectProposal",
    "ReleaseLease",
    "RemoveAgent",
    "RenewLease",
    "ReopenGoal",
    "ReopenTodo",
    "ResumeTodo",
    "RetireVision",
    "Rollback",
    "SetGoalStatus",
    "SetVision",
    "SettleEffect",
    "SettleTurn",
    "SupersedeTodo",
    "TransferLease",
    "UnclaimTodo",
    "UnmeetCriterion",
    "VoidTurn",
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
