"""The rollback packet: everything a person should know before documents are put back. Evidence, not permission."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loopx.model.kind import Kind
from loopx.model.layout import Location, locate
from loopx.store.cache.rows import CommitRow
from loopx.store.protocol import Store
from loopx.workspace.base import id_in
from loopx.workspace.reports import PackItem, RollbackPacket

if TYPE_CHECKING:
    from loopx.store.cache import Cache

_Key = tuple[Kind, str, str]
_RECORD_OF = {Kind.TODO: Kind.COMPLETION, Kind.GATE: Kind.DECISION}


@dataclass(frozen=True, slots=True)
class Restoration:
    """One document to put back. ``now`` and ``then`` are its places, ``then_blob`` what it held at the target."""

    kind: Kind
    id: str
    goal: str
    now: str | None
    then: str | None
    then_blob: str | None

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
    touched: Iterable[str] = (),
) -> list[Restoration]:
    """Every human-written document that differs between now and ``target``, found by id wherever it lies or lay.

    ``touched`` are paths changed since the revision the cache stands for (edits taken in by the same pass).
    """
    revision = cache.get_meta("revision")
    paths = {each.path for each in store.compare(target, revision)} if revision else set()
    then: dict[_Key, tuple[str, str]] = {}
    now: dict[_Key, tuple[str, str]] = {}
    for path in sorted(paths | set(touched)):
        location = locate(path)
        if location is None or location.kind.is_forward_only:
            continue
        old, new = store.find(target, path), cache.entity_at(path)
        if old is not None:
            then[_key(location, id_in(store.read(old.oid)))] = (path, old.oid)
        if new is not None:
            now[_key(location, new.id)] = (path, new.blob)
    return [
        _restoration(key, then.get(key), now.get(key))
        for key in sorted(then.keys() | now.keys())
        if then.get(key) != now.get(key) and _is_chosen(key, (now.get(key) or then[key])[0], goal, todo)
    ]


def packet(cache: Cache, target: str, chosen: list[Restoration]) -> RollbackPacket:
    """The packet for putting ``chosen`` back to ``target``."""
    items = tuple(_item(cache, each, target) for each in chosen)
    ids = {each.id for each in chosen}
    operations = tuple(dict.fromkeys(op for each in items for op in each.operations))
    effects = tuple(_effects(cache, chosen))
    return RollbackPacket(
        target=target,
        head=cache.get_meta("revision") or "",
        items=items,
        dependants=tuple(sorted({d for i in ids for d in cache.dependants(i)} - ids)),
        effects=effects,
        kept=tuple(sorted(_kept(cache, chosen))),
        choices=_choices(bool(effects)),
        operations=operations,
        actors=tuple(dict.fromkeys(actor for each in items for actor in each.actors)),
        destructive=tuple(
            f"{each.kind} {each.id} leaves the working files" for each in items if each.change == "removed"
        ),
    )


def _key(location: Location, identity: str | None) -> _Key:
    """What a document is found by. A Vision belongs to its Goal; Todos and Gates may have moved between Goals."""
    is_named_inside = location.kind in (Kind.TODO, Kind.GATE, Kind.WORKSPACE)
    name = (identity or location.name) if is_named_inside else location.name
    return (location.kind, name, location.goal if location.kind is Kind.VISION else "")


def _restoration(key: _Key, then: tuple[str, str] | None, now: tuple[str, str] | None) -> Restoration:
    path = (now or then or ("", ""))[0]
    location = locate(path)
    goal = location.goal if location is not None else ""
    return Restoration(
        key[0], key[1], goal, now[0] if now else None, then[0] if then else None, then[1] if then else None
    )


def _is_chosen(key: _Key, path: str, goal: str | None, todo: str | None) -> bool:
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


def _item(cache: Cache, each: Restoration, target: str) -> PackItem:
    at = cache.commit_at(target)
    rows = [row for row in commits_of(cache, each) if at is None or row.seq > at.seq]
    return PackItem(
        kind=each.kind.value,
        id=each.id,
        path=each.now or each.then or "",
        change=each.change,
        operations=tuple(row.operation for row in rows if row.operation),
        actors=tuple(dict.fromkeys(row.actor for row in rows)),
    )


def _effects(cache: Cache, chosen: list[Restoration]) -> Iterable[dict[str, object]]:
    """What happened outside and cannot be undone here: a validated completion means work was delivered somewhere."""
    for each in chosen:
        record = _RECORD_OF.get(each.kind)
        row = cache.entity(record.value, each.id, "") if record is Kind.COMPLETION else None
        entries = json.loads(row.data).get("entries", []) if row is not None else []
        if entries and not entries[-1].get("rolled_back_at"):
            evidence = entries[-1].get("evidence", [])
            yield {
                "todo": each.id,
                "what": "work that was reported as done may have changed files or systems outside the workspace",
                "evidence": evidence,
                "recheck": "read back what the work produced, and decide whether it stays",
            }


def _kept(cache: Cache, chosen: list[Restoration]) -> Iterable[str]:
    for each in chosen:
        record = _RECORD_OF.get(each.kind)
        row = cache.entity(record.value, each.id, "") if record is not None else None
        if row is not None:
            yield row.path


def _choices(has_effects: bool) -> tuple[Mapping[str, object], ...]:
    revert = {
        "choice": "revert",
        "prerequisites": "the documents named may go back as a whole",
        "approval": "a person",
        "validation": "a digest over exactly these documents equals that at the target",
    }
    forward = {
        "choice": "fix forward",
        "prerequisites": "the mistake can be mended by ordinary commands",
        "approval": "as for those commands",
        "validation": "as for those commands",
    }
    if not has_effects:
        return (revert, forward)
    cleanup = {
        "choice": "external cleanup",
        "prerequisites": "access to what was changed outside",
        "approval": "whoever owns that system",
        "validation": "reading it back there",
    }
    support = {
        "choice": "support request",
        "prerequisites": "the effect cannot be reached from here",
        "approval": "the person asked for help",
        "validation": "their answer, recorded as evidence",
    }
    return (revert, forward, cleanup, support)
