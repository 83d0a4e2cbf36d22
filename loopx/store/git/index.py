"""Git's index, kept in step with main so that ``git status`` in ``.loopx/`` stays true.

Called once for each published write. A person's staged files and flags stay as they are; only the paths LoopX wrote
follow main. The index is never what a commit is made from, and another's lock on it is never removed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.model.clock import Clock
from loopx.store.disk import guarded, told, write_all
from loopx.store.git.format import ObjectFormat
from loopx.store.git.index_format import Corrupt, Index, Unsupported, built, parse
from loopx.store.protocol import Entry, Oid
from loopx.store.waiting import Patience, lock_facts

if TYPE_CHECKING:
    from loopx.store.git.programs import Programs

Stamp = tuple[int, int, int, int]
"""What tells one state of the index file from another: inode, change time, modification time, size."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class GitIndex:
    """The index of one repository; remembers it in pieces between two writes of the same process."""

    def __init__(self, git_dir: Path, form: ObjectFormat, clock: Clock, programs: Callable[[], Programs]) -> None:
        self.path = str(git_dir / "index")
        self._git_dir = git_dir
        self._form = form
        self._clock = clock
        self._programs = programs
        self._known: tuple[Stamp, Index] | None = None

    def lock(
        self, changes: Mapping[str, Oid | None], wait_seconds: float, committed: Callable[[], Iterable[Entry]]
    ) -> GitIndexLock:
        """Take the index's lock and prepare the index with ``changes`` in it.

        ``committed`` lists the files of main, for an index that is missing or damaged. Raises ``repository-busy`` when
        somebody else holds the lock longer than ``wait_seconds``.
        """
        lock = f"{self.path}.lock"
        fd = self._take(lock, wait_seconds)
        try:
            pieces, index, replaced = self._prepared(changes, committed)
            with guarded(lock):
                # Not flushed: should a power cut damage it, the next write builds it anew from main.
                write_all(fd, *pieces)
                inode = os.fstat(fd).st_ino
        except BaseException:
            os.unlink(lock)
            self._known = None
            raise
        finally:
            os.close(fd)
        return GitIndexLock(self, lock, inode, index, replaced)

    def remember(self, index: Index | None) -> None:
        """Keep ``index`` as what the file now holds; ``None`` forgets."""
        self._known = None if index is None else (_stamp(os.stat(self.path)), index)

    def _take(self, lock: str, wait_seconds: float) -> int:
        patience = Patience(self._clock, wait_seconds)
        while True:
            try:
                return os.open(lock, _NEW, 0o644)
            except FileExistsError:
                if not patience.is_left():
                    raise self._busy(lock) from None
                patience.wait()
            except OSError as error:
                raise told(error, lock) from error

    def _prepared(
        self, changes: Mapping[str, Oid | None], committed: Callable[[], Iterable[Entry]]
    ) -> tuple[tuple[bytes, ...], Index | None, Mapping[str, Oid]]:
        content: bytes | None = None
        try:
            index = self._remembered()
            if index is None:
                content = self._content()
                index = parse(self._form, content)
        except (FileNotFoundError, Corrupt):
            index = built(self._form, committed())
        except Unsupported:
            return (self._left_to_git(content or b"", changes),), None, {}
        replaced = index.change(changes)
        return index.serialise(), index, replaced

    def _remembered(self) -> Index | None:
        """The index in pieces if the file is still the one we wrote. It is about to change, so it is handed over."""
        known, self._known = self._known, None
        return known[1] if known is not None and _stamp(os.stat(self.path)) == known[0] else None

    def _content(self) -> bytes:
        with open(self.path, "rb") as file:
            return file.read()

    def _left_to_git(self, content: bytes, changes: Mapping[str, Oid | None]) -> bytes:
        from loopx.store.git.index_program import changed_by_git

        return changed_by_git(self._programs(), self._git_dir, content, changes)

    def _busy(self, lock: str) -> LoopxError:
        facts = lock_facts(lock, self._clock)
        sentence = f"Git's index is locked by {lock}, made {facts['age_seconds']} s ago."
        return LoopxError("repository-busy", sentence, facts=facts)


class GitIndexLock:
    """The prepared index under its lock. Exactly one of :meth:`commit` and :meth:`abandon` ends it."""

    def __init__(
        self, owner: GitIndex, lock: str, inode: int, index: Index | None, replaced: Mapping[str, Oid]
    ) -> None:
        self._owner = owner
        self._lock = lock
        self._inode = inode
        self._index = index
        self.replaced = replaced

    @property
    def inode(self) -> int:
        return self._inode

    def commit(self) -> None:
        """Put the prepared index into place. Raises ``repository-busy`` when the lock was taken away meanwhile."""
        if not self._is_ours():
            raise LoopxError("repository-busy", f"{self._lock} was taken away; the index is behind main.")
        with guarded(self._owner.path):
            os.rename(self._lock, self._owner.path)
        self._owner.remember(self._index)

    def abandon(self) -> None:
        """Give the lock up; the index stays as it was."""
        if self._is_ours():
            os.unlink(self._lock)

    def _is_ours(self) -> bool:
        try:
            return os.stat(self._lock).st_ino == self._inode
        except FileNotFoundError:
            return False


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_ino, found.st_ctime_ns, found.st_mtime_ns, found.st_size
