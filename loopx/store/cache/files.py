"""What was seen on disk: times of files by folder, verdicts on edits, absences, parsed contents."""

from __future__ import annotations

from loopx.store.cache.database import Database
from loopx.store.cache.rows import PendingRow


class Files(Database):
    """Notes on working files. What a folder's bytes mean is its writer's business."""

    def folder(self, name: str) -> bytes | None:
        """The note on one folder."""
        row = self._first("SELECT content FROM folder WHERE name = ?", (name,))
        return None if row is None else row[0]

    def folders(self) -> dict[str, bytes]:
        """Every folder's note by name."""
        return dict(self._all("SELECT name, content FROM folder ORDER BY name"))

    def put_folder(self, name: str, content: bytes) -> None:
        self._run("INSERT OR REPLACE INTO folder VALUES (?, ?)", (name, content))

    def drop_folder(self, name: str) -> None:
        self._run("DELETE FROM folder WHERE name = ?", (name,))

    def parsed(self, blob: str) -> tuple[str, str] | None:
        """Kind and JSON text of the document a blob holds."""
        found: tuple[str, str] | None = self._first("SELECT kind, data FROM parsed WHERE blob = ?", (blob,))
        return found

    def put_parsed(self, blob: str, kind: str, data: str) -> None:
        self._run("INSERT OR REPLACE INTO parsed VALUES (?, ?, ?)", (blob, kind, data))

    def pending(self) -> list[PendingRow]:
        """Verdicts on edits that are not part of history, in path order."""
        columns = ", ".join(PendingRow._fields)
        return [PendingRow(*row) for row in self._all(f"SELECT {columns} FROM pending ORDER BY path")]

    def pending_at(self, path: str) -> PendingRow | None:
        """The verdict on the file at ``path``."""
        row = self._first(f"SELECT {', '.join(PendingRow._fields)} FROM pending WHERE path = ?", (path,))
        return None if row is None else PendingRow(*row)

    def put_pending(self, row: PendingRow) -> None:
        self._run("INSERT OR REPLACE INTO pending VALUES (?, ?, ?, ?, ?, ?)", row)

    def drop_pending(self, path: str) -> None:
        self._run("DELETE FROM pending WHERE path = ?", (path,))

    def absences(self) -> dict[str, str]:
        """Paths whose files were found gone, and when first."""
        return dict(self._all("SELECT path, first_seen FROM absence ORDER BY path"))

    def add_absence(self, path: str, first_seen: str) -> None:
        """Note an absence; an earlier note of the same path stays."""
        self._run("INSERT OR IGNORE INTO absence VALUES (?, ?)", (path, first_seen))

    def drop_absence(self, path: str) -> None:
        self._run("DELETE FROM absence WHERE path = ?", (path,))
