"""In what order things happen, and how a crash is survived: the one door for writing.

:class:`Workspace` is what callers use; :mod:`loopx.workspace.passes` is the heart. The order of one write, with every
race and crash in it, is written down in ``docs/explanation/writing-safely.md``. Never prints, never decides.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopx.workspace.actors import choose_actor as choose_actor
    from loopx.workspace.facade import Workspace as Workspace
    from loopx.workspace.facade import default_actor as default_actor
    from loopx.workspace.proposal import RefusedError as RefusedError

_PUBLIC = {"RefusedError": "proposal", "Workspace": "facade", "choose_actor": "actors", "default_actor": "facade"}

__all__ = ["RefusedError", "Workspace", "choose_actor", "default_actor"]


def __getattr__(name: str) -> Any:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module 'loopx.workspace' has no attribute {name!r}")
    return getattr(import_module(f"loopx.workspace.{module}"), name)
