"""Commits somebody made in ``.loopx/`` with plain Git: judged like edits, by their author's authority.

``refs/loopx/admitted`` names the last commit the kernel accepted. When HEAD is beyond it, a commit is added on top
whose tree is the admitted tree plus what is admissible of the foreign changes, so that HEAD is always admissible and
work goes on. Refused files stay on disk as refused edits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from loopx.errors import LoopxError, Place, Problem
from loopx.kernel.outcome import Receipt
from loopx.model import ids
from loopx.model.actor import Actor, ActorKind, Origin
from loopx.model.kind import Kind
from loopx.model.layout import locate
from loopx.store.protocol import Commit, PathChange, Signature
from loopx.workspace import edits
from loopx.workspace.candidates import Candidate, match, parse
from loopx.workspace.judging import Judged, judge, judge_deletion
from loopx.workspace.results import EditState
from loopx.workspace.reversal import Reversal, find_reversal, reverse
from loopx.workspace.scan import Scan, Sighting
from loopx.workspace.texts import apply_change
from loopx.workspace.work import Link, Work

_AGENT_DOMAIN = "@agents.invalid"


def author_as_actor(author: Signature) -> Actor:
    """Who a commit's author is to the kernel."""
    if author.email.endswith(_AGENT_DOMAIN):
        return Actor(ActorKind.AGENT, author.email.removesuffix(_AGENT_DOMAIN))
    return Actor(ActorKind.HUMAN, author.name.strip() or author.email)


def join_same_tree(work: Work, admitted: str, head: str) -> None:
    """History was rewritten but says the same (an amended message): join the old commit in, so nothing is lost."""
    commit = next(work.store.history(head, limit=1))
    receipt = _receipt(work, author_as_actor(commit.author), {"joined": admitted})
    link = Link(receipt, "history: join the commit this one replaced", "", commit.author)
    link.extra["Admits"] = [each.oid for each in _between(work, admitted, head)]
    link.extra_parents = (admitted,)
    work.links.append(link)


def admit(work: Work, admitted: str, head: str, scan: Scan) -> None:
    """Judge everything between ``admitted`` and ``head`` and put the admitting commit on the chain.

    Files of ``scan`` that hold just what was committed are that commit's, not the person's edit: they are taken out.
    """
    commits = _between(work, admitted, head)
    newest = commits[0]
    reversal = find_reversal(work, commits)
    link = Link(_receipt(work, author_as_actor(newest.author), {}), _headline(commits), _body(commits), newest.author)
    link.extra["Admits"] = [each.oid for each in commits]
    work.links.append(link)
    changes = [each for each in work.store.compare(admitted, head) if locate(each.path) is not None]
    if reversal is not None:
        _reverse(work, link, changes, reversal)
    else:
        _judge(work, link, changes, author_as_actor(newest.author))
    _take_out(work, scan, changes)
    for each in changes:  # the chain builds on head: what it must undo there has to be said
        _restate(work, link, each)


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
    assert judged.entity is not None and judged.content is not None
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
    prefix = {Kind.TODO: ids.TODO, Kind.GATE: ids.GATE}.get(candidate.reading.kind)
    values = {
        key: location.name if key == "agent" else (work.fresh(prefix) if prefix else location.goal)
        for key in candidate.reading.missing
    }
    entity = replace(candidate.reading.provisional, **values)  # type: ignore[type-var]
    content = adopt(candidate.path, candidate.content, values)
    return replace(candidate, content=content, reading=replace(candidate.reading, entity=entity, missing=()))


def _reverse(work: Work, link: Link, changes: list[PathChange], reversal: Reversal) -> None:
    receipt = reverse(work, link, reversal)
    if receipt is None:
        raise LoopxError("bug", "a reversal that was found could not be carried out")
    link.receipt = receipt


def _restate(work: Work, link: Link, change: PathChange) -> None:
    """Where the admitted version of a path differs from head's, the admitting commit must change it back."""
    tip = work.content(change.path)
    tip_oid = None if tip is None else work.store.hash(tip)
    if tip_oid == change.after:
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
