"""What the daemon told, kept in a file of bounded size where no terminal listens."""

from __future__ import annotations

import os
from pathlib import Path

MOST_BYTES = 1_000_000


class Logbook:
    """Lines in a file. When it is full it becomes ``….1``, in place of the one before."""

    def __init__(self, path: Path, most: int = MOST_BYTES) -> None:
        self._path = path
        self._most = most

    def write(self, line: str) -> None:
        """Add one line. A disk that is full loses the line, never the daemon."""
        try:
            if self._path.exists() and self._path.stat().st_size > self._most:
                os.replace(self._path, self._path.with_name(f"{self._path.name}.1"))
            with open(self._path, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{line}\n")
        except OSError:
            return
