"""The rollback packet: everything a person should know before documents are put back. Evidence, not permission."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from loopx.model.kind import Kind
from loopx.workspace.outside import outside
from loopx.workspace.reports import PackItem, RollbackPacket
from loopx.workspace.restoration import Restoration, commits_of

if TYPE_CHECKING:
    from loopx.store.cache import Cache

_RECORD_OF = {Kind.TODO: Kind.COMPLETION, Kind.GATE: Kind.DECISION, Kind.GOAL: Kind.CLOSURE}


def packet(
    cache: Cache,
    target: str,
    chosen: list[Restoration],
    criteria: list[Restoration],
    until: str | None = None,
    *,
    goals: Collection[str] = (),
) -> RollbackPacket:
    """The packet for putting ``chosen`` back to ``target`` and having ``criteria`` judged anew.

    ``until`` is the commit that did it, when it is told later. ``goals`` go back as a whole, so that whatever was done
    outside for them counts, and not for chosen Todos alone.
    """
    items = tuple(_item(cache, each, target, until) for each in chosen)
    judged = tuple(_item(cache, each, target, until) for each in criteria)
    ids = {each.id for each in chosen}
    operations = tuple(dict.fromkeys(op for each in (*items, *judged) for op in each.operations))
    effects = tuple(outside(cache, chosen, goals, partial(is_held_at, cache, target)))
    return RollbackPacket(
        target=target,
        head=cache.get_meta("revision") or "",
        items=items,
        dependants=tuple(sorted({d for i in ids for d in cache.dependants(i)} - ids)),
        effects=effects,
        judgements=tuple(f"{each.goal} {each.id}" for each in criteria),
        kept=tuple(sorted(_kept(cache, chosen))),
        choices=_choices(bool(effects)),
        operations=operations,
        actors=tuple(dict.fromkeys(actor for each in (*items, *judged) for actor in each.actors)),
        destructive=tuple(
            f"{each.kind} {each.id} leaves the working files" for each in items if each.change == "removed"
        ),
    )


def _item(cache: Cache, each: Restoration, target: str, until: str | None) -> PackItem:
    at, end = cache.commit_at(target), cache.commit_at(until) if until else None
    rows = [
        row
        for row in commits_of(cache, each)
        if (at is None or row.seq > at.seq) and (end is None or row.seq < end.seq)
    ]
    return PackItem(
        kind=each.kind.value,
        id=each.id,
        path=each.now or each.then or "",
        change=each.change,
        operations=tuple(row.operation for row in rows if row.operation),
        actors=tuple(dict.fromkeys(row.actor for row in rows)),
    )


def is_held_at(cache: Cache, target: str, operation: str) -> bool:
    """Whether the commit ``target`` has what ``operation`` did behind it."""
    at, row = cache.commit_at(target), cache.operation(operation)
    return at is not None and row is not None and row.seq <= at.seq


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
