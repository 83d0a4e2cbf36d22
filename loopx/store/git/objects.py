"""The objects of a repository, wherever they lie: loose ones by hand, packed ones through Git.

Called by everything in this package that reads or writes history. It knows the kinds of objects and not what a
workspace keeps in them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.store.disk import flush_folder
from loopx.store.git.format import ObjectFormat
from loopx.store.git.loose import Content, Damaged, LooseObjects
from loopx.store.protocol import Oid

if TYPE_CHECKING:
    from loopx.store.git.packed import PackedObjects
    from loopx.store.git.programs import Programs

PACK_ABOVE = 200
"""Objects in one write above which they become a pack."""

_REMEMBERED = 1024


class Objects:
    """Reads and writes the objects of one repository; remembers the trees and commits read last."""

    def __init__(self, git_dir: Path, form: ObjectFormat, programs: Callable[[], Programs], *, durable: bool) -> None:
        self.form = form
        self._folder = git_dir / "objects"
        self._programs = programs
        self._durable = durable
        self._loose = LooseObjects(str(self._folder), form, durable=durable)
        self._recent: OrderedDict[Oid, Content] = OrderedDict()

    def read(self, oid: Oid) -> Content:
        """Kind and content of an object. Raises ``repository-broken`` when it is missing or damaged."""
        found = self._recent.get(oid) or self._read_loose(oid) or self._packed.read(oid)
        if found is None:
            raise _missing(oid)
        if found[0] != "blob":
            self._remember(oid, found)
        return found

    def blob(self, oid: Oid) -> bytes:
        return self._of_kind("blob", oid)

    def tree(self, oid: Oid) -> bytes:
        return self._of_kind("tree", oid)

    def commit(self, oid: Oid) -> bytes:
        return self._of_kind("commit", oid)

    def blobs(self, oids: Iterable[Oid]) -> Iterator[tuple[Oid, bytes]]:
        """Many blobs, in no particular order: the loose ones first, then the packed ones in large batches."""
        elsewhere: list[Oid] = []
        for oid in dict.fromkeys(oids):
            found = self._read_loose(oid)
            if found is None:
                elsewhere.append(oid)
            else:
                yield oid, _checked("blob", oid, found)
        if elsewhere:
            for oid, content in self._packed.read_many(elsewhere):
                if content is None:
                    raise _missing(oid)
                yield oid, _checked("blob", oid, content)

    def write(self, objects: Mapping[Oid, Content]) -> None:
        """Write objects, durably where the store is durable."""
        if len(objects) > PACK_ABOVE:
            self._write_pack(objects)
        else:
            self._loose.write(objects)
        for oid, content in objects.items():
            if content[0] != "blob":
                self._remember(oid, content)

    def close(self) -> None:
        if "_packed" in self.__dict__:
            self._packed.close()

    @cached_property
    def _packed(self) -> PackedObjects:
        from loopx.store.git.packed import PackedObjects

        return PackedObjects(self._programs(), self.form)

    def _read_loose(self, oid: Oid) -> Content | None:
        try:
            return self._loose.read(oid)
        except Damaged:
            # A pack may hold a sound copy; if none does, the object counts as missing.
            return None

    def _of_kind(self, kind: str, oid: Oid) -> bytes:
        return _checked(kind, oid, self.read(oid))

    def _write_pack(self, objects: Mapping[Oid, Content]) -> None:
        from loopx.store.git.pack import write_pack

        write_pack(self._programs(), self.form, objects)
        if self._durable:
            flush_folder(str(self._folder / "pack"))

    def _remember(self, oid: Oid, content: Content) -> None:
        if len(self._recent) >= _REMEMBERED:
            self._recent.popitem(last=False)
        self._recent[oid] = content


def _checked(kind: str, oid: Oid, found: Content) -> bytes:
    if found[0] != kind:
        raise LoopxError("repository-broken", f"Object {oid} is a {found[0]}, not a {kind}.", facts={"oid": oid})
    return found[1]


def _missing(oid: Oid) -> LoopxError:
    return LoopxError("repository-broken", f"Object {oid} is missing or damaged.", facts={"oid": oid})
