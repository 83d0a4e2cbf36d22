"""The rows the cache takes and gives: plain tuples with names. Instants are text, nested values JSON text."""

from __future__ import annotations

from typing import NamedTuple


class EntityRow(NamedTuple):
    """One document of the revision the cache stands for."""

    kind: str
    id: str
    goal: str
    path: str
    blob: str
    status: str | None
    todo_class: str | None
    priority: str | None
    title_key: str | None
    created: str | None
    entangled: bool
    data: str
    """The entity as JSON text."""
    owner: str | None = None


class CommitRow(NamedTuple):
    """One commit of the log. ``seq`` grows along history; ``result``, ``ids`` and ``paths`` are JSON text."""

    seq: int
    oid: str
    at: str
    author: str
    actor: str
    origin: str
    command: str
    operation: str | None
    subject: str
    goal: str
    headline: str
    result: str
    ids: str
    paths: str
    superseded_by: str | None = None


class VersionRow(NamedTuple):
    """A content some path had, and the commit that gave it."""

    path: str
    blob: str
    seq: int
    oid: str


class PendingRow(NamedTuple):
    """The verdict on a file that differs from the accepted version. ``content`` is the oid of what was judged."""

    path: str
    content: str | None
    head: str | None
    state: str
    problems: str
    since: str
