"""The disposable cache: everything a read needs, derived from Git and the files, in one SQLite file.

Called by the workspace. Deleting it loses nothing; it holds no rule and reads no YAML. Rows go in between ``begin`` and
``commit``, so that a pass sees what it prepared and throws it away when it loses the race.
"""

from __future__ import annotations

from loopx.store.cache.comparing import Comparing
from loopx.store.cache.entities import Entities
from loopx.store.cache.files import Files
from loopx.store.cache.folders import Folders
from loopx.store.cache.log import Log
from loopx.store.cache.rows import CommitRow, EntityRow, PendingRow, VersionRow

__all__ = ["Cache", "CommitRow", "EntityRow", "PendingRow", "VersionRow"]


class Cache(Entities, Log, Files, Folders, Comparing):
    """The cache at ``path``; ``None``, or a folder that cannot be written, keeps it in memory."""

    def get_meta(self, key: str) -> str | None:
        row = self._first("SELECT value FROM meta WHERE key = ?", (key,))
        return None if row is None else row[0]

    def set_meta(self, key: str, value: str) -> None:
        self._run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    @property
    def revision(self) -> str | None:
        """The commit the rows stand for."""
        return self.get_meta("revision")

    @revision.setter
    def revision(self, oid: str) -> None:
        self.set_meta("revision", oid)
