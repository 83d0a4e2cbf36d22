"""What a store must do: hold trees of files as commits, and move one reference by compare-and-swap.

Paths are relative to ``.loopx/`` with ``/``; oids are lower-case hexadecimal. A store knows nothing of YAML or rules.
Two stores keep this contract and share one conformance suite: Git (:mod:`loopx.store.git`) and memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import NamedTuple, Protocol

Oid = str


class Signature(NamedTuple):
    """A person or agent as Git names one."""

    name: str
    email: str


class Draft(NamedTuple):
    """A commit to be: paths to new contents (``None`` removes) on top of its base, and the message around it."""

    changes: Mapping[str, bytes | None]
    message: str
    author: Signature
    committer: Signature
    at: datetime
    extra_parents: tuple[Oid, ...] = ()


class Written(NamedTuple):
    """A commit whose objects are on disk but which no reference names yet. ``blobs``: oid of each changed path."""

    oid: Oid
    tree: Oid
    blobs: Mapping[str, Oid | None]


class Entry(NamedTuple):
    """A file in a tree."""

    path: str
    oid: Oid
    mode: int


class PathChange(NamedTuple):
    """What one commit (or two trees) did to one path; ``None`` means the path is absent on that side."""

    path: str
    before: Oid | None
    after: Oid | None


class Commit(NamedTuple):
    """A commit as history tells it. ``changes`` are against the first parent and only filled where asked for."""

    oid: Oid
    tree: Oid
    parents: tuple[Oid, ...]
    author: Signature
    authored_at: datetime
    committed_at: datetime
    message: str
    changes: tuple[PathChange, ...] = ()


class IndexLock(Protocol):
    """The store's index, prepared with the new contents and locked; a store without an index has a do-nothing one."""

    @property
    def inode(self) -> int:
        """The lock file's inode, for the journal; 0 where there is none."""
        ...

    @property
    def replaced(self) -> Mapping[str, Oid]:
        """What the index held for the changed paths, where that can be told: shows what a person had staged."""
        ...

    def commit(self) -> None:
        """Put the prepared index into place."""
        ...

    def abandon(self) -> None:
        """Give the lock up and leave the index as it was."""
        ...


class Store(Protocol):
    """Commits of files, and two references: ``main`` (the truth) and ``admitted`` (last accepted)."""

    def head(self) -> Oid | None:
        """The commit main names; ``None`` before the first."""
        ...

    def admitted(self) -> Oid | None: ...

    def busy(self) -> str | None:
        """The foreign operation in progress, in words (merge, rebase, detached HEAD, another branch …)."""
        ...

    def read(self, oid: Oid) -> bytes:
        """The contents of a blob. Raises ``repository-broken`` when it is not there."""
        ...

    def read_many(self, oids: Iterable[Oid]) -> Iterator[tuple[Oid, bytes]]: ...

    def find(self, commit: Oid, path: str) -> Entry | None:
        """The file at ``path`` in ``commit``."""
        ...

    def listing(self, commit: Oid, under: str = "") -> Iterator[Entry]:
        """Every file of ``commit`` below the folder ``under``, in path order."""
        ...

    def tree_digest(self, commit: Oid, paths: Iterable[str]) -> str:
        """A digest over exactly these paths and their contents in ``commit``, equal when and only when they are."""
        ...

    def hash(self, content: bytes) -> Oid:
        """The oid ``content`` has as a blob; writes nothing."""
        ...

    def keep(self, contents: Iterable[bytes]) -> list[Oid]:
        """Write blobs (durably) and return their oids."""
        ...

    def write(self, base: Oid | None, drafts: Sequence[Draft]) -> list[Written]:
        """Write a chain of commits on ``base``, durably, each on the one before. Moves no reference."""
        ...

    def publish(self, new: Oid, expected: Oid | None) -> None:
        """Compare-and-swap main. Raises ``head-moved`` when main is not ``expected``."""
        ...

    def admit(self, new: Oid) -> None:
        """Move ``admitted``."""
        ...

    def lock_index(self, changes: Mapping[str, Oid | None], wait_seconds: float) -> IndexLock:
        """Prepare the index with ``changes``. Raises ``repository-busy`` when somebody else holds it too long."""
        ...

    def resolve(self, name: str) -> Oid:
        """The commit ``name`` (an oid, a prefix, ``HEAD~2`` …) stands for; raises ``revision-unknown``."""
        ...

    def is_ancestor(self, old: Oid, new: Oid) -> bool: ...

    def history(
        self, new: Oid, old: Oid | None = None, *, changes: bool = False, limit: int | None = None
    ) -> Iterator[Commit]:
        """Commits reachable from ``new`` and not from ``old`` along first parents, newest first."""
        ...

    def compare(self, old: Oid | None, new: Oid) -> list[PathChange]:
        """What differs between two commits' trees, in path order."""
        ...

    def anchor(self, name: str, oid: Oid | None) -> None:
        """Keep ``oid`` reachable as ``refs/loopx/<name>``, or drop that reference."""
        ...

    def run_hook(self, name: str, timeout_seconds: float) -> None:
        """Run a hook of the repository if there is one. Raises ``hook-refused``."""
        ...

    def lock(self, wait_seconds: float, purpose: str) -> AbstractContextManager[None]:
        """The workspace's one lock, released by the kernel when the process dies. Raises ``lock-held``."""
        ...

    def close(self) -> None:
        """End helper processes."""
        ...
