"""Commits somebody made in ``.loopx/`` with plain Git: judged like edits, by their author's authority.

``refs/loopx/admitted`` names the last commit the kernel accepted. When HEAD is beyond it, a commit is added on top
whose tree is the admitted tree plus what is admissible of the foreign changes, so that HEAD is always admissible and
work goes on. Refused files stay on disk as refused edits.
"""

from __future__ import annotations

from dataclasses import replace

from loopx.errors import Place, Problem
from loopx.kernel.outcome import Receipt
from loopx.model import ids
from loopx.model.actor import Actor, Origin
from loopx.model.defining import dataclass
from loopx.model.layout import locate
from loopx.store.protocol import Commit, PathChange, Signature
from loopx.workspace import edits
from loopx.workspace.actors import author_as_actor
from loopx.workspace.base import PREFIXES
from loopx.workspace.candidates import Candidate, match, parse
from loopx.workspace.catchup import log_foreign
from loopx.workspace.judging import Judged, judge, judge_deletion
from loopx.workspace.results import EditState
from loopx.workspace.reversal import Reversal, find_reversals, refusal, reverse
from loopx.workspace.scan import Scan, Sighting
from loopx.workspace.texts import apply_change
from loopx.workspace.work import Link, Work


def join_same_tree(work: Work, admitted: str, head: str) -> None:
    """History was rewritten but says the same (an amended message): join the old commit in, so nothing is lost."""
    commit = next(work.store.history(head, limit=1))
    receipt = _receipt(work, author_as_actor(commit.author), {"joined": admitted})
    link = Link(receipt, "history: join the commit this one replaced", "", commit.author)
    commits = _between(work, admitted, head)
    link.extra["Admits"] = [each.oid for each in commits]
    link.extra_parents = (admitted,)
    work.links.append(link)
    for each in reversed(commits):
        log_foreign(work.cache, work.store, each, lambda path: _kept(work, path))


def admit(work: Work, admitted: str, head: str, scan: Scan) -> None:
    """Judge everything between ``admitted`` and ``head`` and put admitting commits on the chain, one an author.

    Files of ``scan`` that hold just what was committed are that commit's, not the person's edit: they are taken out.
    """
    commits = _between(work, admitted, head)
    changes = [each for each in work.store.compare(admitted, head) if locate(each.path) is not None]
    reversals = find_reversals(work, commits)
    for author, (theirs, paths) in _by_author(commits).items():
        link = Link(_receipt(work, author_as_actor(author), {}), _headline(theirs), _body(theirs), author)
        work.links.append(link)
        own = [each for each in changes if each.path in paths]
        if reversals:
            _reverse(work, link, own, [each for each in reversals if each.by in theirs])
        else:
            _judge(work, link, own, author_as_actor(author))
        for each in own:  # the chain builds on head: what it must undo there has to be said
            _restate(work, link, each)
        rows = [row for path in sorted(link.changes) if (row := work.cache.entity_at(path)) is not None]
        link.ids = list(dict.fromkeys(each for row in rows for each in (row.id, row.goal) if each))
        link.extra["Judged"] = head
    work.links[-1].extra["Admits"] = [each.oid for each in commits]
    for commit in reversed(commits):
        log_foreign(work.cache, work.store, commit, lambda path: _kept(work, path))
    _take_out(work, scan, changes)


def _kept(work: Work, path: str) -> str | None:
    content = work.content(path)
    return None if content is None else work.store.hash(content)


def _by_author(commits: list[Commit]) -> dict[Signature, tuple[list[Commit], set[str]]]:
    """Each author's commits, with the paths judged by their authority.

    A path that several wrote goes to the newest of them; where one was an agent, to the agent, whose part must not
    pass for the person's.
    """
    owners: dict[str, Signature] = {}
    for commit in commits:
        for change in commit.changes:
            known = owners.setdefault(change.path, commit.author)
            if author_as_actor(known).is_human and not author_as_actor(commit.author).is_human:
                owners[change.path] = commit.author
    found: dict[Signature, tuple[list[Commit], set[str]]] = {each.author: ([], set()) for each in reversed(commits)}
    for commit in commits:
        found[commit.author][0].append(commit)
    for path, author in owners.items():
        found[author][1].add(path)
    return found


def _take_out(work: Work, scan: Scan, changes: list[PathChange]) -> None:
    committed = {each.path: each.after for each in changes}
    kept: list[Sighting] = []
    for each in scan.changed:
        if each.content is not None and committed.get(each.path) == work.store.hash(each.content):
            work.on_disk[each.path] = each.content
        else:
            kept.append(each)
    scan.changed = kept
    for path in [path for path in scan.absent if path in committed and committed[path] is None]:
        work.on_disk[path] = None
        scan.absent.remove(path)


@dataclass(slots=True)
class _Refusal:
    path: str
    content: str | None
    problems: list[Problem]


def _judge(work: Work, link: Link, changes: list[PathChange], actor: Actor) -> None:
    candidates = [
        parse(each.path, work.store.read(each.after), actor, Origin.FOREIGN) for each in changes if each.after
    ]
    gone = {each.path for each in changes if each.after is None}
    duplicates = match(work, candidates, gone)
    refusals: list[_Refusal] = []
    for candidate in candidates:
        problems = _take(work, link, candidate, duplicates)
        if problems:
            refusals.append(_Refusal(candidate.path, work.store.hash(candidate.content), problems))
    moved = {each.home for each in candidates if each.is_move}
    for path in sorted(gone - moved):
        judged = judge_deletion(work, path, actor) if work.cache.entity_at(path) else []
        if isinstance(judged, Judged):
            work.drop(link, path)
        else:
            refusals.append(_Refusal(path, None, judged))
    _refuse(work, link, refusals, actor)


def _refuse(work: Work, link: Link, refusals: list[_Refusal], actor: Actor) -> None:
    for each in refusals:
        work.held.add(each.path)
        _note(work, each, actor)
    if refusals:
        codes = {each.path: each.problems[0].code if each.problems else "refused" for each in refusals}
        link.receipt = replace(link.receipt, result={**link.receipt.result, "refused": codes})


def _take(work: Work, link: Link, candidate: Candidate, duplicates: dict[str, str]) -> list[Problem]:
    reading = candidate.reading
    if reading.problems:
        return list(reading.problems)
    if candidate.path in duplicates:
        return [Problem("id-duplicate", f"its id is that of {duplicates[candidate.path]}", Place(candidate.path))]
    if candidate.home is None and reading.entity is None:
        candidate = _named(work, candidate)
    judged = judge(work, candidate)
    if not isinstance(judged, Judged):
        return judged
    assert judged.entity is not None
    assert judged.content is not None
    if candidate.is_move and candidate.home is not None:
        work.drop(link, candidate.home)
    work.put(link, candidate.path, judged.content, judged.entity)
    for change in judged.effects:
        apply_change(work, link, change)
    return []


def _named(work: Work, candidate: Candidate) -> Candidate:
    """A hand-made file that came by a commit gets its id like any other."""
    from loopx.documents import adopt

    location = candidate.reading.location
    prefix = PREFIXES.get(candidate.reading.kind)
    values = {
        key: location.name if key == "agent" else (work.fresh(prefix) if prefix else location.goal)
        for key in candidate.reading.missing
    }
    entity = replace(candidate.reading.provisional, **values)  # type: ignore[type-var]
    content = adopt(candidate.path, candidate.content, values)
    return replace(candidate, content=content, reading=replace(candidate.reading, entity=entity, missing=()))


def _reverse(work: Work, link: Link, changes: list[PathChange], reversals: list[Reversal]) -> None:
    """Decide what an author reverted as the rollback it is."""
    actor = link.receipt.actor
    refused = refusal(work, reversals, actor)
    if refused is None:
        link.receipt = reverse(work, link, changes, reversals)
        return
    gone = [Problem(refused.code, refused.message, Place(each.path), refused.hint) for each in changes]
    _refuse(
        work, link, [_Refusal(each.path, each.after, [why]) for each, why in zip(changes, gone, strict=True)], actor
    )


def _restate(work: Work, link: Link, change: PathChange) -> None:
    """Where the admitted version of a path differs from head's, the admitting commit must change it back."""
    tip = work.content(change.path)
    if _kept(work, change.path) == change.after:
        link.changes.pop(change.path, None)
    else:
        link.changes[change.path] = tip


def _note(work: Work, refusal: _Refusal, actor: Actor) -> None:
    state = EditState.ABSENT if refusal.content is None else EditState.REFUSED
    edits.note(work.cache, refusal.path, refusal.content, work.base, state, refusal.problems, work.now, str(actor))


def _between(work: Work, admitted: str, head: str) -> list[Commit]:
    return list(work.store.history(head, admitted, changes=True))


def _receipt(work: Work, actor: Actor, result: dict[str, object]) -> Receipt:
    return Receipt(
        operation=work.fresh(ids.OPERATION),
        command="git commit",
        actor=actor,
        origin=Origin.FOREIGN,
        subject="",
        goal="",
        request="",
        at=work.now,
        result=result,
    )


def _headline(commits: list[Commit]) -> str:
    subject = commits[0].message.partition("\n")[0]
    return f"admit: {subject}" if len(commits) == 1 else f"admit: {len(commits)} commits made with Git"


def _body(commits: list[Commit]) -> str:
    return "\n".join(f"{each.oid[:10]} {each.message.partition(chr(10))[0]}" for each in commits[:50])
