"""Reading the tree of one commit, and what differs between two.

Called for every look-up of a file in history. Each function reads only the folders it must; two equal folders are
never opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loopx.store.digest import digest_of
from loopx.store.git.objects import Objects
from loopx.store.git.trees import FOLDER, Row, Tree, decoded, encoded, parse
from loopx.store.protocol import Entry, Oid, PathChange

_NOTHING: Tree = {}


def tree_of(objects: Objects, commit: Oid) -> Oid:
    """The root tree of a commit."""
    line, _, _ = objects.commit(commit).partition(b"\n")
    return line.removeprefix(b"tree ").decode()


def find(objects: Objects, commit: Oid, path: str) -> Entry | None:
    """The file at ``path`` in ``commit``; a folder is none."""
    row = _row(objects, tree_of(objects, commit), path)
    return None if row is None or row[0] == FOLDER else _entry(path, row)


def listing(objects: Objects, commit: Oid, under: str) -> Iterator[Entry]:
    """Every file of ``commit`` below the folder ``under``, in path order."""
    tree = tree_of(objects, commit)
    if not under.strip("/"):
        yield from _files(objects, tree, b"")
        return
    row = _row(objects, tree, under.strip("/"))
    if row is not None and row[0] == FOLDER:
        yield from _files(objects, row[1].hex(), encoded(under.strip("/")) + b"/")


def tree_digest(objects: Objects, commit: Oid, paths: Iterable[str]) -> str:
    """A digest over these paths and their contents."""
    found = ((path, find(objects, commit, path)) for path in paths)
    return digest_of((path, None if entry is None else entry.oid) for path, entry in found)


def compare(objects: Objects, old: Oid | None, new: Oid | None) -> list[PathChange]:
    """What differs between two root trees, in path order; a change of mode alone has equal sides."""
    found = list(_differences(objects, old, new, b""))
    found.sort(key=lambda change: encoded(change.path))
    return found


def _row(objects: Objects, tree: Oid, path: str) -> Row | None:
    row: Row | None = (FOLDER, bytes.fromhex(tree))
    for part in encoded(path).split(b"/"):
        if row is None or row[0] != FOLDER:
            return None
        row = _rows(objects, row[1].hex()).get(part)
    return row


def _rows(objects: Objects, tree: Oid | None) -> Tree:
    return _NOTHING if tree is None else parse(objects.form, objects.tree(tree))


def _entry(path: str, row: Row) -> Entry:
    return Entry(path, row[1].hex(), int(row[0], 8))


def _files(objects: Objects, tree: Oid, above: bytes) -> Iterator[Entry]:
    for name, row in _rows(objects, tree).items():
        if row[0] == FOLDER:
            yield from _files(objects, row[1].hex(), above + name + b"/")
        else:
            yield _entry(decoded(above + name), row)


def _differences(objects: Objects, old: Oid | None, new: Oid | None, above: bytes) -> Iterator[PathChange]:
    if old == new:
        return
    before, after = _rows(objects, old), _rows(objects, new)
    for name in {**before, **after}:
        left, right = before.get(name), after.get(name)
        if left == right:
            continue
        yield from _differences(objects, _folder(left), _folder(right), above + name + b"/")
        left_file, right_file = _file(left), _file(right)
        if left_file != right_file or (left_file and left != right):
            yield PathChange(decoded(above + name), left_file, right_file)


def _folder(row: Row | None) -> Oid | None:
    return row[1].hex() if row is not None and row[0] == FOLDER else None


def _file(row: Row | None) -> Oid | None:
    return row[1].hex() if row is not None and row[0] != FOLDER else None
