"""Documents by the folder they lie in: what a comparison of working files with history asks for."""

from __future__ import annotations

from collections.abc import Collection

from loopx.model.kind import Kind
from loopx.store.cache.database import Database
from loopx.store.cache.rows import EntityRow
from loopx.store.cache.schema import FOLDER_OF_PATH

_COLUMNS = "kind, id, goal, path, blob, status, class, priority, title_key, created, entangled, data, owner"


class Folders(Database):
    """Questions about folders. A folder's path ends without a slash; the root is ``""``."""

    def blobs_in(self, folder: str) -> dict[str, str]:
        """File name to blob of the documents directly in ``folder``."""
        prefix = f"{folder}/" if folder else ""
        found = self._all(f"SELECT path, blob FROM entity WHERE {FOLDER_OF_PATH} = ?", (prefix,))
        return {path[len(prefix) :]: blob for path, blob in found}

    def documents(self) -> list[EntityRow]:
        """Every document, in path order."""
        rows = self._all(f"SELECT {_COLUMNS} FROM entity ORDER BY path")
        return [EntityRow._make((*row[:10], bool(row[10]), *row[11:])) for row in rows]

    def places(self, goals: Collection[str] | None = None) -> dict[tuple[str, str, str], str]:
        """Kind, Goal and id of every document (of ``goals`` alone, where any are named), and where it lies; of two
        paths with one id the first in path order."""
        if goals is None:
            found = self._all("SELECT kind, goal, id, path FROM entity ORDER BY path DESC")
        else:  # by kind as well, for the index
            kinds, wanted = (", ".join("?" * len(each)) for each in (Kind, goals))
            asked = f"SELECT kind, goal, id, path FROM entity WHERE kind IN ({kinds}) AND goal IN ({wanted})"
            found = self._all(f"{asked} ORDER BY path DESC", (*Kind, *goals))
        return {(kind, goal, id): path for kind, goal, id, path in found}

    def count_documents(self) -> int:
        return int(self._first("SELECT count(*) FROM entity")[0])

    def unclean_folders(self) -> set[str]:
        """Folders whose note is empty: to be looked at again."""
        return {name for (name,) in self._all("SELECT name FROM folder WHERE content = x''")}

    def touch_folder(self, path: str) -> None:
        """Have the folder of the document at ``path`` looked at again."""
        self._run("INSERT OR REPLACE INTO folder VALUES (?, x'')", (path.rpartition("/")[0],))
