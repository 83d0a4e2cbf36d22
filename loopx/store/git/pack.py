"""Writing many objects as one pack: one file to flush instead of hundreds.

Called by :mod:`loopx.store.git.objects` when a write is large. Git builds the pack's index and checks every object.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping

from loopx.store.git.format import ObjectFormat
from loopx.store.git.loose import Content
from loopx.store.git.programs import Programs
from loopx.store.protocol import Oid

_CODES = {"commit": 1, "tree": 2, "blob": 3}


def write_pack(programs: Programs, form: ObjectFormat, objects: Mapping[Oid, Content]) -> None:
    """Add ``objects`` to the repository as one pack. Raises ``disk-full``, ``git-failed`` and their like."""
    programs.run("store a pack of new objects", "index-pack", "--stdin", given=packed(form, objects))


def packed(form: ObjectFormat, objects: Mapping[Oid, Content]) -> bytes:
    """The bytes of a pack that holds ``objects``."""
    body = b"".join(_pieces(objects))
    return body + bytes(form.hasher(body).digest())


def _pieces(objects: Mapping[Oid, Content]) -> Iterator[bytes]:
    yield b"PACK" + (2).to_bytes(4, "big") + len(objects).to_bytes(4, "big")
    for kind, content in objects.values():
        yield _entry_header(_CODES[kind], len(content))
        yield zlib.compress(content, 1)


def _entry_header(code: int, size: int) -> bytes:
    """Kind and length as Git packs them: four bits of length first, then seven at a time."""
    byte, size = code << 4 | size & 0x0F, size >> 4
    found = bytearray()
    while size:
        found.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    found.append(byte)
    return bytes(found)
