"""Going back without rewriting history: chosen documents are put back to an earlier revision by a new commit.

Facts that only move forward stay and are marked; the result is proved by a digest over exactly the documents chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from loopx.documents import read
from loopx.errors import LoopxError, Problem
from loopx.kernel.commands import Rollback
from loopx.kernel.context import Context
from loopx.kernel.decide import decide
from loopx.kernel.refusal import Refused
from loopx.model.actor import Actor
from loopx.model.defining import dataclass
from loopx.model.kind import Kind
from loopx.model.layout import WORKSPACE_FILE
from loopx.model.workspace import SCHEMA_VERSION, WorkspaceConfig
from loopx.workspace import marking, outside
from loopx.workspace.packet import packet
from loopx.workspace.proposal import Proposal, RefusedError
from loopx.workspace.reports import RollbackPacket, RolledBack
from loopx.workspace.restoration import Restoration, criteria_in, criteria_since, restorations, restored_by
from loopx.workspace.results import Based, Committed
from loopx.workspace.texts import apply_change
from loopx.workspace.work import Link, Work

if TYPE_CHECKING:
    from loopx.workspace.facade import Workspace

NOTHING_IN_PARTICULAR = Based()


def plan(ws: Workspace, target: str, *, goal: str | None, todo: str | None) -> RollbackPacket:
    """What a rollback to ``target`` would do. Changes nothing."""
    criteria = [] if todo is not None else criteria_since(ws.store, ws.cache, target, goal)
    chosen = restorations(ws.store, ws.cache, target, goal=goal, todo=todo)
    return packet(ws.cache, target, chosen, criteria, goals=_as_a_whole(chosen, todo is None))


def roll_back(
    ws: Workspace,
    rev: str,
    *,
    reason: str,
    actor: Actor,
    goal: str | None,
    todo: str | None,
    op: str | None,
    based: Based = NOTHING_IN_PARTICULAR,
) -> RolledBack:
    """Put the documents back and prove it."""
    target = ws.store.resolve(rev)
    command = Rollback(revision=target, reason=reason, goal=goal, todo=todo)

    def choose(work: Work) -> Chosen:
        criteria = [] if todo is not None else criteria_since(ws.store, work.cache, target, goal)
        found = restorations(ws.store, work.cache, target, goal=goal, todo=todo, touched=work.contents)
        return found, criteria

    choice = Choice(target, choose, is_whole=todo is None, based=based)
    return carry_out(ws, command, actor=actor, op=op, choice=choice)


def _as_a_whole(chosen: list[Restoration], is_whole: bool) -> set[str]:
    """Goals that go back as a whole: those of what was chosen, unless only some documents were."""
    return {each.goal for each in chosen if each.goal} if is_whole else set()


Chosen = tuple[list[Restoration], list[Restoration]]
"""The documents to put back, and the criteria whose records must be marked although no document changed."""


@dataclass(slots=True)
class Choice:
    """Which documents go back to which commit, worked out on the state of the very pass that does it."""

    target: str
    choose: Callable[[Work], Chosen]
    based: Based = NOTHING_IN_PARTICULAR
    is_whole: bool = False
    """Whether everything of the Goals concerned goes back, and not some documents of theirs alone."""
    chosen: list[Restoration] = field(default_factory=list)
    packet: RollbackPacket | None = None


def carry_out(ws: Workspace, command: Rollback, *, actor: Actor, op: str | None, choice: Choice) -> RolledBack:
    """Run a rollback through a pass: the kernel judges whether, this room does it, a digest proves it."""
    based = choice.based
    proposal = ws.proposal(command, actor=actor, op=op, expect_revision=based.revision, origin=based.origin)
    compensation: list[str] = []

    def special(work: Work, proposal: Proposal) -> Link | None:
        _refuse_other_version(work, choice.target)
        choice.chosen, criteria = choice.choose(work)
        goals = _as_a_whole(choice.chosen, choice.is_whole)
        choice.packet = packet(work.cache, choice.target, choice.chosen, criteria, goals=goals)
        named = tuple((each.kind.value, each.id) for each in choice.chosen)
        link = _link(work, proposal, replace(command, documents=named))
        if not choice.chosen and not criteria:
            proposal.notices = (_nothing(choice.target),)
            if not proposal.is_named:  # nothing to do, and nobody will ask for its receipt
                work.links.remove(link)
                proposal.receipt = link.receipt
                return None
        _restore(work, link, choice.chosen)
        touched = [_subject(each) for each in (*choice.chosen, *criteria)]
        marking.mark_records(work, link, touched, choice.target, proposal.operation)
        link.extra["Restores"] = choice.target
        link.extra["Supersedes"] = list(choice.packet.operations)
        for operation in choice.packet.operations:
            work.cache.mark_superseded(operation, proposal.operation)
        compensation.extend(_compensate(work, link, proposal, choice))
        return link

    proposal.special = special
    committed = ws.settle(proposal)
    return _proved(ws, committed, choice, tuple(compensation))


def _subject(each: Restoration) -> tuple[Kind, str, str]:
    """Whose records are marked. A Goal's criteria are judged apart, by what was recorded about each; how it ended, by
    its document."""
    return (Kind.CLOSURE if each.kind is Kind.GOAL else each.kind, each.id, each.goal)


def _refuse_other_version(work: Work, target: str) -> None:
    """Documents of another version are not put back as they were, whatever of them could be read."""
    found = work.store.find(target, WORKSPACE_FILE)
    reading = None if found is None else read(WORKSPACE_FILE, work.store.read(found.oid))
    if reading is None:
        return
    if reading.problems:
        raise LoopxError.of(reading.problems[0])
    if isinstance(reading.entity, WorkspaceConfig) and reading.entity.version != SCHEMA_VERSION:
        raise LoopxError(
            "workspace-version",
            f"the files of {target[:10]} are of version {reading.entity.version}, and only {SCHEMA_VERSION} is known",
        )


def _nothing(target: str) -> Problem:
    return Problem("rollback-nothing", f"the documents chosen already equal those at {target[:10]}")


def _link(work: Work, proposal: Proposal, command: Rollback) -> Link:
    context = Context(proposal.actor, proposal.origin, proposal.operation, work.now, work.ids)
    outcome = decide(work.state, command, context)
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    link = Link(outcome.receipt, outcome.headline, outcome.body, proposal.author)
    work.links.append(link)
    for change in outcome.changes:
        apply_change(work, link, change)
    return link


def _restore(work: Work, link: Link, chosen: list[Restoration]) -> None:
    for each in chosen:
        if each.now is not None and each.now != each.then:
            work.drop(link, each.now)
        if each.then is None or each.then_blob is None:
            continue
        content = work.store.read(each.then_blob)
        reading = read(each.then, content)
        if reading.entity is None:
            problem = reading.problems[0] if reading.problems else Problem("bug", f"{each.then} holds no document")
            raise LoopxError.of(problem)
        work.put(link, each.then, content, reading.entity)


def _compensate(work: Work, link: Link, proposal: Proposal, choice: Choice) -> list[str]:
    """A Todo for every effect outside that cannot be undone here: somebody must look."""
    assert choice.packet is not None
    made: list[str] = []
    accepts = outside.who_accepts(work.state, str(proposal.actor))
    for told in choice.packet.effects:
        goal = _home(told, choice)
        if work.state.goal(goal) is None:
            continue
        context = Context(proposal.actor, proposal.origin, proposal.operation, work.now, work.ids)
        outcome = decide(work.state, outside.seeing_to(told, goal, accepts), context)
        if isinstance(outcome, Refused):
            continue
        todo = str(outcome.receipt.result.get("id", ""))
        pointer = outside.pointing_to(work.state, told, todo)
        for change in (*outcome.changes, *((pointer,) if pointer is not None else ())):
            apply_change(work, link, change)
        made.append(todo)
    return made


def _home(told: Mapping[str, Any], choice: Choice) -> str:
    """The Goal that what happened outside belongs to."""
    if "goal" in told:
        return str(told["goal"])
    place = next((each.then or each.now or "" for each in choice.chosen if each.id == told["todo"]), "")
    return place.split("/")[1] if place else ""


def _proved(ws: Workspace, committed: Committed, choice: Choice, compensation: tuple[str, ...]) -> RolledBack:
    """Read both commits again and compare, document by document."""
    if choice.packet is None:
        _recall(ws, committed, choice)
    assert choice.packet is not None
    paths = [path for each in choice.chosen for path in each.paths]
    there = ws.store.tree_digest(choice.target, paths)
    if committed.revision is not None and not committed.replayed:
        here = ws.store.tree_digest(committed.revision, paths)
        if here != there:
            raise LoopxError("rollback-mismatch", f"the documents at {committed.revision[:10]} differ from the target")
    saved = tuple(str(each.place) for each in committed.warnings if each.code == "edit-waits")
    return RolledBack(committed, choice.packet, there, compensation, saved)


def _recall(ws: Workspace, committed: Committed, choice: Choice) -> None:
    """A replay: what that commit put back, read from it, so that the same proof can be made anew."""
    commit = next(ws.store.history(committed.revision or "", changes=True, limit=1))
    choice.chosen = restored_by(ws.store, commit, choice.target)
    told = packet(ws.cache, choice.target, choice.chosen, criteria_in(commit.changes), commit.oid)
    choice.packet = replace(told, head=commit.parents[0])
