"""Which accepted version a text in an editor came from.

``rev:`` says so: the newest committed version with the edit's ``rev`` is the base; a text without one came from the
newest version without one (a hand-made file that no command has written yet).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from loopx.model import ids
from loopx.model.kind import Kind

if TYPE_CHECKING:
    from loopx.workspace.work import Work

PREFIXES = {Kind.TODO: ids.TODO, Kind.GATE: ids.GATE, Kind.PROPOSAL: ids.PROPOSAL}
"""How the id begins that a hand-made document gets, for each kind whose file name is not its identity."""
_REV = re.compile(rb"^rev:[ \t]*[\"']?(r-[0-9a-z]+)[\"']?[ \t]*(?:#.*)?\r?$", re.MULTILINE)
_HEADER_BYTES = 4096


def rev_in(content: bytes) -> str | None:
    """The ``rev:`` a document's header states."""
    found = _REV.search(content, 0, _HEADER_BYTES)
    return None if found is None else found.group(1).decode()


def base_of(work: Work, path: str, typed: bytes, head: bytes) -> bytes | None:
    """The version that ``typed`` was made from; ``None`` when its ``rev`` is one that never existed here."""
    wanted = rev_in(typed)
    if wanted == rev_in(head):
        return head
    for version in work.cache.versions(path):
        content = work.store.read(version.blob)
        if rev_in(content) == wanted:
            return content
    return head if wanted is None else None


_ID = re.compile(rb"^id:[ \t]*[\"']?([a-z0-9-]+)[\"']?[ \t]*(?:#.*)?\r?$", re.MULTILINE)


def id_in(content: bytes) -> str | None:
    """The ``id:`` a document's header states."""
    found = _ID.search(content, 0, _HEADER_BYTES)
    return None if found is None else found.group(1).decode()
