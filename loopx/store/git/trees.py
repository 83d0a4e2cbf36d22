"""Git's tree objects: taken apart, put together, and changed path by path.

Called by the writer and by everything that looks a file up. A change touches only the folders above it, so its cost
does not grow with the number of files elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Union

from loopx.store.git.format import ObjectFormat
from loopx.store.protocol import Oid

Row = tuple[bytes, bytes]
"""Mode (octal digits) and raw oid of one name."""
Tree = dict[bytes, Row]
"""Names to rows."""

FOLDER = b"40000"
FILE = b"100644"
_FILES = frozenset({b"100644", b"100755"})

_Nested = dict[bytes, Union["_Nested", Row, None]]


@cache
def _pattern(raw: int) -> re.Pattern[bytes]:
    return re.compile(rb"([0-7]+) ([^\0]+)\0(.{%d})" % raw, re.DOTALL)


def parse(form: ObjectFormat, content: bytes) -> Tree:
    """The rows of a tree, in Git's order."""
    return {name: (mode, raw) for mode, name, raw in _pattern(form.raw).findall(content)}


def serialise(tree: Tree) -> bytes:
    """The content of a tree object. Git sorts a folder as if its name ended in a slash."""
    rows = sorted(tree.items(), key=lambda item: item[0] + b"/" if item[1][0] == FOLDER else item[0])
    return b"".join(b"%s %s\0%s" % (mode, name, raw) for name, (mode, raw) in rows)


def encoded(path: str) -> bytes:
    """A path as Git stores it: UTF-8 whatever the locale; bytes that were no UTF-8 come back as they were."""
    return path.encode("utf-8", "surrogateescape")


def decoded(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


class Graft:
    """New trees made from old ones. ``made`` holds the content of every tree that did not exist before."""

    def __init__(self, form: ObjectFormat, read: Callable[[Oid], bytes]) -> None:
        self._form = form
        self._read = read
        self.made: dict[Oid, bytes] = {}

    def apply(self, base: Oid | None, changes: Mapping[str, Oid | None]) -> Oid:
        """The root tree that is ``base`` with ``changes`` (path to blob; ``None`` removes).

        The mode of an existing file stays. Raises :class:`ValueError` for a path that cannot be in a tree.
        """
        root = self._changed(base, _nested(changes))
        return self._keep({}) if root is None else root

    def _changed(self, base: Oid | None, changes: _Nested) -> Oid | None:
        """The changed folder; ``None`` when nothing is left in it."""
        before = {} if base is None else parse(self._form, self._load(base))
        tree = dict(before)
        for name, change in changes.items():
            if isinstance(change, dict):
                self._change_folder(tree, name, change)
            else:
                _change_file(tree, name, change)
        if not tree:
            return None
        return base if base is not None and tree == before else self._keep(tree)

    def _change_folder(self, tree: Tree, name: bytes, changes: _Nested) -> None:
        mode, raw = tree.get(name, (FOLDER, b""))
        is_folder = mode == FOLDER
        made = self._changed(raw.hex() if raw and is_folder else None, changes)
        if made is not None:
            tree[name] = (FOLDER, bytes.fromhex(made))
        elif is_folder:
            tree.pop(name, None)

    def _load(self, oid: Oid) -> bytes:
        made = self.made.get(oid)
        return self._read(oid) if made is None else made

    def _keep(self, tree: Tree) -> Oid:
        content = serialise(tree)
        oid = self._form.oid("tree", content)
        self.made[oid] = content
        return oid


def _change_file(tree: Tree, name: bytes, change: Row | None) -> None:
    mode, _ = tree.get(name, (FILE, b""))
    if change is not None:
        tree[name] = (mode if mode in _FILES else FILE, change[1])
    elif mode != FOLDER:
        tree.pop(name, None)


def _nested(changes: Mapping[str, Oid | None]) -> _Nested:
    root: _Nested = {}
    for path, oid in changes.items():
        *folders, name = _parts(path)
        here = root
        for folder in folders:
            below = here.setdefault(folder, {})
            if not isinstance(below, dict):
                raise ValueError(f"{path!r} lies below a path that is a file in the same change")
            here = below
        if name in here:
            raise ValueError(f"{path!r} is a folder and a file in the same change")
        here[name] = None if oid is None else (FILE, bytes.fromhex(oid))
    return root


def _parts(path: str) -> list[bytes]:
    parts = encoded(path).split(b"/")
    if any(part in (b"", b".", b"..") or part.lower() == b".git" or b"\0" in part for part in parts):
        raise ValueError(f"{path!r} cannot be the path of a file in a store")
    return parts
