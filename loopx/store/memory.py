"""The memory store: the store's contract kept by dictionaries.

Used by tests and by whoever wants to try something without a disk. It shares no code with the Git store beyond names of
contents, so that each can be held against the other.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice

from loopx.errors import LoopxError
from loopx.model.clock import Clock
from loopx.model.defining import dataclass
from loopx.model.times import format_instant
from loopx.store.digest import digest_of
from loopx.store.protocol import Commit, Draft, Entry, Oid, PathChange, Written

_MODE = 0o100644
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class _Held:
    """A commit with every file of its tree by path."""

    commit: Commit
    files: Mapping[str, Oid]


class NoIndexLock:
    """What a store without an index locks: nothing."""

    inode = 0
    replaced: Mapping[str, Oid] = {}

    def commit(self) -> None:
        """There is no index to put into place."""

    def abandon(self) -> None:
        """There is no lock to give up."""


class MemoryStore:
    """A store that forgets everything at the end of its process. Hooks never run: there are none."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._blobs: dict[Oid, bytes] = {}
        self._commits: dict[Oid, _Held] = {}
        self._references: dict[str, Oid] = {}
        self._moving = threading.Lock()
        self._workspace = threading.Lock()
        self._holder: dict[str, object] = {}

    # references ------------------------------------------------------------------------------

    def head(self) -> Oid | None:
        return self._references.get("main")

    def admitted(self) -> Oid | None:
        return self._references.get("admitted")

    def busy(self) -> str | None:
        return None

    def publish(self, new: Oid, expected: Oid | None) -> None:
        with self._moving:
            actual = self.head()
            if actual not in (expected, new):
                raise LoopxError("head-moved", "main is not where it was.", facts={"actual": actual})
            self._references["main"] = self._held(new).commit.oid

    def admit(self, new: Oid) -> None:
        self.anchor("admitted", new)

    def anchor(self, name: str, oid: Oid | None) -> None:
        if oid is None:
            self._references.pop(name, None)
        else:
            self._references[name] = oid

    # contents --------------------------------------------------------------------------------

    def read(self, oid: Oid) -> bytes:
        try:
            return self._blobs[oid]
        except KeyError:
            raise LoopxError("repository-broken", f"Object {oid} is missing.", facts={"oid": oid}) from None

    def read_many(self, oids: Iterable[Oid]) -> Iterator[tuple[Oid, bytes]]:
        return ((oid, self.read(oid)) for oid in dict.fromkeys(oids))

    def find(self, commit: Oid, path: str) -> Entry | None:
        oid = self._held(commit).files.get(path)
        return None if oid is None else Entry(path, oid, _MODE)

    def listing(self, commit: Oid, under: str = "") -> Iterator[Entry]:
        above = f"{under.strip('/')}/" if under.strip("/") else ""
        files = self._held(commit).files
        return (Entry(path, files[path], _MODE) for path in sorted(files) if path.startswith(above))

    def tree_digest(self, commit: Oid, paths: Iterable[str]) -> str:
        files = self._held(commit).files
        return digest_of((path, files.get(path)) for path in paths)

    def hash(self, content: bytes) -> Oid:
        return _named(b"blob %d\0" % len(content), content)

    def keep(self, contents: Iterable[bytes]) -> list[Oid]:
        return [self._keep(content) for content in contents]

    def write(self, base: Oid | None, drafts: Sequence[Draft]) -> list[Written]:
        tip = base
        written: list[Written] = []
        for draft in drafts:
            blobs = {path: None if new is None else self._keep(new) for path, new in draft.changes.items()}
            files = _changed({} if tip is None else self._held(tip).files, blobs)
            commit = _commit(draft, files, [*(() if tip is None else (tip,)), *draft.extra_parents])
            self._commits[commit.oid] = _Held(commit, files)
            tip = commit.oid
            written.append(Written(tip, commit.tree, blobs))
        return written

    # history ---------------------------------------------------------------------------------

    def resolve(self, name: str) -> Oid:
        base, _, steps = name.strip().partition("~")
        oid: Oid | None = self.head() if base in ("HEAD", "@", "main") else self._expanded(base)
        for _ in range(int(steps) if steps.isdigit() else 0):
            parents = () if oid is None else self._held(oid).commit.parents
            oid = parents[0] if parents else None
        if oid is None:
            raise LoopxError("revision-unknown", f"No commit answers to {name!r}.", facts={"revision": name})
        return oid

    def is_ancestor(self, old: Oid, new: Oid) -> bool:
        waiting, seen = [new], set[Oid]()
        while waiting:
            oid = waiting.pop()
            if oid == old:
                return True
            if oid not in seen:
                seen.add(oid)
                waiting.extend(self._held(oid).commit.parents)
        return False

    def history(
        self, new: Oid, old: Oid | None = None, *, changes: bool = False, limit: int | None = None
    ) -> Iterator[Commit]:
        known = set() if old is None else {commit.oid for commit in self._chain(old)}
        found = (commit for commit in self._chain(new) if commit.oid not in known)
        for commit in islice(found, limit):
            yield self._with_changes(commit) if changes else commit

    def compare(self, old: Oid | None, new: Oid) -> list[PathChange]:
        before = {} if old is None else self._held(old).files
        return _differences(before, self._held(new).files)

    # around a write --------------------------------------------------------------------------

    def lock_index(self, changes: Mapping[str, Oid | None], wait_seconds: float) -> NoIndexLock:
        return NoIndexLock()

    def run_hook(self, name: str, timeout_seconds: float) -> None:
        """There are no hooks to run."""

    @contextmanager
    def lock(self, wait_seconds: float, purpose: str) -> Iterator[None]:
        if not self._workspace.acquire(timeout=max(0.0, wait_seconds)):
            sentence = "The workspace lock is held by {command} since {since}.".format(**self._holder)
            raise LoopxError("lock-held", sentence, facts=self._holder)
        self._holder = {"command": purpose, "since": format_instant(self._clock.now())}
        try:
            yield
        finally:
            self._workspace.release()

    def close(self) -> None:
        """There are no helper processes to end."""

    # parts -----------------------------------------------------------------------------------

    def _keep(self, content: bytes) -> Oid:
        oid = self.hash(content)
        self._blobs[oid] = bytes(content)
        return oid

    def _held(self, oid: Oid) -> _Held:
        try:
            return self._commits[oid]
        except KeyError:
            raise LoopxError("repository-broken", f"Commit {oid} is missing.", facts={"oid": oid}) from None

    def _expanded(self, prefix: str) -> Oid | None:
        found = [oid for oid in self._commits if len(prefix) >= _SHORTEST and oid.startswith(prefix)]
        return found[0] if len(found) == 1 else None

    def _chain(self, oid: Oid) -> Iterator[Commit]:
        while True:
            commit = self._held(oid).commit
            yield commit
            if not commit.parents:
                return
            oid = commit.parents[0]

    def _with_changes(self, commit: Commit) -> Commit:
        before = self._held(commit.parents[0]).files if commit.parents else {}
        return commit._replace(changes=tuple(_differences(before, self._held(commit.oid).files)))


def _named(*pieces: bytes) -> Oid:
    return hashlib.sha1(b"".join(pieces), usedforsecurity=False).hexdigest()


def _changed(files: Mapping[str, Oid], blobs: Mapping[str, Oid | None]) -> dict[str, Oid]:
    found = dict(files)
    for path, oid in blobs.items():
        if oid is None:
            found.pop(path, None)
            continue
        below, above = f"{path}/", [path[:at] for at, letter in enumerate(path) if letter == "/"]
        for other in [each for each in found if each.startswith(below) or each in above]:
            del found[other]
        found[path] = oid
    return found


def _commit(draft: Draft, files: Mapping[str, Oid], parents: Sequence[Oid]) -> Commit:
    tree = _named(*(f"{path}\0{files[path]}\n".encode() for path in sorted(files)))
    at = draft.at.replace(microsecond=0)
    message = draft.message.rstrip("\n") + "\n"
    commit = Commit("", tree, tuple(parents), draft.author, at, at, message)
    return commit._replace(oid=_named(repr((commit, draft.committer)).encode()))


def _differences(before: Mapping[str, Oid], after: Mapping[str, Oid]) -> list[PathChange]:
    changed = (path for path in sorted({*before, *after}) if before.get(path) != after.get(path))
    return [PathChange(path, before.get(path), after.get(path)) for path in changed]
