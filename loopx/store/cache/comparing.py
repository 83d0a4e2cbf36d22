"""What a cache holds, laid out so that it can be compared with one made from history afresh."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loopx.store.cache.database import Database

_TOLD = "operation, command, actor, origin, subject, goal, at, superseded_by"
"""What a line of the log says of an operation; its number depends on when the line was made."""


class Comparing(Database):
    """Whole tables, by what identifies a row."""

    def tallies(self) -> dict[tuple[str, str, int], int]:
        """The kept counts of Todos by Goal, status and whether they are entangled, without those that are zero."""
        found = self._all("SELECT goal, status, entangled, count FROM tally WHERE count <> 0")
        return {(goal, status, entangled): count for goal, status, entangled, count in found}

    def naming(self) -> set[tuple[str, str]]:
        """Every pair of a document's path and an id it names."""
        return set(self._all("SELECT path, dst FROM entity_ref JOIN entity USING (row)"))

    def told(self) -> Mapping[str, tuple[Any, ...]]:
        """What the log says of each commit, oldest first."""
        return {oid: tuple(rest) for oid, *rest in self._all(f"SELECT oid, {_TOLD} FROM log ORDER BY seq")}

    def known_ids(self) -> set[str]:
        """Every id that is known to have been used."""
        return {id for (id,) in self._all("SELECT id FROM known_id")}

    def fault(self) -> str | None:
        """What SQLite's own check says is wrong with the file; ``None`` when it is sound."""
        said = self._first("PRAGMA quick_check(1)")[0]
        return None if said == "ok" else str(said)
