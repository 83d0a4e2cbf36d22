"""LoopX: Goals, Todos, Gates and Visions as files you edit by hand, where every accepted change is one Git commit.

The few names below are the Python API; nothing else is promised. They are loaded on first use, so that
``loopx --version`` and reads that need little pay for little.
"""

from __future__ import annotations

TYPE_CHECKING = False
"""As in ``typing``, whose import would cost a command more than everything else before a daemon answers it."""

__version__ = "0.1.0"

if TYPE_CHECKING:
    from typing import Any

    from loopx.errors import LoopxError as LoopxError
    from loopx.kernel import commands as commands
    from loopx.model.actor import Actor as Actor
    from loopx.model.plan import Action as Action
    from loopx.model.plan import ActorKind as ActorKind
    from loopx.model.plan import PlanStep as PlanStep
    from loopx.model.plan import RunSettings as RunSettings
    from loopx.model.step import ExecutionState as ExecutionState
    from loopx.model.step import RecoveryStrategy as RecoveryStrategy
    from loopx.model.step import Resumption as Resumption
    from loopx.model.step import Role as Role
    from loopx.model.step import StepStatus as StepStatus
    from loopx.workspace import RefusedError as RefusedError
    from loopx.workspace import Workspace as Workspace

_PUBLIC = {
    "Action": "loopx.model.plan",
    "Actor": "loopx.model.actor",
    "ActorKind": "loopx.model.plan",
    "ExecutionState": "loopx.model.step",
    "LoopxError": "loopx.errors",
    "PlanStep": "loopx.model.plan",
    "RecoveryHandler": "loopx.loop.recovery.handler",
    "RecoveryRegistry": "loopx.loop.recovery.registry",
    "RecoveryResult": "loopx.loop.recovery.result",
    "RecoveryStrategy": "loopx.model.step",
    "RefusedError": "loopx.workspace",
    "Resumption": "loopx.model.step",
    "Role": "loopx.model.step",
    "RunSettings": "loopx.model.plan",
    "StepStatus": "loopx.model.step",
    "Verdict": "loopx.loop.components.protocols",
    "Workspace": "loopx.workspace",
    "commands": "loopx.kernel",
    "complete": "loopx.runtime.completion",
    "run_plan": "loopx.loop.in_memory",
}
"""Public name to the module it is loaded from. A type checker is not told of what comes from ``runtime`` and ``loop``:
every room may import ``loopx``, and those below must not see them from there."""

__all__ = [
    "Action",
    "Actor",
    "ActorKind",
    "ExecutionState",
    "LoopxError",
    "PlanStep",
    "RecoveryHandler",
    "RecoveryRegistry",
    "RecoveryResult",
    "RecoveryStrategy",
    "RefusedError",
    "Resumption",
    "Role",
    "RunSettings",
    "StepStatus",
    "Verdict",
    "Workspace",
    "__version__",
    "commands",
    "complete",
    "run_plan",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    room = _PUBLIC.get(name)
    if room is None:
        raise AttributeError(f"module 'loopx' has no attribute {name!r}")
    return getattr(import_module(room), name)
