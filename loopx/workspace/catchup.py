"""Bringing the cache up to a commit, from Git alone. Whatever is in the cache can be made again here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from loopx.model.kind import Kind
from loopx.model.layout import locate
from loopx.model.times import format_instant
from loopx.store.cache.rows import CommitRow
from loopx.store.protocol import Commit, Store
from loopx.workspace import edits, trailers
from loopx.workspace.actors import author_as_actor
from loopx.workspace.base import id_in
from loopx.workspace.results import EditState
from loopx.workspace.rows import commit_row, row_of

if TYPE_CHECKING:
    from loopx.kernel.outcome import Receipt
    from loopx.store.cache import Cache


_NAMED_WITHIN = frozenset({Kind.WORKSPACE, Kind.TODO, Kind.GATE, Kind.PROPOSAL})
"""Kinds whose identity stands in the document; the others' is the file's name."""


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
    admitted_by: dict[str, str] = {}
    commits = list(accepted_commits(store, target, have, changes=True, judged=admitted_by))
    for commit in reversed(commits):
        if commit.oid in admitted_by:
            log_foreign(cache, store, commit, partial(_blob_at, store, admitted_by[commit.oid]))
        else:
            _log(cache, store, commit)
    _documents(cache, store, have, target)
    cache.set_meta("revision", target)


def accepted_commits(
    store: Store,
    target: str,
    have: str | None = None,
    *,
    changes: bool = False,
    judged: dict[str, str] | None = None,
) -> Iterator[Commit]:
    """The accepted history of ``target`` down to ``have``, newest first in the order in which it was accepted.

    Along first parents, with what a commit of ours joined in. That was accepted before whatever took its place, unless
    the joining commit itself judged it. What a merge made with plain Git joined in was judged as part of that merge and
    is no part of its own. ``judged`` collects the commits that a later one of ours judged, with that one: whatever
    their messages claim, they are no receipts and judge nothing.
    """
    judged = {} if judged is None else judged
    held: list[tuple[str, str]] = []
    for commit in store.history(target, have, changes=changes):
        while held and store.is_ancestor(commit.oid, held[-1][0]):
            yield from accepted_commits(store, *held.pop(), changes=changes, judged=judged)
        yield commit
        if commit.oid in judged:
            continue
        admits = trailers.parse(commit.message).get("Admits", ())
        judged.update(dict.fromkeys(admits, commit.oid))
        for joined in commit.parents[1:]:
            if joined in admits:
                yield from accepted_commits(store, joined, commit.parents[0], changes=changes, judged=judged)
            else:
                held.append((joined, commit.parents[0]))
    for joined, since in reversed(held):
        yield from accepted_commits(store, joined, since, changes=changes, judged=judged)


def log_foreign(cache: Cache, store: Store, commit: Commit, kept: Callable[[str], str | None]) -> None:
    """Note a commit made with plain Git. Of its files only those count as versions that were admitted as they are.

    ``kept`` tells which blob a path has once the commit was judged.
    """
    seq = cache.add_commit(_foreign_row(cache, store, commit))
    for each in commit.changes:
        if each.after is None or locate(each.path) is None or kept(each.path) != each.after:
            continue
        if not _is_newest(cache, each.path, each.after):
            cache.add_version(each.path, each.after, seq, commit.oid)


def _blob_at(store: Store, commit: str, path: str) -> str | None:
    entry = store.find(commit, path)
    return None if entry is None else entry.oid


def _is_newest(cache: Cache, path: str, blob: str) -> bool:
    versions = cache.versions(path)
    return bool(versions) and versions[0].blob == blob


def _log(cache: Cache, store: Store, commit: Commit) -> None:
    told = trailers.parse(commit.message)
    receipt = trailers.receipt_of(told)
    if receipt is None:
        row = _foreign_row(cache, store, commit)
    else:
        paths = [each.path for each in commit.changes]
        headline = commit.message.partition("\n")[0]
        row = commit_row(commit.oid, _author(commit), receipt, headline, paths, _ids(cache, store, commit))
    seq = cache.add_commit(row)
    for undone in told.get("Supersedes", ()):
        cache.mark_superseded(undone, told.get("Operation", ""))
    if receipt is not None and "Judged" in told:
        _note_refused(cache, store, receipt, told["Judged"])
    for each in commit.changes:
        if each.after is not None and locate(each.path) is not None:
            cache.add_version(each.path, each.after, seq, commit.oid)


def _note_refused(cache: Cache, store: Store, receipt: Receipt, judged: str) -> None:
    """Note again who made what was refused of foreign commits: files may still hold it, and it is not the person's."""
    for path in receipt.result.get("refused", {}):
        content = _blob_at(store, judged, path)
        state = EditState.ABSENT if content is None else EditState.REFUSED
        edits.note(cache, path, content, None, state, [], receipt.at, str(receipt.actor))


def _author(commit: Commit) -> str:
    return f"{commit.author.name} <{commit.author.email}>"


def _ids(cache: Cache, store: Store, commit: Commit) -> list[str]:
    """Identities of the documents a commit touched."""
    found: list[str] = []
    for each in commit.changes:
        location = locate(each.path)
        blob = each.after or each.before
        if location is None or blob is None:
            continue
        identity = location.name
        if location.kind in _NAMED_WITHIN:
            identity = id_in(store.read(blob)) or location.name
        cache.add_known(identity)
        found.extend(each for each in (identity, location.goal) if each and each not in found)
    return found


def _foreign_row(cache: Cache, store: Store, commit: Commit) -> CommitRow:
    return CommitRow(
        seq=0,
        oid=commit.oid,
        at=format_instant(commit.committed_at),
        author=_author(commit),
        actor=str(author_as_actor(commit.author)),
        origin="foreign",
        command="git commit",
        operation=None,
        subject="",
        goal="",
        headline=commit.message.partition("\n")[0],
        result=json.dumps(_claims(commit)),
        ids=json.dumps(_ids(cache, store, commit)),
        paths=json.dumps([each.path for each in commit.changes], ensure_ascii=False),
    )


def _claims(commit: Commit) -> dict[str, str]:
    """The operation a commit that is not ours says it is: no receipt, but worth telling whoever looks for one."""
    claimed = trailers.parse(commit.message).get("Operation")
    return {"claims": claimed} if isinstance(claimed, str) else {}


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
    else:
        cache.note_unreadable(path)
