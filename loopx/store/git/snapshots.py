"""Snapshots of the project's files in the workspace's own repository: commits without parents under references of
their own. They are no part of history, no branch holds them, and they are never pushed.

Called by the loop, which decides what is in one and when it goes. The project's own repository is never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from loopx.errors import LoopxError
from loopx.store.git import snapshot
from loopx.store.git.commits import parse, serialise
from loopx.store.git.loose import Content
from loopx.store.git.objects import Objects
from loopx.store.git.references import References
from loopx.store.git.scoped import Entries
from loopx.store.git.trees import FOLDER, Tree, encoded
from loopx.store.git.trees import serialise as serialised_tree
from loopx.store.protocol import Draft, Oid, Signature

if TYPE_CHECKING:
    from loopx.store.git.format import ObjectFormat
    from loopx.store.git.programs import Programs

ROOT = "refs/loopx/snapshots/"
_AUTHOR = Signature("LoopX", "loopx@agents.invalid")
_AT_ONCE = 16 << 20
"""Bytes of content that are held before they are written."""


class Named(NamedTuple):
    """A reference to a snapshot; ``name`` is what follows ``refs/loopx/snapshots/``."""

    name: str
    oid: Oid
    at: datetime


class Snapshots:
    """The snapshots of one repository."""

    def __init__(self, objects: Objects, references: References, programs: Callable[[], Programs]) -> None:
        self._objects = objects
        self._references = references
        self._programs = programs

    @property
    def form(self) -> ObjectFormat:
        """How blobs are named here."""
        return self._objects.form

    def tree_of(self, entries: Entries) -> Oid:
        """The tree that ``entries`` are; writes nothing."""
        return _grown(self._objects.form, entries)[0]

    def write(self, entries: Entries, message: str, at: datetime) -> Oid:
        """A commit of ``entries``, whose blobs are there already. No reference names it yet."""
        tree, made = _grown(self._objects.form, entries)
        content = serialise(Draft({}, message, _AUTHOR, _AUTHOR, at), tree, ())
        oid = self._objects.form.oid("commit", content)
        self._objects.write({**made, oid: ("commit", content)})
        return oid

    def keeper(self, known: Iterable[Oid] = ()) -> Keeper:
        """Something to hand contents to, which writes those that are not ``known``."""
        return Keeper(self._objects, set(known))

    def name(self, name: str, oid: Oid | None) -> None:
        """Let a reference name a snapshot; ``None`` drops it."""
        self._references.put(f"{ROOT}{name}", oid)

    def named(self, under: str = "") -> list[Named]:
        """The snapshots below a name, in order of their names."""
        form = "--format=%(objectname) %(committerdate:unix) %(refname)"
        answer = self._programs().run("list snapshots", "for-each-ref", form, f"{ROOT}{under}")
        rows = (line.split(" ", 2) for line in answer.output.decode("utf-8", "surrogateescape").splitlines())
        return [
            Named(name.removeprefix(ROOT), oid, datetime.fromtimestamp(int(at or 0), UTC)) for oid, at, name in rows
        ]

    def tree(self, oid: Oid) -> Oid:
        """The tree of a snapshot. Raises ``snapshot-unknown``."""
        return parse(oid, self._commit(oid)).tree

    def message(self, oid: Oid) -> str:
        return parse(oid, self._commit(oid)).message

    def entries(self, oid: Oid) -> Entries:
        """What a snapshot holds. Raises ``snapshot-unknown``."""
        self._commit(oid)
        return {each.path: (each.mode, each.oid) for each in snapshot.listing(self._objects, oid, "")}

    def contents(self, oids: Iterable[Oid]) -> Iterator[tuple[Oid, bytes]]:
        """Blobs, in no particular order."""
        return self._objects.blobs(oids)

    def drop_before(self, moment: datetime, kept: Callable[[str], bool]) -> list[str]:
        """Drop the references to snapshots older than ``moment``, but for those ``kept`` by name; returns their names.
        What only they named goes when Git next tidies up."""
        old = [each.name for each in self.named() if each.at < moment and not kept(each.name)]
        for each in old:
            self.name(each, None)
        return old

    def _commit(self, oid: Oid) -> bytes:
        try:
            return self._objects.commit(oid)
        except LoopxError as error:
            raise LoopxError("snapshot-unknown", f"There is no snapshot {oid}.", facts={"snapshot": oid}) from error


class Keeper:
    """Writes contents in batches; :meth:`finish` writes the last."""

    def __init__(self, objects: Objects, known: set[Oid]) -> None:
        self._objects = objects
        self._known = known
        self._held: dict[Oid, Content] = {}
        self._size = 0

    def keep(self, oid: Oid, content: bytes) -> None:
        """Take in the blob ``oid``."""
        if oid in self._known:
            return
        self._known.add(oid)
        self._held[oid] = ("blob", content)
        self._size += len(content)
        if self._size > _AT_ONCE:
            self.finish()

    def finish(self) -> None:
        held, self._held, self._size = self._held, {}, 0
        if held:
            self._objects.write(held)


def _grown(form: ObjectFormat, entries: Entries) -> tuple[Oid, Mapping[Oid, Content]]:
    """The root tree of ``entries``, and every tree there is in it."""
    made: dict[Oid, Content] = {}
    folders: dict[bytes, Tree] = {b"": {}}
    for path, (mode, oid) in entries.items():
        above, _, name = encoded(path).rpartition(b"/")
        _folder(folders, above)[name] = (b"%o" % mode, bytes.fromhex(oid))
    root = ""
    for folder in sorted(folders, key=lambda each: -each.count(b"/") if each else 1):  # the root comes last
        content = serialised_tree(folders[folder])
        root = form.oid("tree", content)
        made[root] = ("tree", content)
        if folder:
            above, _, name = folder.rpartition(b"/")
            folders[above][name] = (FOLDER, bytes.fromhex(root))
    return root, made


def _folder(folders: dict[bytes, Tree], path: bytes) -> Tree:
    """The folder at ``path``, with all those above it."""
    if path not in folders:
        folders[path] = {}
        _folder(folders, path.rpartition(b"/")[0])
    return folders[path]
