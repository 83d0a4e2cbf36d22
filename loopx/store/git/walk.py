"""Walking history: first parents newest first, ancestry, and the commits that names stand for.

Called by the store. Commits are read one by one by hand; Git is asked only where a walk would be long or a name is not
a whole oid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.store.git.commits import parse
from loopx.store.git.objects import Objects
from loopx.store.git.references import MAIN
from loopx.store.git.snapshot import compare, tree_of
from loopx.store.protocol import Commit, Oid

if TYPE_CHECKING:
    from loopx.store.git.programs import Programs

_NEAR = 64
"""First parents looked at by hand before Git is asked whether one commit is an ancestor of another."""


class Walk:
    """Walks of one repository. A shallow clone ends where its history was cut."""

    def __init__(self, git_dir: Path, objects: Objects, programs: Callable[[], Programs]) -> None:
        self._shallow = git_dir / "shallow"
        self._objects = objects
        self._programs = programs

    def history(self, new: Oid, old: Oid | None, *, changes: bool, limit: int | None) -> Iterator[Commit]:
        """Commits reachable from ``new`` and not from ``old`` along first parents, newest first."""
        found = self._chain(new) if old is None else iter(self._between(new, old))
        for commit in islice(found, limit):
            yield self._with_changes(commit) if changes else commit

    def is_ancestor(self, old: Oid, new: Oid) -> bool:
        """Whether ``old`` is ``new`` or in its history; a commit that is not there is in nobody's history."""
        if any(commit.oid == old for commit in islice(self._chain(new), _NEAR)):
            return True
        answer = self._programs().run(
            "compare two commits", "merge-base", "--is-ancestor", old, new, accept=(0, 1, 128)
        )
        return answer.code == 0

    def resolve(self, name: str) -> Oid:
        """The commit ``name`` stands for; HEAD is main. Raises ``revision-unknown``."""
        asked = re.sub(r"^(?:HEAD|@)(?=$|[~^@])", MAIN, name.strip())
        if not asked or asked.startswith("-") or "\0" in asked:
            raise _unknown(name, "")
        if re.fullmatch(rf"[0-9a-f]{{{self._objects.form.digits}}}", asked) and self._is_commit(asked):
            return asked
        answer = self._programs().run(
            "look a revision up", "rev-parse", "--verify", f"{asked}^{{commit}}", accept=(0, 128)
        )
        if answer.code:
            raise _unknown(name, answer.words)
        return answer.output.decode().strip()

    def _chain(self, new: Oid) -> Iterator[Commit]:
        cut = self._cut()
        oid: Oid | None = new
        while oid is not None:
            commit = parse(oid, self._objects.commit(oid))
            yield commit
            oid = commit.parents[0] if commit.parents and oid not in cut else None

    def _between(self, new: Oid, old: Oid) -> list[Commit]:
        found: list[Commit] = []
        for commit in self._chain(new):
            if commit.oid == old:
                return found
            found.append(commit)
        # ``old`` lies beside the first parents of ``new``: what both share is left out.
        shared = {commit.oid for commit in self._chain(old)}
        return [commit for commit in found if commit.oid not in shared]

    def _with_changes(self, commit: Commit) -> Commit:
        has_parent = bool(commit.parents) and commit.oid not in self._cut()
        before = tree_of(self._objects, commit.parents[0]) if has_parent else None
        return commit._replace(changes=tuple(compare(self._objects, before, commit.tree)))

    def _cut(self) -> frozenset[Oid]:
        try:
            return frozenset(self._shallow.read_text(encoding="ascii").split())
        except FileNotFoundError:
            return frozenset()

    def _is_commit(self, oid: Oid) -> bool:
        try:
            self._objects.commit(oid)
        except LoopxError:
            return False
        return True


def _unknown(name: str, words: str) -> LoopxError:
    if "is ambiguous" in words:
        return LoopxError("revision-unknown", f"{name!r} is short for more than one commit.", hint="Write more of it.")
    return LoopxError("revision-unknown", f"No commit answers to {name!r}.", facts={"revision": name})
