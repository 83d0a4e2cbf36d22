"""Drafts into objects: blobs, the trees above them, commits.

Called by the store's ``write``. It moves no reference: what it wrote is unknown to history until somebody publishes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loopx.store.git.commits import serialise
from loopx.store.git.loose import Content
from loopx.store.git.objects import Objects
from loopx.store.git.snapshot import tree_of
from loopx.store.git.trees import Graft
from loopx.store.protocol import Draft, Oid, Written

Sign = Callable[[Draft, Oid, Sequence[Oid]], Oid]
"""Makes a signed commit of a draft, a tree and its parents, and returns its oid."""


class Writer:
    """Writes one chain of commits."""

    def __init__(self, objects: Objects, sign: Sign | None) -> None:
        self._objects = objects
        self._sign = sign
        self._pending: dict[Oid, Content] = {}

    def write(self, base: Oid | None, drafts: Sequence[Draft]) -> list[Written]:
        """Write ``drafts``, each on the one before and the first on ``base``; all objects go to disk together."""
        tip, tree = base, None if base is None else tree_of(self._objects, base)
        graft = Graft(self._objects.form, self._objects.tree)
        written: list[Written] = []
        for draft in drafts:
            blobs = {path: self._blob(content) for path, content in draft.changes.items()}
            tree = graft.apply(tree, blobs)
            self._pending.update((oid, ("tree", content)) for oid, content in graft.made.items())
            parents = [*(() if tip is None else (tip,)), *draft.extra_parents]
            tip = self._commit(draft, tree, parents)
            written.append(Written(tip, tree, blobs))
        self._flush()
        return written

    def _blob(self, content: bytes | None) -> Oid | None:
        if content is None:
            return None
        oid = self._objects.form.oid("blob", content)
        self._pending[oid] = ("blob", content)
        return oid

    def _commit(self, draft: Draft, tree: Oid, parents: Sequence[Oid]) -> Oid:
        if self._sign is not None:
            # Git signs only what it can read.
            self._flush()
            return self._sign(draft, tree, parents)
        content = serialise(draft, tree, parents)
        oid = self._objects.form.oid("commit", content)
        self._pending[oid] = ("commit", content)
        return oid

    def _flush(self) -> None:
        pending, self._pending = self._pending, {}
        if pending:
            self._objects.write(pending)
