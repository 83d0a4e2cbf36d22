"""Whether a workspace still lies where it lay: a folder that is gone is no workspace with everything deleted."""

from __future__ import annotations

import os
from pathlib import Path

from loopx.model.defining import dataclass


@dataclass(frozen=True, slots=True)
class Ground:
    """The folder a workspace was opened in, as the file system knows it."""

    root: Path
    device: int
    inode: int

    def is_same(self) -> bool:
        """Whether that folder lies there now, its history within."""
        return stood_on(self.root) == self


def stood_on(root: Path) -> Ground | None:
    """The ground at ``root``; ``None`` when no workspace lies there (any more)."""
    try:
        found = os.stat(root)
        os.stat(root / ".git")
    except OSError:
        return None
    return Ground(root, found.st_dev, found.st_ino)
