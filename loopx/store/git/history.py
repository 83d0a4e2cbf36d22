"""Differences as text, for people, through GitPython.

Called when somebody asks to see a patch. Imported only then: GitPython costs more than everything else a read does.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from loopx.errors import LoopxError
from loopx.store.git.environment import overrides
from loopx.store.git.trouble import explained
from loopx.store.protocol import Oid

try:
    import git
except ImportError as error:
    # GitPython looks for the program while it is imported.
    raise LoopxError("git-missing", "The program `git` was not found on the search path.") from error

_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/")


class History:
    """What Git's own porcelain tells of one repository."""

    def __init__(self, root: Path, git_dir: Path) -> None:
        self._repository = git.Repo(git_dir)
        self._repository.git.update_environment(**overrides(os.environ, str(root), str(git_dir)))

    def patch(self, old: Oid, new: Oid, paths: Sequence[str]) -> str:
        """The unified difference between two trees or commits, over ``paths`` or everything."""
        chosen = [f":(literal){path}" for path in paths]
        try:
            found = self._repository.git.diff(
                *(*_PLAIN, old, new, "--", *chosen), stdout_as_string=False, strip_newline_in_stdout=False
            )
        except git.GitCommandError as error:
            raise explained("show a difference", str(error.stderr)) from error
        except git.GitCommandNotFound as error:
            raise LoopxError("git-missing", "The program `git` was not found on the search path.") from error
        return bytes(found).decode("utf-8", "replace")

    def close(self) -> None:
        self._repository.close()
