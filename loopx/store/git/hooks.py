"""Running the repository's hooks, with a time limit.

Called by the store when a workspace's policy says that hooks run. A hook sees ``LOOPX_IN_HOOK`` in its environment, so
that a ``loopx`` it starts does not wait for the lock held above it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.store.git.settings import Settings

if TYPE_CHECKING:
    from loopx.store.git.programs import Programs


class Hooks:
    """The hooks of one repository."""

    def __init__(self, root: Path, git_dir: Path, settings: Settings, programs: Callable[[], Programs]) -> None:
        self._root = root
        self._git_dir = git_dir
        self._settings = settings
        self._programs = programs

    def run(self, name: str, seconds: float) -> None:
        """Run the hook ``name`` if there is one. Raises ``hook-refused`` when it says no or takes too long."""
        if not self._may_exist(name):
            return
        from loopx.store.git.trouble import tail_of

        try:
            answer = self._programs().run(
                f"run the hook {name}",
                *("hook", "run", "--ignore-missing", name),
                seconds=seconds,
                accept=range(256),
            )
        except LoopxError as error:
            if error.code != "git-failed":
                raise
            raise LoopxError("hook-refused", f"The hook {name} took longer than {seconds:g} s.") from error
        if answer.code:
            said = tail_of(answer.words)
            facts = {"hook": name, "status": answer.code, "output": said}
            raise LoopxError("hook-refused", f"The hook {name} refused: {said or 'it gave no reason'}", facts=facts)

    def _may_exist(self, name: str) -> bool:
        """Whether a hook may be there; saves starting Git for nothing at each commit."""
        folder = self._settings.get("core.hookspath")
        if folder is None:
            # Somebody took the setting away: a global one may hold, which only Git can tell.
            return True
        return (self._root / Path(folder).expanduser() / name).exists()
