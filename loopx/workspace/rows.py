"""Entities as cache rows, and back. The cache stores what it is given; what the columns mean is decided here."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from loopx.kernel.state import happened_at, is_entangled, named_by, owner_of
from loopx.model.codec import decode, encode
from loopx.model.entities import CLASSES, Entity, goal_of, identity, kind_of
from loopx.model.ids import normalised_title
from loopx.model.kind import Kind
from loopx.model.times import format_instant, parse_instant
from loopx.model.todo import Todo
from loopx.store.cache.rows import CommitRow, EntityRow

if TYPE_CHECKING:
    from loopx.kernel.outcome import Receipt


def row_of(entity: Entity, path: str, blob: str) -> tuple[EntityRow, list[str]]:
    """The cache row for ``entity`` as it stands in ``path`` with the content ``blob``, and the ids it names."""
    created = happened_at(entity)
    row = EntityRow(
        kind=kind_of(entity).value,
        id=identity(entity),
        goal=goal_of(entity),
        path=path,
        blob=blob,
        status=getattr(entity, "status", None),
        todo_class=entity.todo_class if isinstance(entity, Todo) else None,
        priority=entity.priority if isinstance(entity, Todo) else None,
        title_key=normalised_title(entity.title) if isinstance(entity, Todo) else None,
        created=format_instant(created) if created else "",
        entangled=isinstance(entity, Todo) and is_entangled(entity),
        data=json.dumps(encode(entity), ensure_ascii=False, separators=(",", ":")),
        owner=owner_of(entity),
    )
    return row, sorted(named_by(entity))


def entity_of(kind: Kind, data: str) -> Entity:
    """The entity a row's ``data`` holds."""
    if kind is Kind.PLAN:
        return _plan_of(data)
    return decode(CLASSES[kind], json.loads(data))  # type: ignore[no-any-return]


@lru_cache(maxsize=4)
def _plan_of(data: str) -> Entity:
    """A plan, kept for the next time: it is long, and a run asks for it at every record."""
    return decode(CLASSES[Kind.PLAN], json.loads(data))  # type: ignore[no-any-return]


def commit_row(oid: str, author: str, receipt: Receipt, headline: str, paths: list[str], ids: list[str]) -> CommitRow:
    """The cache's line of the audit trail for a commit of ours."""
    return CommitRow(
        seq=0,
        oid=oid,
        at=format_instant(receipt.at),
        author=author,
        actor=str(receipt.actor),
        origin=receipt.origin.value,
        command=receipt.command,
        operation=receipt.operation,
        subject=receipt.subject,
        goal=receipt.goal,
        headline=headline,
        result=json.dumps({"request": receipt.request, **receipt.result}, ensure_ascii=False),
        ids=json.dumps(ids),
        paths=json.dumps(paths, ensure_ascii=False),
    )


def receipt_of_row(row: CommitRow) -> Receipt:
    """The receipt a line of the audit trail holds."""
    from loopx.kernel.outcome import Receipt
    from loopx.model.actor import Actor, Origin

    result = json.loads(row.result or "{}")
    return Receipt(
        operation=row.operation or "",
        command=row.command,
        actor=Actor.parse(row.actor),
        origin=Origin(row.origin),
        subject=row.subject,
        goal=row.goal,
        request=result.pop("request", ""),
        at=parse_instant(row.at),
        result=result,
    )
