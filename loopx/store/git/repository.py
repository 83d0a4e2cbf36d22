"""The Git store: the store's contract, each promise handed to the module that keeps it.

Called by the workspace, which is the only one that publishes. Nothing here decides anything; nothing here knows YAML.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from loopx.model.clock import Clock
from loopx.store.disk import flush_folder
from loopx.store.git.busy import foreign_operation
from loopx.store.git.environment import Limits
from loopx.store.git.layout import find_git_dir, is_foreign
from loopx.store.git.references import ADMITTED, MAIN, References
from loopx.store.git.settings import Settings

if TYPE_CHECKING:
    from loopx.store.git.history import History
    from loopx.store.git.index import GitIndex, GitIndexLock
    from loopx.store.git.objects import Objects
    from loopx.store.git.programs import Programs
    from loopx.store.git.snapshots import Snapshots
    from loopx.store.git.walk import Walk
    from loopx.store.git.writing import Sign
    from loopx.store.protocol import Commit, Draft, Entry, Oid, PathChange, Written


class GitStore:
    """The history of the workspace in ``root`` (its ``.loopx`` folder).

    ``durable`` flushes what is written before it is reported; ``run_hooks`` lets the repository's hooks run. Raises
    ``repository-broken`` when there is no repository. Safe for several threads; :meth:`close` it after use.
    """

    def __init__(
        self, root: Path, *, clock: Clock, durable: bool = True, run_hooks: bool = True, limits: Limits | None = None
    ) -> None:
        self.root = Path(os.path.realpath(root))
        self.git_dir = find_git_dir(self.root)
        self._clock = clock
        self._durable = durable
        self._run_hooks = run_hooks
        self._limits = limits or Limits()
        self._settings = Settings(self.git_dir, self._programs)
        self._form = self._settings.object_format()
        self._references = References(
            self.git_dir, self._programs, clock, durable=durable, seconds=self._limits.references
        )

    # references ------------------------------------------------------------------------------

    def head(self) -> Oid | None:
        return self._references.read(MAIN)

    def admitted(self) -> Oid | None:
        return self._references.read(ADMITTED)

    def busy(self) -> str | None:
        return foreign_operation(self.git_dir, self._references)

    def publish(self, new: Oid, expected: Oid | None) -> None:
        self._references.swap(MAIN, new, expected)

    def admit(self, new: Oid) -> None:
        self._references.put(ADMITTED, new)

    def anchor(self, name: str, oid: Oid | None) -> None:
        self._references.put(f"refs/loopx/{name}", oid)

    # contents --------------------------------------------------------------------------------

    def read(self, oid: Oid) -> bytes:
        return self._objects.blob(oid)

    def read_many(self, oids: Iterable[Oid]) -> Iterator[tuple[Oid, bytes]]:
        return self._objects.blobs(oids)

    def find(self, commit: Oid, path: str) -> Entry | None:
        from loopx.store.git import snapshot

        return snapshot.find(self._objects, commit, path)

    def listing(self, commit: Oid, under: str = "") -> Iterator[Entry]:
        from loopx.store.git import snapshot

        return snapshot.listing(self._objects, commit, under)

    def tree_digest(self, commit: Oid, paths: Iterable[str]) -> str:
        from loopx.store.git import snapshot

        return snapshot.tree_digest(self._objects, commit, paths)

    def hash(self, content: bytes) -> Oid:
        return self._form.oid("blob", content)

    def keep(self, contents: Iterable[bytes]) -> list[Oid]:
        self._check_owner()
        named = [(self.hash(content), content) for content in contents]
        self._objects.write({oid: ("blob", content) for oid, content in named})
        return [oid for oid, _ in named]

    def write(self, base: Oid | None, drafts: Sequence[Draft]) -> list[Written]:
        from loopx.store.git.writing import Writer

        self._check_owner()
        return Writer(self._objects, self._signer()).write(base, drafts)

    # history ---------------------------------------------------------------------------------

    def resolve(self, name: str) -> Oid:
        return self._walk.resolve(name)

    def is_ancestor(self, old: Oid, new: Oid) -> bool:
        return self._walk.is_ancestor(old, new)

    def history(
        self, new: Oid, old: Oid | None = None, *, changes: bool = False, limit: int | None = None
    ) -> Iterator[Commit]:
        return self._walk.history(new, old, changes=changes, limit=limit)

    def compare(self, old: Oid | None, new: Oid) -> list[PathChange]:
        from loopx.store.git import snapshot

        before = None if old is None else snapshot.tree_of(self._objects, old)
        return snapshot.compare(self._objects, before, snapshot.tree_of(self._objects, new))

    def patch(self, old: Oid | None, new: Oid, paths: Sequence[str] = ()) -> str:
        """The unified difference between two commits over ``paths``, or all; ``old`` ``None`` stands for nothing."""
        return self._history.patch(old or self._form.oid("tree", b""), new, paths)

    # around a write --------------------------------------------------------------------------

    def lock_index(self, changes: Mapping[str, Oid | None], wait_seconds: float) -> GitIndexLock:
        return self._index.lock(changes, wait_seconds, self._committed)

    def run_hook(self, name: str, timeout_seconds: float) -> None:
        if self._run_hooks:
            from loopx.store.git.hooks import Hooks

            Hooks(self.root, self.git_dir, self._settings, self._programs).run(name, timeout_seconds)

    def lock(self, wait_seconds: float, purpose: str) -> AbstractContextManager[None]:
        from loopx.store.lock import WorkspaceLock

        return WorkspaceLock(self.root, self._clock).held(wait_seconds, purpose)

    # looking after it ------------------------------------------------------------------------

    def config(self, key: str) -> str | None:
        """A setting of this repository itself (``section.name``); global ones are not looked at."""
        return self._settings.get(key)

    def fsck(self) -> list[str]:
        """What Git's own check finds wrong, a line each; empty when all is well."""
        answer = self._programs().run(
            "check the repository", "fsck", "--strict", "--no-dangling", "--no-progress", accept=range(256)
        )
        said = (answer.words + answer.output.decode("utf-8", "replace")).splitlines()
        # A notice tells of an empty repository, which is no fault.
        return [line for line in said if line and not line.startswith("notice:")]

    def hidden_paths(self) -> list[str]:
        """Files whose changes Git was told not to show (skip-worktree, assume-unchanged)."""
        listed = self._programs().run("list the index", "ls-files", "-v", "-z").output
        rows = (row for row in listed.decode("utf-8", "surrogateescape").split("\0") if row)
        return [row[2:] for row in rows if row[0] == "S" or row[0].islower()]

    def index_differences(self) -> list[PathChange]:
        """Lines of Git's index that are not what main holds: ``before`` on main, ``after`` in the index."""
        from loopx.store.git.index_compared import differences

        head = self.head()
        return [] if head is None else differences(self._programs(), head)

    def close(self) -> None:
        if "_objects" in self.__dict__:
            self._objects.close()
        self._references.close()
        if "_history" in self.__dict__:
            self._history.close()

    @cached_property
    def snapshots(self) -> Snapshots:
        """Snapshots of the project's files, beside history."""
        from loopx.store.git.snapshots import Snapshots

        return Snapshots(self._objects, self._references, self._programs)

    # parts made when needed ------------------------------------------------------------------

    def _programs(self) -> Programs:
        return self._git

    @cached_property
    def _objects(self) -> Objects:
        from loopx.store.git.objects import Objects

        return Objects(self.git_dir, self._form, self._programs, durable=self._durable)

    @cached_property
    def _index(self) -> GitIndex:
        from loopx.store.git.index import GitIndex

        return GitIndex(self.git_dir, self._form, self._clock, self._programs)

    @cached_property
    def _walk(self) -> Walk:
        from loopx.store.git.walk import Walk

        return Walk(self.git_dir, self._objects, self._programs)

    @cached_property
    def _git(self) -> Programs:
        from loopx.store.git.programs import Programs

        return Programs(self.root, durable=self._durable, run_hooks=self._run_hooks, limits=self._limits)

    @cached_property
    def _history(self) -> History:
        from loopx.store.git.history import History

        return History(self.root, self.git_dir)

    def _committed(self) -> Iterable[Entry]:
        head = self.head()
        return () if head is None else self.listing(head)

    def _check_owner(self) -> None:
        """Let Git say whether a repository of somebody else may be written to. Raises ``repository-owner``."""
        if is_foreign(self.git_dir):
            self._programs().run("open the repository", "rev-parse", "--git-dir")

    def _signer(self) -> Sign | None:
        return self._signed if self._settings.is_on("commit.gpgsign") else None

    def _signed(self, draft: Draft, tree: Oid, parents: Sequence[Oid]) -> Oid:
        from loopx.store.git.signing import signed_commit

        oid = signed_commit(self._programs(), draft, tree, parents, self._limits.signing)
        if self._durable:
            flush_folder(str(self.git_dir / "objects" / oid[:2]))
        return oid
