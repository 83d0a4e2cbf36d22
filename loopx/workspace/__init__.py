"""In what order things happen, and how a crash is survived: the one door for writing.

:class:`Workspace` is what callers use; :mod:`loopx.workspace.passes` is the heart. The protocol of one write, with every
race and crash in it, is written down in ``docs/explanation/writing-safely.md``. Never prints, never decides.
"""

from loopx.workspace.actors import choose_actor
from loopx.workspace.facade import Workspace, default_actor
from loopx.workspace.proposal import RefusedError

__all__ = ["RefusedError", "Workspace", "choose_actor", "default_actor"]
