"""Loose objects: one compressed file an object, read and written by hand.

Called by :mod:`loopx.store.git.objects`. An object appears under its name only once its whole content is on disk, so
another process never sees half of one. It knows neither packs nor what objects mean.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Mapping

from loopx.model.defining import dataclass
from loopx.store.disk import flush_files, flush_folders, guarded, temporary_name, write_all
from loopx.store.git.format import ObjectFormat, header
from loopx.store.protocol import Oid

Content = tuple[str, bytes]
"""An object's kind (blob, tree, commit) and content."""

_FAST, _SMALL = 1, 16_384
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_TEMPORARY = "tmp_obj_"
"""The prefix Git gives its own unfinished objects, so that its housekeeping clears ours as well."""


class Damaged(Exception):
    """The file of a loose object does not hold the object it is named after."""


@dataclass(frozen=True, slots=True)
class _Staged:
    """An object in a temporary file beside its place."""

    fd: int
    temporary: str
    target: str


class LooseObjects:
    """The loose objects of one repository."""

    def __init__(self, folder: str, form: ObjectFormat, *, durable: bool) -> None:
        self._folder = folder
        self._form = form
        self._durable = durable

    def read(self, oid: Oid) -> Content | None:
        """An object, or ``None`` where it is not loose. Raises :class:`Damaged`."""
        try:
            with open(self._path(oid), "rb") as file:
                packed = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            whole = zlib.decompress(packed)
        except zlib.error as error:
            raise Damaged(oid) from error
        if self._form.hasher(whole).hexdigest() != oid:
            raise Damaged(oid)
        head, _, content = whole.partition(b"\0")
        return head.partition(b" ")[0].decode(), content

    def write(self, objects: Mapping[Oid, Content]) -> None:
        """Write objects; when durable, they and their names are on disk afterwards.

        Either every object is in place or, after an error of the disk, none of them and no temporary file.
        """
        staged: list[_Staged] = []
        with guarded(self._folder):
            try:
                grown = self._make_folders(objects)
                beside = os.path.dirname(self._path(next(iter(objects)))) if objects else self._folder
                for oid, (kind, content) in objects.items():
                    if not self._holds(oid):
                        staged.append(self._stage(beside, oid, header(kind, content) + content))
                self._put_into_place(staged)
            except BaseException:
                _forget(staged)
                raise
            if self._durable:
                flush_folders(sorted(grown))

    def _path(self, oid: Oid) -> str:
        return f"{self._folder}/{oid[:2]}/{oid[2:]}"

    def _holds(self, oid: Oid) -> bool:
        # A power cut may have left a file with the right name and no content: it is written again.
        try:
            return self.read(oid) is not None
        except Damaged:
            return False

    def _stage(self, folder: str, oid: Oid, whole: bytes) -> _Staged:
        target = self._path(oid)
        # All in one folder of objects, where Git puts its own: a file system looks longest for room where the folders
        # themselves lie, and makes new files in many folders at several times the cost.
        temporary = f"{folder}/{temporary_name(_TEMPORARY)}"
        one = _Staged(os.open(temporary, _NEW, 0o444), temporary, target)
        try:
            write_all(one.fd, _deflated(whole))
        except BaseException:
            _forget([one])
            raise
        return one

    def _put_into_place(self, staged: list[_Staged]) -> None:
        if self._durable:
            flush_files([one.fd for one in staged])
        for one in staged:
            os.rename(one.temporary, one.target)
        for one in staged:
            os.close(one.fd)

    def _make_folders(self, oids: Iterable[Oid]) -> set[str]:
        """Make what folders are missing; returns every folder whose names will have changed."""
        folders = {os.path.dirname(self._path(oid)) for oid in oids}
        missing = [folder for folder in folders if not os.path.isdir(folder)]
        for folder in missing:
            os.makedirs(folder, exist_ok=True)
        return {*folders, self._folder} if missing else folders


def _deflated(whole: bytes) -> bytes:
    """``whole`` compressed. For a small object setting the compressor up is all the work, so it gets a small one."""
    if len(whole) > _SMALL:
        return zlib.compress(whole, _FAST)
    packer = zlib.compressobj(_FAST, zlib.DEFLATED, 12, 5)
    return packer.compress(whole) + packer.flush()


def _forget(staged: list[_Staged]) -> None:
    for one in staged:
        try:
            os.close(one.fd)
        except OSError:
            pass
        try:
            os.unlink(one.temporary)
        except OSError:
            pass
