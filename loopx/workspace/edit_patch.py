"""What a hand edit that was not taken in changes, as a textual difference for whoever settles it. Read only."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.workspace.facade import Workspace

_LIMIT = 400_000
"""Bytes of a text that are compared; a document is far smaller."""


def typed_patch(ws: Workspace, path: str) -> str:
    """The way from the accepted version of ``path`` to what lies there now; ``""`` where nothing can be shown."""
    row = ws.cache.entity_at(path)
    accepted = ws.store.read(row.blob) if row is not None else b""
    file = ws.places.file(path)
    try:
        typed = b"" if file.is_symlink() else file.read_bytes()  # what a link leads to was typed nowhere
    except OSError:
        typed = b""
    return "\n".join(unified_diff(_lines(accepted), _lines(typed), "accepted", "typed", lineterm=""))


def _lines(content: bytes) -> list[str]:
    return content[:_LIMIT].decode("utf-8", "replace").splitlines()
