"""The documents of one revision, kept so that the questions of a decision cost an index look-up each."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from loopx.store.cache.database import Database
from loopx.store.cache.rows import EntityRow
from loopx.store.cache.schema import CLOSED, PILING_UP

_COLUMNS = "kind, id, goal, path, blob, status, class, priority, title_key, created, entangled, data, owner"
_OPEN_TODO = "kind = 'todo' AND status = 'open'"


class Entities(Database):
    """Rows of entities, one a path, and the ids each of them names."""

    def put_entity(self, row: EntityRow, refs: Iterable[str] = ()) -> None:
        """Set the row of ``row.path``; ``refs`` are the ids its fields name."""
        self.drop_path(row.path)
        values = (*row[:10], int(row.entangled), row.data, row.owner)
        made = self._run(f"INSERT INTO entity ({_COLUMNS}) VALUES ({', '.join('?' * len(values))})", values)
        self._run_many("INSERT OR IGNORE INTO entity_ref VALUES (?, ?)", [(made.lastrowid, each) for each in refs])

    def drop_path(self, path: str) -> None:
        self._run("DELETE FROM entity WHERE path = ?", (path,))
        self._run("DELETE FROM unreadable WHERE path = ?", (path,))

    def note_unreadable(self, path: str) -> None:
        """Note that what is committed at ``path`` cannot be read."""
        self._run("INSERT OR IGNORE INTO unreadable VALUES (?)", (path,))

    def unreadable(self, goal: str | None = None) -> list[str]:
        """Paths of committed documents that cannot be read, of one Goal or all."""
        found = [path for (path,) in self._all("SELECT path FROM unreadable ORDER BY path", ())]
        return [path for path in found if goal is None or path.startswith(f"goals/{goal}/")]

    def entity(self, kind: str, id: str, goal: str = "") -> EntityRow | None:
        """The entity of that id, of ``goal`` if one is given; of two paths with one id, the first in path order."""
        narrowed, values = ("AND goal = ?", [goal]) if goal else ("", [])
        return self._one(f"kind = ? AND id = ? {narrowed} ORDER BY path LIMIT 1", [kind, id, *values])

    def entity_at(self, path: str) -> EntityRow | None:
        return self._one("path = ?", [path])

    def select(self, kind: str, goal: str | None = None, statuses: Collection[str] | None = None) -> list[EntityRow]:
        """Entities of a kind in order of id, narrowed by Goal and by status."""
        condition, values = "kind = ?", [kind]
        if goal is not None:
            condition += " AND goal = ?"
            values.append(goal)
        if statuses is not None:
            condition += f" AND status IN ({', '.join('?' * len(statuses))})"
            values.extend(statuses)
        return self._some(f"{condition} ORDER BY id, path", values)

    def titled(self, goal: str, title_key: str) -> list[EntityRow]:
        """Todos of ``goal`` that are not closed and have this normalised title."""
        where = f"goal = ? AND title_key = ? AND kind = 'todo' AND status NOT IN {CLOSED} ORDER BY id"
        return self._some(where, [goal, title_key])

    def dependants(self, id: str) -> list[str]:
        """Ids of Todos whose fields name ``id``, in order."""
        joined = "entity_ref JOIN entity USING (row) WHERE dst = ? AND kind = 'todo'"
        return [found for (found,) in self._all(f"SELECT DISTINCT id FROM {joined} ORDER BY id", (id,))]

    def owned(self, kind: str, owner: str, goal: str | None = None) -> list[EntityRow]:
        """Entities of a kind that belong to ``owner``, in order of id."""
        where, values = ("AND goal = ?", [goal]) if goal is not None else ("", [])
        condition = f"kind = ? AND owner = ? {where} ORDER BY id, path"
        return self._some(condition, [kind, owner, *values], "entity_by_owner")

    def latest(
        self,
        kind: str,
        goal: str | None = None,
        *,
        owner: str | None = None,
        since: str | None = None,
        limit: int | None = None,
    ) -> list[EntityRow]:
        """Entities of a kind that have a time, newest first. ``since`` is an instant as text, itself included."""
        wanted = {"owner = ?": owner, "goal = ?": goal, "created >= ?": since or "1"}
        given = {condition: value for condition, value in wanted.items() if value is not None}
        # Only a kind written out lets an index over a few kinds be used.
        where = " AND ".join([f"kind = '{kind}'" if kind in PILING_UP else "kind = ?", *given])
        values = [*(() if kind in PILING_UP else (kind,)), *given.values(), -1 if limit is None else limit]
        index = _latest_index(kind, goal, owner)
        return self._some(f"{where} ORDER BY created DESC, id DESC LIMIT ?", values, index)

    def spent(self, goal: str, since: str) -> list[tuple[str, int]]:
        """When turns of ``goal`` that ended at or after ``since`` spent slots, and how many, newest first."""
        spend, taken_back = "json_extract(data, '$.spend.slots')", "json_extract(data, '$.spend.voided_at')"
        where = f"kind = 'turn' AND goal = ? AND created >= ? AND {spend} > 0 AND {taken_back} IS NULL"
        found = f"SELECT json_extract(data, '$.spend.at'), {spend} FROM entity INDEXED BY entity_goal_latest"
        return self._all(f"{found} WHERE {where} ORDER BY created DESC, id DESC", (goal, since))

    def referring(
        self, kind: str, id: str, statuses: Collection[str] | None = None, limit: int | None = None
    ) -> list[EntityRow]:
        """Entities of ``kind`` that name ``id``, narrowed by status, in order of id."""
        narrowed = "" if statuses is None else f"AND status IN ({', '.join('?' * len(statuses))})"
        # A plus keeps the planner from walking every entity of the kind.
        where = f"row IN (SELECT row FROM entity_ref WHERE dst = ?) AND +kind = ? {narrowed} ORDER BY +id, path LIMIT ?"
        return self._some(where, [id, kind, *(statuses or ()), -1 if limit is None else limit])

    def telling(self, operation: str, kinds: Collection[str]) -> list[EntityRow]:
        """Entities of ``kinds`` that name ``operation``, in path order."""
        where = f"row IN (SELECT row FROM entity_ref WHERE dst = ?) AND +kind IN ({', '.join('?' * len(kinds))})"
        return self._some(f"{where} ORDER BY path", [operation, *kinds])

    def matching(self, kind: str, prefix: str, limit: int = 5) -> list[str]:
        """Ids of ``kind`` that start with ``prefix``."""
        where = "kind = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?"
        found = self._all(f"SELECT DISTINCT id FROM entity WHERE {where}", (kind, prefix, prefix + "\U0010ffff", limit))
        return [id for (id,) in found]

    def within(self, kind: str, prefix: str) -> list[EntityRow]:
        """Entities of ``kind`` whose id starts with ``prefix``, in order of id."""
        where = "kind = ? AND id >= ? AND id < ? ORDER BY id, path"
        return self._some(where, [kind, prefix, prefix + "\U0010ffff"], "entity_by_id")

    def tally(self) -> dict[str, dict[str, int]]:
        """How many Todos each Goal has by status. The counts are kept, not counted."""
        found: dict[str, dict[str, int]] = {}
        for goal, status, count in self._all(
            "SELECT goal, status, sum(count) FROM tally WHERE count > 0 GROUP BY goal, status"
        ):
            found.setdefault(goal, {})[status] = count
        return found

    def plain_open(self) -> dict[str, int]:
        """Open Todos by Goal that nothing but their Goal can keep from running."""
        where = "status = 'open' AND entangled = 0 AND count > 0"
        return dict(self._all(f"SELECT goal, count FROM tally WHERE {where}"))

    def entangled(self, goal: str | None = None, owner: str | None = None) -> list[EntityRow]:
        """Open Todos that need a verdict of their own, in order of id; those of one owner where one is named."""
        given = {"goal = ?": goal, "owner = ?": owner}
        where = " ".join(f"AND {condition}" for condition, value in given.items() if value is not None)
        values = [value for value in given.values() if value is not None]
        return self._some(f"{_OPEN_TODO} AND entangled = 1 {where} ORDER BY id", values, "entity_entangled")

    def open_of_class(self, goal: str, classes: Collection[str]) -> list[EntityRow]:
        """Open Todos of these classes, in order of id. All but plain advancement is entangled, so few are looked at."""
        if not classes:
            return []
        few = "" if "advancement" in classes else "AND entangled = 1"
        where = f"{_OPEN_TODO} {few} AND goal = ? AND class IN ({', '.join('?' * len(classes))}) ORDER BY id"
        return self._some(where, [goal, *classes], "entity_entangled" if few else "entity_goal_frontier")

    def frontier(self, goal: str | None = None, limit: int = 20) -> list[EntityRow]:
        """The first open Todos by priority, age and id."""
        where, values = ("AND goal = ?", [goal]) if goal is not None else ("", [])
        index = "entity_frontier" if goal is None else "entity_goal_frontier"
        return self._some(f"{_OPEN_TODO} {where} ORDER BY priority, created, id LIMIT ?", [*values, limit], index)

    def paths(self, kind: str | None = None) -> list[str]:
        """Paths of every entity, or of those of one kind, in order."""
        where, values = ("WHERE kind = ?", [kind]) if kind is not None else ("", [])
        return [path for (path,) in self._all(f"SELECT path FROM entity {where} ORDER BY path", values)]

    def duplicates(self) -> list[tuple[str, str, str]]:
        """(kind, goal, id) of every entity that lies at more than one path."""
        # The same id in two Goals is one entity twice, except for what is named within its Goal.
        scope = "CASE WHEN kind IN ('vision', 'criterion', 'baseline') THEN goal ELSE '' END"
        grouped = f"GROUP BY kind, id, {scope} HAVING count(*) > 1"
        return self._all(f"SELECT kind, min(goal), id FROM entity {grouped} ORDER BY kind, id")

    def _one(self, condition: str, values: list[Any]) -> EntityRow | None:
        return next(iter(self._some(condition, values)), None)

    def _some(self, condition: str, values: list[Any], index: str = "") -> list[EntityRow]:
        """Rows of entities; ``index`` names the one to use where the planner would take a wider one."""
        source = f"entity INDEXED BY {index}" if index else "entity"
        found = self._all(f"SELECT {_COLUMNS} FROM {source} WHERE {condition}", values)
        return [EntityRow._make((*row[:10], bool(row[10]), *row[11:])) for row in found]


def _latest_index(kind: str, goal: str | None, owner: str | None) -> str:
    """The index that holds what is asked for in the order it is told, so that a few of many cost as much as few."""
    if kind not in PILING_UP:
        return ""
    if goal is None:
        return "entity_latest" if owner is None else "entity_by_owner"
    return "entity_goal_latest" if owner is None else "entity_goal_owner_latest"
