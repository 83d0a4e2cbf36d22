"""Judging one file: find the version it was made from, merge, and ask the kernel about what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from loopx.documents import Reading, compare, merge, read
from loopx.documents import edit as write_in
from loopx.errors import Place, Problem
from loopx.kernel.context import Context
from loopx.kernel.hand import HandEdit, decide_hand
from loopx.kernel.outcome import Change, Create, Delete, Receipt, Refused, Update
from loopx.model import ids
from loopx.model.actor import Actor, Origin
from loopx.model.defining import dataclass
from loopx.model.entities import Entity, goal_of, identity, kind_of
from loopx.model.kind import Kind
from loopx.workspace import edits
from loopx.workspace.base import base_of
from loopx.workspace.candidates import Candidate
from loopx.workspace.mending import last_readable
from loopx.workspace.rows import entity_of
from loopx.workspace.work import Work


@dataclass(frozen=True, slots=True)
class Judged:
    """An accepted edit: the document as it will stand, and what else follows from it."""

    candidate: Candidate | None
    path: str | None
    entity: Entity | None
    content: bytes | None
    effects: tuple[Change, ...]
    receipt: Receipt
    headline: str
    body: str
    notices: tuple[Problem, ...] = ()


Judgement = Judged | list[Problem]
"""Accepted, or what stands in the way."""
_FILLED = ("claimed_at",)


def judge(work: Work, candidate: Candidate, *, accepted_by: Actor | None = None) -> Judgement:
    """Judge one file that was changed or is new. ``accepted_by`` is the person who takes it in by name."""
    is_confirmed = accepted_by is not None
    if candidate.home is None:
        entity = candidate.reading.entity
        assert entity is not None
        lost = last_readable(work, candidate.path)
        if lost is not None and identity(lost[0]) == identity(entity):
            return _mend(work, candidate, *lost)
        is_return = work.cache.has_version(candidate.path, work.store.hash(candidate.content))
        if is_return and not is_confirmed:
            return [_old_version(candidate.path)]
        return _decide(work, candidate, None, entity, candidate.content, (), is_return=is_return)
    head = work.content(candidate.home)
    row = work.cache.entity_at(candidate.home)
    assert head is not None
    assert row is not None
    before = entity_of(candidate.reading.kind, row.data)
    typed = candidate.reading.entity
    if typed is not None and identity(typed) != identity(before):
        return [_machine(candidate, "id")]  # it may be another document's text: its `rev` says nothing here
    if is_confirmed:
        return _judge_on(work, candidate, before, head, head, accepted_by)
    if _is_old_version(work, candidate):
        return [_old_version(candidate.path)]
    base = base_of(work, candidate.home, candidate.content, head)
    if base is None:
        return [_machine(candidate, "rev")]
    return _judge_on(work, candidate, before, base, head)


def _mend(work: Work, candidate: Candidate, before: Entity, base: bytes) -> Judgement:
    """Judge the file that puts right what is committed and cannot be read. Put back as it was, nothing is asked."""
    if candidate.content != base:
        return _judge_on(work, candidate, before, base, base)
    return _decide(work, candidate, before, before, base, (), is_return=True)


def judge_displaced(work: Work, candidate: Candidate, base: bytes) -> Judgement | None:
    """Judge what was typed into a file while it was replaced; ``None`` when history holds it already."""
    head = work.content(candidate.path)
    row = work.cache.entity_at(candidate.path)
    if head is None or row is None:
        return [Problem("edit-displaced", f"{candidate.path} is gone; what was typed into it is kept")]
    before = entity_of(candidate.reading.kind, row.data)
    judged = _judge_on(work, candidate, before, base, head)
    return None if isinstance(judged, Judged) and judged.content == head else judged


def judge_deletion(work: Work, path: str, actor: Actor) -> Judgement:
    """Judge the absence of the document that lay at ``path``."""
    row = work.cache.entity_at(path)
    assert row is not None
    before = entity_of(Kind(row.kind), row.data)
    edit = HandEdit(
        kind=kind_of(before), goal=goal_of(before), id=identity(before), before=before, after=None, path=path
    )
    context = Context(actor, Origin.HAND, work.fresh(ids.OPERATION), work.now, work.ids)
    outcome = decide_hand(work.state, edit, context)
    if isinstance(outcome, Refused):
        return [outcome.problem]
    return Judged(
        None, path, None, None, _effects(outcome.changes, before), outcome.receipt, outcome.headline, outcome.body
    )


def _judge_on(
    work: Work, candidate: Candidate, before: Entity, base: bytes, head: bytes, accepted_by: Actor | None = None
) -> Judgement:
    """Judge what was typed against the version it was made from. Where a person insists on this very text, that is the
    accepted one, so that nothing is merged."""
    path = candidate.path
    merged = merge(path, base, head, candidate.content)
    if merged.conflicts:
        return list(merged.conflicts)
    if merged.machine:
        return [_machine(candidate, key) for key in merged.machine]
    assert merged.data is not None
    reading = read(path, merged.data)
    if reading.entity is None:
        return list(reading.problems)
    is_told = base == head and candidate.home is not None
    reverts = _reverts(work, candidate, before, reading.entity) if is_told else ()
    return _decide(work, candidate, before, reading.entity, merged.data, reverts, accepted_by=accepted_by)


def _decide(
    work: Work,
    candidate: Candidate,
    before: Entity | None,
    after: Entity,
    content: bytes,
    reverts: tuple[str, ...],
    *,
    is_return: bool = False,
    accepted_by: Actor | None = None,
) -> Judgement:
    edit = HandEdit(
        kind=candidate.reading.kind,
        goal=goal_of(after),
        id=identity(after),
        before=before,
        after=after,
        path=candidate.path,
        lines=Lines(candidate.reading),
        reverts=reverts,
        is_return=is_return,
        accepted_by=accepted_by,
        has_waited=edits.has_waited(work.cache, candidate.path, work.store.hash(candidate.content)),
    )
    context = Context(candidate.actor, candidate.origin, work.fresh(ids.OPERATION), work.now, work.ids)
    outcome = decide_hand(work.state, edit, context)
    if isinstance(outcome, Refused):
        problem = outcome.problem
        return [problem if problem.place else replace(problem, place=Place(candidate.path))]
    filled = _filled(outcome.changes[0], after)
    return Judged(
        candidate,
        candidate.path,
        replace(after, **filled) if filled else after,
        write_in(candidate.path, content, filled) if filled else content,
        _effects(outcome.changes, after),
        outcome.receipt,
        outcome.headline,
        outcome.body,
        (*candidate.reading.warnings, *outcome.notices),
    )


class Lines(Mapping[str, tuple[int, int]]):
    """File key to line and column of a text's fields, found when a refusal asks."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def __getitem__(self, key: str) -> tuple[int, int]:
        place = self._reading.place_of_key(key)
        if place.line is None:
            raise KeyError(key)
        return place.line, place.column or 1

    def __iter__(self) -> Iterator[str]:
        return iter(self._reading.values)

    def __len__(self) -> int:
        return len(self._reading.values)


def _effects(changes: tuple[Change, ...], typed: Entity) -> tuple[Change, ...]:
    """What the decision asks for beyond the document itself, whose text is typed already."""
    key = (kind_of(typed), identity(typed))

    def is_itself(change: Change) -> bool:
        match change:
            case Create(entity):
                return (kind_of(entity), identity(entity)) == key
            case Update() | Delete():
                return (change.kind, change.id) == key
            case _:
                return False

    return tuple(each for each in changes if not is_itself(each))


def _filled(change: Change, typed: Entity) -> dict[str, Any]:
    """Machine-owned fields that belong with what was typed, and their values: the time of a claim."""
    match change:
        case Update(kind=Kind.TODO):
            return {name: change.fields[name] for name in _FILLED if name in change.fields}
        case Create(entity) if kind_of(entity) is Kind.TODO:
            return {name: found for name in _FILLED if (found := getattr(entity, name)) != getattr(typed, name)}
        case _:
            return {}


def _is_old_version(work: Work, candidate: Candidate) -> bool:
    assert candidate.home is not None
    row = work.cache.entity_at(candidate.home)
    oid = work.store.hash(candidate.content)
    return row is not None and oid != row.blob and work.cache.has_version(candidate.home, oid)


def _reverts(work: Work, candidate: Candidate, before: Entity, after: Entity) -> tuple[str, ...]:
    """Fields that go back to the value they had before the newest accepted change of the document."""
    assert candidate.home is not None
    versions = work.cache.versions(candidate.home)
    if len(versions) < 2:
        return ()
    earlier = read(candidate.home, work.store.read(versions[1].blob)).entity
    if earlier is None or identity(earlier) != identity(before):
        return ()
    back = compare(earlier, before)
    return tuple(name for name, (_, new) in compare(before, after).items() if name in back and back[name][0] == new)


def _old_version(path: str) -> Problem:
    return Problem("edit-is-old-version", f"{path} equals an older version of the document as a whole", Place(path))


def _machine(candidate: Candidate, key: str) -> Problem:
    kind, message = candidate.reading.kind, f"{candidate.path} changes `{key}`, which only LoopX writes"
    code = "field-machine-owned"
    if kind.is_forward_only:
        code = "record-machine-owned"
    elif kind is Kind.GATE and key == "status":
        code, message = "gate-not-by-hand", f"{candidate.path} says how the Gate was answered, but nobody answered it"
    return Problem(code, message, candidate.reading.place_of_key(key), facts={"field": key})
