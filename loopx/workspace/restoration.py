"""Which documents a rollback puts back: found by what they are, wherever they lie now or lay then.

Called for the packet, for rollbacks and for undoing. Reads history and the cache; changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from loopx.model.defining import dataclass
from loopx.model.kind import Kind
from loopx.model.layout import Location, locate
from loopx.store.cache.rows import CommitRow
from loopx.store.protocol import Commit, PathChange, Store
from loopx.workspace.base import PREFIXES, id_in

if TYPE_CHECKING:
    from loopx.store.cache import Cache

Key = tuple[Kind, str, str]
"""What a document is found by, wherever it lies: kind, id, and for a Vision its Goal."""


@dataclass(frozen=True, slots=True)
class Restoration:
    """One document to put back. ``now`` and ``then`` are its places, ``then_blob`` what it held at the target."""

    kind: Kind
    id: str
    goal: str
    now: str | None
    then: str | None
    then_blob: str | None
    now_blob: str | None = None

    @property
    def key(self) -> Key:
        return (self.kind, self.id, self.goal if self.kind is Kind.VISION else "")

    @property
    def paths(self) -> set[str]:
        """Where it lies and where it lay."""
        return {path for path in (self.now, self.then) if path is not None}

    @property
    def change(self) -> str:
        if self.now is None:
            return "restored"
        return "removed" if self.then is None else "changed"


def restorations(
    store: Store,
    cache: Cache,
    target: str,
    *,
    goal: str | None = None,
    todo: str | None = None,
    only: Collection[Key] | None = None,
    touched: Iterable[str] = (),
) -> list[Restoration]:
    """Every human-written document that differs between now and ``target``, found by id wherever it lies or lay.

    ``only`` names the documents meant; else all of a Goal, one Todo, or everything but the workspace's own document.
    ``touched`` are paths changed since the revision the cache stands for (edits taken in by the same pass).
    """
    revision = cache.get_meta("revision")
    paths = {each.path for each in store.compare(target, revision)} if revision else set()
    then: dict[Key, tuple[str, str]] = {}
    now: dict[Key, tuple[str, str]] = {}
    for path in sorted(paths | set(touched)):
        location = locate(path)
        if location is None or location.kind.is_forward_only:
            continue
        old, new = store.find(target, path), cache.entity_at(path)
        if old is not None:
            then[key_of(location, id_in(store.read(old.oid)))] = (path, old.oid)
        if new is not None:
            now[key_of(location, new.id)] = (path, new.blob)
    return [
        _restoration(key, then.get(key), now.get(key))
        for key in sorted(then.keys() | now.keys())
        if then.get(key) != now.get(key)
        and (key in only if only is not None else _is_chosen(key, (now.get(key) or then[key])[0], goal, todo))
    ]


def written_by(store: Store, commit: Commit) -> dict[Key, str | None]:
    """The human-written documents a commit changed, with the blob it left of each; ``None`` where it left none."""
    found: dict[Key, str | None] = {}
    for each in commit.changes:
        location = locate(each.path)
        if location is None or location.kind.is_forward_only:
            continue
        for blob, left in ((each.before, None), (each.after, each.after)):
            if blob is not None:
                key = key_of(location, id_in(store.read(blob)))
                found[key] = left or found.get(key)
    return found


def criteria_since(store: Store, cache: Cache, target: str, goal: str | None) -> list[Restoration]:
    """Criteria, of one Goal or all, about which something was recorded since ``target``.

    Meeting one changes no document, only its record: it stays where it is, and what came since is marked.
    """
    revision = cache.get_meta("revision")
    changes = store.compare(target, revision) if revision else []
    return [each for each in criteria_in(changes) if goal is None or each.goal == goal]


def criteria_in(changes: Iterable[PathChange]) -> list[Restoration]:
    """The criteria whose records ``changes`` are about."""
    found: list[Restoration] = []
    for each in changes:
        location = locate(each.path)
        if location is not None and location.kind is Kind.CRITERION:
            found.append(Restoration(location.kind, location.name, location.goal, each.path, each.path, None))
    return found


def restored_by(store: Store, commit: Commit, target: str) -> list[Restoration]:
    """What a rollback that was made put back to ``target``. A follow-up Todo it added lay at neither end."""
    then: dict[Key, tuple[str, str]] = {}
    now: dict[Key, tuple[str, str]] = {}
    for each in commit.changes:
        location = locate(each.path)
        if location is None or location.kind.is_forward_only:
            continue
        for blob, held in ((each.before, now), (each.after, then)):
            if blob is not None:
                held[key_of(location, id_in(store.read(blob)))] = (each.path, blob)
    return [
        _restoration(key, then.get(key), now.get(key))
        for key in sorted(then.keys() | now.keys())
        if key in now or store.find(target, then[key][0]) is not None
    ]


def key_of(location: Location, identity: str | None) -> Key:
    """What a document is found by. A Vision belongs to its Goal; Todos and Gates may have moved between Goals."""
    is_named_inside = location.kind in PREFIXES or location.kind is Kind.WORKSPACE
    name = (identity or location.name) if is_named_inside else location.name
    return (location.kind, name, location.goal if location.kind is Kind.VISION else "")


def _restoration(key: Key, then: tuple[str, str] | None, now: tuple[str, str] | None) -> Restoration:
    path = (now or then or ("", ""))[0]
    location = locate(path)
    goal = location.goal if location is not None else ""
    return Restoration(
        key[0],
        key[1],
        goal,
        now[0] if now else None,
        then[0] if then else None,
        then[1] if then else None,
        now[1] if now else None,
    )


def _is_chosen(key: Key, path: str, goal: str | None, todo: str | None) -> bool:
    if todo is not None:
        return key[0] is Kind.TODO and key[1] == todo
    if goal is not None:
        return path.startswith(f"goals/{goal}/")
    return key[0] is not Kind.WORKSPACE


def commits_of(cache: Cache, each: Restoration) -> Iterator[CommitRow]:
    """Commits that wrote this very document, newest first."""
    for row in cache.commits(id=each.id):
        if each.paths & set(json.loads(row.paths)):
            yield row
