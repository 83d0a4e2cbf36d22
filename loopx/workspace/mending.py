"""A committed document that cannot be read, mended by the file on disk.

The kernel knows no such document, so what was typed is judged against the last version that could be read. Called by
the judging of hand edits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.documents import read

if TYPE_CHECKING:
    from loopx.model.entities import Entity
    from loopx.workspace.work import Work


def last_readable(work: Work, path: str) -> tuple[Entity, bytes] | None:
    """The last version of a document whose committed text cannot be read; ``None`` for any other, or if none could."""
    if path not in work.cache.unreadable():
        return None
    for version in work.cache.versions(path):
        content = work.store.read(version.blob)
        entity = read(path, content).entity
        if entity is not None:
            return entity, content
    return None
