"""Git's tree objects: taken apart, put together, and changed path by path.

Called by the writer and by everything that looks a file up. A change touches only the folders above it, so its cost
does not grow with the number of files elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cache

from loopx.model.defining import dataclass
from loopx.store.git.format import ObjectFormat
from loopx.store.protocol import Oid

Row = tuple[bytes, bytes]
"""Mode (octal digits) and raw oid of one name."""
Tree = dict[bytes, Row]
"""Names to rows."""

FOLDER = b"40000"
FILE = b"100644"
_FILES = frozenset({b"100644", b"100755"})


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


@dataclass(slots=True)
class _Change:
    """What happens at one name: to the file of that name, and below the folder of that name."""

    row: Row | None = None
    is_removed: bool = False
    below: dict[bytes, _Change] = field(default_factory=dict)


class Graft:
    """New trees made from old ones. ``made`` holds the content of every tree that did not exist before."""

    def __init__(self, form: ObjectFormat, read: Callable[[Oid], bytes]) -> None:
        self._form = form
        self._read = read
        self.made: dict[Oid, bytes] = {}

    def apply(self, base: Oid | None, changes: Mapping[str, Oid | None]) -> Oid:
        """The root tree that is ``base`` with ``changes`` (path to blob; ``None`` removes).

        The mode of an existing file stays; a new file takes the place of a folder, and the other way round. Raises
        :class:`ValueError` for a path that cannot be in a tree.
        """
        root = self._changed(base, _nested(changes))
        return self._keep({}) if root is None else root

    def _changed(self, base: Oid | None, changes: Mapping[bytes, _Change]) -> Oid | None:
        """The changed folder; ``None`` when nothing is left in it."""
        before = {} if base is None else parse(self._form, self._load(base))
        tree = dict(before)
        for name, change in changes.items():
            if change.is_removed and name in tree and tree[name][0] != FOLDER:
                del tree[name]
            if change.below:
                self._change_folder(tree, name, change.below)
            if change.row is not None:
                mode, _ = tree.get(name, change.row)
                tree[name] = (mode if mode in _FILES else FILE, change.row[1])
        if not tree:
            return None
        return base if base is not None and tree == before else self._keep(tree)

    def _change_folder(self, tree: Tree, name: bytes, changes: Mapping[bytes, _Change]) -> None:
        mode, raw = tree.get(name, (b"", b""))
        made = self._changed(raw.hex() if mode == FOLDER else None, changes)
        if made is not None:
            tree[name] = (FOLDER, bytes.fromhex(made))
        elif mode == FOLDER:
            del tree[name]

    def _load(self, oid: Oid) -> bytes:
        made = self.made.get(oid)
        return self._read(oid) if made is None else made

    def _keep(self, tree: Tree) -> Oid:
        content = serialise(tree)
        oid = self._form.oid("tree", content)
        self.made[oid] = content
        return oid


def _nested(changes: Mapping[str, Oid | None]) -> Mapping[bytes, _Change]:
    root = _Change()
    for path, oid in changes.items():
        here = root
        for part in _parts(path):
            if oid is not None and here.row is not None:
                raise ValueError(f"{path!r} lies below a file of the same change")
            here = here.below.setdefault(part, _Change())
        if oid is None:
            here.is_removed = True
        else:
            here.row = (FILE, bytes.fromhex(oid))
            if _adds(here.below):
                raise ValueError(f"{path!r} is a folder in the same change")
    return root.below


def _adds(changes: Mapping[bytes, _Change]) -> bool:
    return any(change.row is not None or _adds(change.below) for change in changes.values())


def _parts(path: str) -> list[bytes]:
    parts = encoded(path).split(b"/")
    if any(part in (b"", b".", b"..") or part.lower() == b".git" or b"\0" in part for part in parts):
        raise ValueError(f"{path!r} cannot be the path of a file in a store")
    return parts
