"""The audit trail as rows: commits by id, operation and time, every version of every path, every id ever used."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from loopx.store.cache.database import Database
from loopx.store.cache.rows import CommitRow, VersionRow

_COLUMNS = ", ".join(CommitRow._fields)


class Log(Database):
    """What history says, in an order that can be asked."""

    def add_commit(self, row: CommitRow) -> int:
        """Add a commit that is newer than all before it; ``row.seq`` 0 takes the next number. Returns the number.

        A commit that is there already stays as it is.
        """
        known = self._first("SELECT seq FROM log WHERE oid = ?", (row.oid,))
        if known is not None:
            return int(known[0])
        values = (row.seq or None, *row[1:])
        made = self._run(f"INSERT INTO log ({_COLUMNS}) VALUES ({', '.join('?' * len(values))})", values)
        seq = int(made.lastrowid or 0)
        self._run_many("INSERT OR IGNORE INTO log_id VALUES (?, ?)", [(id, seq) for id in json.loads(row.ids)])
        return seq

    def commits(
        self,
        id: str | None = None,
        actor: str | None = None,
        command: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        goal: str | None = None,
    ) -> list[CommitRow]:
        """Commits that fit everything given, newest first. ``since`` is an instant as text, itself included."""
        wanted = {"actor = ?": actor, "command = ?": command, "at >= ?": since, "goal = ?": goal}
        conditions = [each for each, value in wanted.items() if value is not None]
        values: list[Any] = [value for value in wanted.values() if value is not None]
        if id is not None:
            conditions.insert(0, "seq IN (SELECT seq FROM log_id WHERE id = ?)")
            values.insert(0, id)
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = self._all(
            f"SELECT {_COLUMNS} FROM log {where} ORDER BY seq DESC LIMIT ?", [*values, -1 if limit is None else limit]
        )
        return [CommitRow(*row) for row in rows]

    def operation(self, operation: str) -> CommitRow | None:
        """The commit that holds the receipt of an operation: the first, should there be more."""
        return self._commit("operation = ? ORDER BY seq LIMIT 1", operation)

    def commits_after(self, seq: int, subject: str, commands: Sequence[str]) -> list[CommitRow]:
        """Commits later than number ``seq`` of one of ``commands`` on ``subject``, oldest first."""
        where = f"subject = ? AND seq > ? AND command IN ({', '.join('?' * len(commands))}) ORDER BY seq"
        return [
            CommitRow(*row) for row in self._all(f"SELECT {_COLUMNS} FROM log WHERE {where}", (subject, seq, *commands))
        ]

    def claiming(self, operation: str) -> CommitRow | None:
        """The commit of plain Git whose message claims to be ``operation``; what it claims is not proof."""
        where = "command = 'git commit' AND json_extract(result, '$.claims') = ? ORDER BY seq LIMIT 1"
        row = self._first(f"SELECT {_COLUMNS} FROM log WHERE {where}", (operation,))
        return None if row is None else CommitRow(*row)

    def last_change(self, goal: str, but: Sequence[str] = ()) -> str | None:
        """When the newest commit that touched a document of ``goal`` was made, but for those of the commands ``but``.

        Edits by hand and commits of plain Git speak of no Goal; what they touched tells.
        """
        where = f"id = ? AND command NOT IN ({', '.join('?' * len(but))})"
        found = self._first(
            f"SELECT at FROM log_id CROSS JOIN log USING (seq) WHERE {where} ORDER BY log_id.seq DESC LIMIT 1",
            (goal, *but),
        )
        return None if found is None else str(found[0])

    def commits_following(self, operation: str, goal: str) -> list[CommitRow]:
        """Commits about ``goal`` that came after that of ``operation``, oldest first."""
        known = self.operation(operation)
        if known is None:
            return []
        where = "goal = ? AND seq > ? AND operation IS NOT NULL ORDER BY seq"
        return [CommitRow(*row) for row in self._all(f"SELECT {_COLUMNS} FROM log WHERE {where}", (goal, known.seq))]

    def commit_at(self, oid: str) -> CommitRow | None:
        return self._commit("oid = ?", oid)

    def mark_superseded(self, operation: str, by: str) -> None:
        """Note that the operation ``by`` undid ``operation``."""
        self._run("UPDATE log SET superseded_by = ? WHERE operation = ?", (by, operation))

    def add_version(self, path: str, blob: str, seq: int, oid: str) -> None:
        """Note that commit ``oid``, number ``seq``, gave ``path`` the content ``blob``."""
        self._run("INSERT OR REPLACE INTO version (path, blob, seq, oid) VALUES (?, ?, ?, ?)", (path, blob, seq, oid))

    def versions(self, path: str) -> list[VersionRow]:
        """Every content ``path`` had, newest first."""
        where = "WHERE path = ? ORDER BY seq DESC"
        return [VersionRow(*row) for row in self._all(f"SELECT path, blob, seq, oid FROM version {where}", (path,))]

    def has_version(self, path: str, blob: str) -> bool:
        """Whether ``path`` ever had the content ``blob``."""
        return self._first("SELECT 1 FROM version WHERE path = ? AND blob = ? LIMIT 1", (path, blob)) is not None

    def add_known(self, id: str) -> None:
        """Note that some document of some revision had this id."""
        self._run("INSERT OR IGNORE INTO known_id VALUES (?)", (id,))

    def is_known(self, id: str) -> bool:
        return self._first("SELECT 1 FROM known_id WHERE id = ?", (id,)) is not None

    def _commit(self, condition: str, value: str) -> CommitRow | None:
        row = self._first(f"SELECT {_COLUMNS} FROM log WHERE {condition}", (value,))
        return None if row is None else CommitRow(*row)
