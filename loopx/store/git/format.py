"""How a repository names its objects: by SHA-1 or by SHA-256.

Called wherever an oid is made or measured. It knows nothing of where objects are kept.
"""

from __future__ import annotations

import hashlib
from typing import Any

from loopx.model.defining import dataclass
from loopx.store.protocol import Oid


@dataclass(frozen=True, slots=True)
class ObjectFormat:
    """One of Git's object formats. ``raw`` and ``digits`` are the lengths of an oid in bytes and in hexadecimal."""

    name: str
    raw: int

    @property
    def digits(self) -> int:
        return self.raw * 2

    def hasher(self, content: bytes = b"") -> Any:
        """A running digest, as :mod:`hashlib` gives it."""
        return hashlib.new(self.name, content, usedforsecurity=False)

    def oid(self, kind: str, content: bytes) -> Oid:
        """The name of an object of ``kind`` (blob, tree, commit) with ``content``."""
        found = self.hasher(header(kind, content))
        found.update(content)
        return str(found.hexdigest())


SHA1 = ObjectFormat("sha1", 20)
SHA256 = ObjectFormat("sha256", 32)
FORMATS = {each.name: each for each in (SHA1, SHA256)}


def header(kind: str, content: bytes) -> bytes:
    """What stands before an object's content when it is hashed and stored."""
    return b"%s %d\0" % (kind.encode(), len(content))
