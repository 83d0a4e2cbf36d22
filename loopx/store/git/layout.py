"""Where the repository of a workspace is, and whether this user may use it.

Called when a store is opened and before it writes. It reads the file system and starts a Git program only when the
owner is somebody else.
"""

from __future__ import annotations

import os
from pathlib import Path

from loopx.errors import LoopxError


def find_git_dir(root: Path) -> Path:
    """The repository of the ``.loopx`` folder ``root``: its ``.git`` folder, or the folder a ``.git`` file names.

    Raises ``repository-broken`` when there is none, or when it is a linked worktree of another repository.
    """
    place = root / ".git"
    found = _followed(place) if place.is_file() else place
    if not (found / "HEAD").is_file():
        raise LoopxError("repository-broken", f"{root} has no Git repository.", facts={"path": str(found)})
    if (found / "commondir").exists():
        raise LoopxError("repository-broken", f"{root} is a linked worktree; use the workspace it was made from.")
    return found


def is_foreign(git_dir: Path) -> bool:
    """Whether the repository belongs to another user, so that Git must be asked whether it is trusted."""
    return os.stat(git_dir).st_uid != os.geteuid()


def _followed(place: Path) -> Path:
    name, _, target = place.read_text(encoding="utf-8", errors="surrogateescape").strip().partition(": ")
    if name != "gitdir":
        raise LoopxError("repository-broken", f"{place} names no repository.", facts={"path": str(place)})
    return (place.parent / target).resolve()
