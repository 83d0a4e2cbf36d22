"""Which commit was accepted last."""

from __future__ import annotations

from loopx.store.protocol import Store


def admitted_or_known(store: Store) -> str | None:
    """The last accepted commit. A fresh clone has no such reference: then the newest commit of ours counts."""
    admitted = store.admitted()
    if admitted is not None:
        return admitted
    head = store.head()
    if head is None:
        return None
    from loopx.workspace import trailers

    for commit in store.history(head):
        if trailers.parse(commit.message):
            return commit.oid
    return head
