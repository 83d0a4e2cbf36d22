"""LoopX: Goals, Todos, Gates and Visions as files you edit by hand, where every accepted change is one Git commit.

The few names below are the Python API; nothing else is promised. They are loaded on first use, so that
``loopx --version`` and reads that need little pay for little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from loopx.errors import LoopxError as LoopxError
    from loopx.kernel import commands as commands
    from loopx.model.actor import Actor as Actor
    from loopx.workspace import RefusedError as RefusedError
    from loopx.workspace import Workspace as Workspace

_PUBLIC = {
    "Actor": "loopx.model.actor",
    "LoopxError": "loopx.errors",
    "RefusedError": "loopx.workspace",
    "Workspace": "loopx.workspace",
    "commands": "loopx.kernel",
    "complete": "loopx.runtime.completion",
}
"""Public name to the module it is loaded from. A type checker is not told of ``complete``: every room may import
``loopx``, and those below ``runtime`` must not see it from there."""

__all__ = ["Actor", "LoopxError", "RefusedError", "Workspace", "__version__", "commands", "complete"]


def __getattr__(name: str) -> Any:
    room = _PUBLIC.get(name)
    if room is None:
        raise AttributeError(f"module 'loopx' has no attribute {name!r}")
    return getattr(import_module(room), name)
