"""One digest over paths and contents, the same in every store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from loopx.store.protocol import Oid


def digest_of(contents: Iterable[tuple[str, Oid | None]]) -> str:
    """A SHA-256 over (path, oid or ``None`` for absent) pairs, whatever order they come in."""
    found = hashlib.sha256(usedforsecurity=False)
    for path, oid in sorted(set(contents), key=lambda pair: pair[0]):
        found.update(f"{path}\0{oid or '-'}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()
