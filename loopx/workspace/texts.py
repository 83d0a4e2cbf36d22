"""From the kernel's changes to the texts of documents: new ones are emitted, existing ones edited by spans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from loopx.documents import emit, normal_body
from loopx.errors import LoopxError
from loopx.kernel.outcome import Archive, Change, Create, Delete, Record, Update
from loopx.model import ids, layout
from loopx.model.entities import Entity, goal_of, identity, kind_of
from loopx.model.kind import Kind
from loopx.workspace.rows import entity_of
from loopx.workspace.work import Link, Work

_RECORDS_MOVED = {Kind.TODO: (Kind.COMPLETION, Kind.LEASE, Kind.MONITOR), Kind.GATE: (Kind.DECISION,)}
"""The records that go into the archive with their document."""


def apply_change(work: Work, link: Link, change: Change) -> None:
    """Write ``change`` into the chain. Each document a command writes gets a new ``rev``."""
    match change:
        case Create(entity, text):
            renewed = _renewed(work, entity)
            path = new_path(renewed)
            data = emit(path, renewed) if text is None else _as_typed(path, renewed, text)
            work.put(link, path, data, _as_read(renewed))
        case Update():
            _update(work, link, change)
        case Record(entity):
            path = work.path_of(kind_of(entity), identity(entity), goal_of(entity)) or new_path(entity)
            work.put(link, path, emit(path, entity), entity)
        case Archive():
            _archive(work, link, change)
        case Delete(kind, goal, identity_):
            work.drop(link, existing_path(work, kind, identity_, goal))


def new_path(entity: Any) -> str:
    """Where a new document goes."""
    match kind_of(entity):
        case Kind.WORKSPACE:
            return layout.WORKSPACE_FILE
        case Kind.GOAL:
            return layout.goal_path(entity.id)
        case Kind.TODO:
            return layout.todo_path(entity.goal, entity.id, entity.title)
        case Kind.GATE:
            return layout.gate_path(entity.goal, entity.id, entity.question)
        case Kind.VISION:
            return layout.vision_path(entity.goal, entity.agent)
        case Kind.PROPOSAL:
            return layout.proposal_path(entity.goal, entity.id, entity.title)
        case Kind.EVIDENCE:
            return layout.record_path(Kind.EVIDENCE, entity.goal, entity.id, entity.observed_at)
        case Kind.TURN:
            return layout.record_path(Kind.TURN, entity.goal, entity.id, entity.opened_at)
        case (Kind.PLAN | Kind.RUN | Kind.STEP | Kind.TRACE) as kind:
            return layout.run_path(kind, entity.goal, entity.todo, entity.id)
        case kind:
            return layout.record_path(kind, goal_of(entity), identity(entity))


def existing_path(work: Work, kind: Kind, identity_: str, goal: str) -> str:
    """Where an existing document lies; the kernel only ever names existing ones."""
    path = layout.WORKSPACE_FILE if kind is Kind.WORKSPACE else work.path_of(kind, identity_, goal)
    if path is None:
        raise LoopxError("bug", f"the decision names a {kind} {identity_} that does not exist")
    return path


def changed_entity(entity: Entity, change: Update) -> Entity:
    """``entity`` with the change's fields; ``None`` gives a field its default back."""
    values: dict[str, Any] = {}
    for name, value in change.fields.items():
        values[name] = type(entity).__dataclass_fields__[name].default if value is None else value
    return replace(entity, **values)


def _renewed(work: Work, entity: Any) -> Entity:
    renewed: Entity = replace(entity, rev=work.fresh(ids.REVISION)) if hasattr(entity, "rev") else entity
    return renewed


def _as_typed(path: str, entity: Entity, text: str) -> bytes:
    """What was typed, where it says the same; the document as LoopX writes it otherwise."""
    from loopx.documents.proposed import as_typed

    return as_typed(path, entity, text) or emit(path, entity)


def _as_read(entity: Any) -> Entity:
    """``entity`` as reading its text will give it: with the body as bodies are compared."""
    body = getattr(entity, "body", "")
    read: Entity = replace(entity, body=normal_body(body)) if body else entity
    return read


def _update(work: Work, link: Link, change: Update) -> None:
    from loopx.documents import edit  # loads the reader of texts, which a new document does not need

    path = existing_path(work, change.kind, change.id, change.goal)
    row = work.cache.entity_at(path)
    content = work.content(path)
    if row is None or content is None:
        raise LoopxError("bug", f"{path} is known and has no content")
    renewed = Update(change.kind, change.goal, change.id, {**change.fields, "rev": work.fresh(ids.REVISION)})
    entity = changed_entity(entity_of(change.kind, row.data), renewed)
    work.put(link, path, edit(path, content, renewed.fields), _as_read(entity))


def _archive(work: Work, link: Link, change: Archive) -> None:
    """Move a document and the records that belong to it, byte for byte."""
    for kind in (change.kind, *_RECORDS_MOVED.get(change.kind, ())):
        path = work.path_of(kind, change.id, change.goal)
        if not path or "/archive/" in path:
            continue
        row, content = work.cache.entity_at(path), work.content(path)
        if row is None or content is None:
            continue
        work.drop(link, path)
        work.put(link, layout.archived(path, change.at), content, entity_of(kind, row.data))
