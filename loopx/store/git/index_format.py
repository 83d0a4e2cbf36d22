"""The bytes of Git's index, versions 2 and 3: taken apart, changed entry by entry, put together.

Called by :mod:`loopx.store.git.index`. Entries nobody asked to change stay byte for byte, flags and all. What it does
not understand it says so (:class:`Unsupported`), so that Git can be asked instead.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Any

from loopx.model.defining import dataclass
from loopx.store.git.format import ObjectFormat
from loopx.store.git.trees import encoded
from loopx.store.protocol import Entry, Oid

_STAT = 40
"""Bytes of times, device, mode, owner and size before an entry's oid."""
_MODE_AT = 24
_LONG = 0xFFF
_ASSUME_VALID, _EXTENDED = 0x8000, 0x4000
_SKIP_WORKTREE = 0x4000
_DERIVED = frozenset({b"TREE", b"EOIE", b"IEOT", b"UNTR", b"FSMN"})
"""Extensions that only save Git work and would be wrong after a change."""
_FILE, _PROGRAM = 0o100644, 0o100755


class Unsupported(Exception):
    """An index of a kind that is left to Git: version 4, split, sparse, or newer than this reader."""


class Corrupt(Exception):
    """Bytes that are no index."""


@dataclass(slots=True)
class Index:
    """An index in pieces. ``keys`` (path, NUL, stage) are sorted and stand beside the ``records`` they name."""

    form: ObjectFormat
    keys: list[bytes]
    records: list[bytes]
    extensions: bytes = b""
    version: int = 2

    def change(self, changes: Mapping[str, Oid | None]) -> dict[str, Oid]:
        """Put ``changes`` in; returns the oids these paths had before (an unmerged path counts as absent)."""
        replaced: dict[str, Oid] = {}
        for path, oid in changes.items():
            name = encoded(path)
            before = self._take(name)
            if before is not None:
                replaced[path] = self._oid(before, name)
            if oid is not None:
                self._clear_way(name)
                self._insert(name + b"\0\0", self._record(name, oid, before))
        return replaced

    def serialise(self) -> tuple[bytes, bytes]:
        """The bytes of the index file, and the checksum after them (apart, for copying a large index costs time)."""
        head = b"DIRC" + self.version.to_bytes(4, "big") + len(self.keys).to_bytes(4, "big")
        body = b"".join((head, *self.records, self.extensions))
        return body, self.form.hasher(body).digest()

    def _take(self, name: bytes) -> bytes | None:
        """Remove every stage of ``name``; returns the merged one."""
        at = bisect_left(self.keys, name + b"\0")
        merged: bytes | None = None
        while at < len(self.keys) and self.keys[at].startswith(name + b"\0"):
            if self.keys.pop(at)[-1] == 0:
                merged = self.records.pop(at)
            else:
                self.records.pop(at)
        return merged

    def _clear_way(self, name: bytes) -> None:
        """Remove what cannot stand beside ``name``: files where it needs folders, files below it."""
        parts = name.split(b"/")
        for depth in range(1, len(parts)):
            self._take(b"/".join(parts[:depth]))
        at = bisect_left(self.keys, name + b"/")
        while at < len(self.keys) and self.keys[at].startswith(name + b"/"):
            self.keys.pop(at)
            self.records.pop(at)

    def _insert(self, key: bytes, record: bytes) -> None:
        at = bisect_left(self.keys, key)
        self.keys.insert(at, key)
        self.records.insert(at, record)

    def _oid(self, record: bytes, name: bytes) -> Oid:
        return record[_STAT : _STAT + self.form.raw].hex()

    def _record(self, name: bytes, oid: Oid, before: bytes | None) -> bytes:
        """An entry whose zero times make Git look at the file; mode and a person's flags come from ``before``."""
        mode, flags, extra = _FILE, min(len(name), _LONG), b""
        if before is not None:
            mode = int.from_bytes(before[_MODE_AT : _MODE_AT + 4], "big")
            mode = mode if mode == _PROGRAM else _FILE
            old = _flags(before, self.form)
            flags |= old & _ASSUME_VALID
            if old & _EXTENDED:
                kept = _flags(before, self.form, 2) & _SKIP_WORKTREE
                flags |= _EXTENDED if kept else 0
                extra = kept.to_bytes(2, "big") if kept else b""
        return _entry(mode, bytes.fromhex(oid), flags, extra, name)


def parse(form: ObjectFormat, content: bytes) -> Index:
    """The index ``content`` is. Raises :class:`Unsupported` or :class:`Corrupt`."""
    end = len(content) - form.raw
    if end < 12 or content[:4] != b"DIRC":
        raise Corrupt("no index")
    version, count = int.from_bytes(content[4:8], "big"), int.from_bytes(content[8:12], "big")
    if version not in (2, 3):
        raise Unsupported(f"version {version}")
    checksum = content[end:]
    # Git writes zeros where it was told to skip the checksum.
    if any(checksum) and form.hasher(content[:end]).digest() != checksum:
        raise Corrupt("the checksum is wrong")
    keys, records, at = _entries(form, content, count, end)
    return Index(form, keys, records, _extensions(content, at, end), version)


def built(form: ObjectFormat, entries: Iterable[Entry]) -> Index:
    """An index of ``entries``, which come in path order."""
    index = Index(form, [], [])
    for each in entries:
        name = encoded(each.path)
        index.keys.append(name + b"\0\0")
        index.records.append(_entry(each.mode, bytes.fromhex(each.oid), min(len(name), _LONG), b"", name))
    return index


def _entries(form: ObjectFormat, content: bytes, count: int, end: int) -> tuple[list[bytes], list[bytes], int]:
    keys: list[bytes] = []
    records: list[bytes] = []
    fixed, at = _STAT + form.raw + 2, 12
    find: Any = content.index
    for _ in range(count):
        flags_at = at + fixed - 2
        high = content[flags_at] if flags_at < end else 0
        name_at = at + fixed + (2 if high & 0x40 else 0)
        try:
            name_end = find(b"\0", name_at, end)
        except ValueError:
            raise Corrupt("an entry does not end") from None
        keys.append(b"%b\0%c" % (content[name_at:name_end], (high & 0x30) >> 4))
        # Entries are padded with one to eight NULs to a multiple of eight.
        following = at + ((name_end - at + 8) & ~7)
        records.append(content[at:following])
        at = following
    return keys, records, at


def _extensions(content: bytes, at: int, end: int) -> bytes:
    kept: list[bytes] = []
    while at + 8 <= end:
        signature, size = content[at : at + 4], int.from_bytes(content[at + 4 : at + 8], "big")
        following = at + 8 + size
        if not 0x41 <= signature[0] <= 0x5A:
            raise Unsupported(f"the extension {signature!r}")
        if signature not in _DERIVED:
            kept.append(content[at:following])
        at = following
    if at != end:
        raise Corrupt("an extension does not end")
    return b"".join(kept)


def _flags(record: bytes, form: ObjectFormat, further: int = 0) -> int:
    at = _STAT + form.raw + further
    return int.from_bytes(record[at : at + 2], "big")


def _entry(mode: int, raw: bytes, flags: int, extra: bytes, name: bytes) -> bytes:
    stat = bytes(_MODE_AT) + mode.to_bytes(4, "big") + bytes(_STAT - _MODE_AT - 4)
    whole = stat + raw + flags.to_bytes(2, "big") + extra + name
    return whole + bytes(8 - len(whole) % 8)
