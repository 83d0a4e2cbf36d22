"""Bringing the cache up to a commit, from Git alone. Whatever is in the cache can be made again here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loopx.model.kind import Kind
from loopx.model.layout import locate
from loopx.model.times import format_instant
from loopx.store.cache.rows import CommitRow
from loopx.store.protocol import Commit, Store
from loopx.workspace import trailers
from loopx.workspace.base import id_in
from loopx.workspace.rows import commit_row, row_of

if TYPE_CHECKING:
    from loopx.store.cache import Cache


def catch_up(cache: Cache, store: Store, target: str) -> None:
    """Make the cache stand for ``target``. To be called inside a cache transaction.

    When the cache stands for a commit that ``target`` does not contain, it is made anew.
    """
    have = cache.get_meta("revision")
    if have == target:
        return
    if have is not None and not store.is_ancestor(have, target):
        cache.clear()
        have = None
    commits = list(_commits(store, target, have))
    foreign = _foreign(commits)
    for commit in reversed(commits):
        _log(cache, store, commit, commit.oid in foreign)
    _documents(cache, store, have, target)
    cache.set_meta("revision", target)


def _commits(store: Store, target: str, have: str | None) -> Iterator[Commit]:
    """Newest first: the first parents of ``target`` down to ``have``, and what was joined into them."""
    for commit in store.history(target, have, changes=True):
        yield commit
        for joined in commit.parents[1:]:
            yield from store.history(joined, commit.parents[0], changes=True)


def _foreign(commits: list[Commit]) -> set[str]:
    """Commits that a later one admitted: whatever their messages claim is not a receipt of ours."""
    found: set[str] = set()
    for commit in commits:
        found.update(trailers.parse(commit.message).get("Admits", ()))
    return found


def _log(cache: Cache, store: Store, commit: Commit, is_foreign: bool) -> None:
    told = {} if is_foreign else trailers.parse(commit.message)
    receipt = trailers.receipt_of(told)
    headline = commit.message.partition("\n")[0]
    paths = [each.path for each in commit.changes]
    ids = _ids(cache, store, commit)
    author = f"{commit.author.name} <{commit.author.email}>"
    if receipt is None:
        row = _foreign_row(commit, author, headline, paths, ids)
    else:
        row = commit_row(commit.oid, author, receipt, headline, paths, ids)
    seq = cache.add_commit(row)
    for undone in told.get("Supersedes", ()):
        cache.mark_superseded(undone, told.get("Operation", ""))
    for each in commit.changes:
        if each.after is not None and locate(each.path) is not None:
            cache.add_version(each.path, each.after, seq, commit.oid)


def _ids(cache: Cache, store: Store, commit: Commit) -> list[str]:
    """Identities of the documents a commit touched."""
    found: list[str] = []
    for each in commit.changes:
        location = locate(each.path)
        blob = each.after or each.before
        if location is None or blob is None:
            continue
        identity = location.name
        if location.kind in (Kind.TODO, Kind.GATE):
            identity = id_in(store.read(blob)) or location.name
            cache.add_known(identity)
        found.extend(each for each in (identity, location.goal) if each and each not in found)
    return found


def _foreign_row(commit: Commit, author: str, headline: str, paths: list[str], ids: list[str]) -> CommitRow:
    return CommitRow(
        seq=0,
        oid=commit.oid,
        at=format_instant(commit.committed_at),
        author=author,
        actor=f"human:{commit.author.name}",
        origin="foreign",
        command="git commit",
        operation=None,
        subject="",
        goal="",
        headline=headline,
        result="{}",
        ids=json.dumps(ids),
        paths=json.dumps(paths, ensure_ascii=False),
    )


def _documents(cache: Cache, store: Store, have: str | None, target: str) -> None:
    """Replace the rows of documents that differ between the two commits."""
    changed = [each for each in store.compare(have, target) if locate(each.path) is not None]
    for each in changed:
        cache.drop_path(each.path)
        cache.touch_folder(each.path)
    paths: dict[str, list[str]] = {}
    for each in changed:
        if each.after is not None:
            paths.setdefault(each.after, []).append(each.path)
    for oid, content in store.read_many(paths):
        for path in paths[oid]:
            _put(cache, path, oid, content)


def _put(cache: Cache, path: str, oid: str, content: bytes) -> None:
    from loopx.documents import read

    entity = read(path, content).entity
    if entity is not None:
        cache.put_entity(*row_of(entity, path, oid))
