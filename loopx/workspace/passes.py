"""One pass: recover, admit, take in, decide, publish, forget — under the workspace's one lock.

The order of the promise in ``docs/explanation/writing-safely.md``. Whoever wants something written, or wants hand edits
looked at, runs a pass; nothing else in LoopX writes canonical files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING

from loopx.errors import LoopxError, Problem
from loopx.model.actor import Actor
from loopx.model.clock import Clock, IdSource
from loopx.model.defining import dataclass
from loopx.model.workspace import SCHEMA_VERSION, Hooks, Policies
from loopx.store.protocol import Signature, Store
from loopx.workspace import edits, late
from loopx.workspace import journal as journals
from loopx.workspace.admitted import admitted_or_known
from loopx.workspace.catchup import catch_up
from loopx.workspace.crashpoints import reach
from loopx.workspace.places import Places
from loopx.workspace.proposal import Proposal
from loopx.workspace.publish import Published, publish, unfinished
from loopx.workspace.recover import recover, sweep
from loopx.workspace.results import Committed, EditState
from loopx.workspace.rows import commit_row
from loopx.workspace.scan import Scan
from loopx.workspace.settle import ADOPTION_SECONDS
from loopx.workspace.sighting import Desk, stale_rows
from loopx.workspace.work import Work

if TYPE_CHECKING:
    from loopx.kernel.environment import Environment
    from loopx.store.cache import Cache

_ATTEMPTS = 20
"""How often a pass starts again because somebody who ignores the lock moved main."""


@dataclass(slots=True)
class PassReport:
    """What one pass did beyond the proposals themselves."""

    revision: str | None = None
    recovered: list[str] = field(default_factory=list)
    taken_in: int = 0
    notices: list[Problem] = field(default_factory=list)
    left: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Wish:
    """What a pass is run for, beyond looking: proposals, and edits a person accepts by name."""

    proposals: Sequence[Proposal] = ()
    confirmed: frozenset[str] = frozenset()
    accepted_by: Actor | None = None
    is_hurried: bool = False
    thorough: bool = False


@dataclass(slots=True, kw_only=True)
class Passes:
    """Runs passes over one workspace."""

    places: Places
    store: Store
    cache: Cache
    clock: Clock
    ids: IdSource
    desk: Desk
    person: Callable[[], tuple[Actor, Signature]]
    policies: Callable[[], Policies]
    clear_locks: Callable[[int | None], list[str]]
    """Removes dead lock files of Git; given an inode, that one at once. Returns what was removed."""
    environment: Callable[[], Environment]
    """The project around, as one pass asks about it."""
    progress: Callable[[int, int], None] | None = None
    """Told how many of how many files were judged, while that is long work."""
    is_durable: bool = True

    def run(self, wish: Wish, *, wait_seconds: float, purpose: str) -> PassReport:
        """One pass. Proposals carry their own ends; what goes wrong for all of them is raised."""
        with self.store.lock(wait_seconds, purpose):
            self._refuse_busy()
            report = PassReport()
            report.recovered = self._recover()
            reach("recovered")
            for _ in range(_ATTEMPTS):
                try:
                    return self._attempt(wish, report)
                except LoopxError as error:
                    # A lock file that a killed Git left is old enough to be told dead once waiting for it has failed.
                    if not self._may_begin_again(error):
                        raise
            raise LoopxError("head-moved", f"main moved {_ATTEMPTS} times while this command tried to write")

    def recover_alone(self, wait_seconds: float, purpose: str) -> list[str]:
        """Finish or undo what a killed pass left behind, and nothing else; what was done, in words."""
        with self.store.lock(wait_seconds, purpose):
            self._refuse_busy()
            done = self._recover()
            left = self.desk.scan(thorough=True).temps
            sweep(self.places, left)
            return [*done, *(f"{path} was removed" for path in left)]

    def _may_begin_again(self, error: LoopxError) -> bool:
        """Whether another attempt may come out better. One that was published before its cache broke is a replay."""
        if error.code == "cache-broken":
            self.cache.reset()
            return True
        return error.code == "head-moved" or (error.code == "repository-busy" and bool(self.clear_locks(None)))

    def _refuse_busy(self) -> None:
        busy = self.store.busy()
        if busy is not None:
            raise LoopxError("repository-busy", f"`.loopx/.git` is busy: {busy}")

    def _recover(self) -> list[str]:
        done = recover(self.store, self.places, self.clear_locks, self.clock.wait)
        done += late.retry(self.store, self.places, lambda: self.ids.fresh("w"), self.clock.wait)
        return done + [f"a dead lock file was removed: {name}" for name in self.clear_locks(None)]

    def _attempt(self, wish: Wish, report: PassReport) -> PassReport:
        for proposal in wish.proposals:
            proposal.link = proposal.receipt = proposal.replay = proposal.error = None
        self.cache.begin()
        try:
            work, scan = self._prepare(wish, report)
            for proposal in wish.proposals:
                proposal.settle(work)
            reach("decided")
            published = self._publish(work) if work.links else None
            with _after(published):
                self._record(work, scan, published)
                self.cache.commit()
        except BaseException:
            self.cache.rollback()
            raise
        for clear in work.afterwards:
            clear()
        report.revision = published.commits[-1].oid if published else work.base
        report.left = published.left if published else ()
        report.notices += published.notices if published else ()
        self._answer(wish, work, published, report)
        return report

    def _prepare(self, wish: Wish, report: PassReport) -> tuple[Work, Scan]:
        """Everything before the decision: the state at hand, foreign commits judged, hand edits taken in."""
        head, admitted = self.store.head(), admitted_or_known(self.store)
        if admitted is not None:
            catch_up(self.cache, self.store, admitted)
        work = Work(self.store, self.cache, head, self.clock.now(), self.ids, self.environment())
        _refuse_newer(work)
        scan = self.desk.scan(thorough=wish.thorough)
        sweep(self.places, scan.temps)
        if head is not None and admitted is not None and head != admitted:
            self._admit(work, admitted, head, scan)
        reach("admitted-foreign")
        if wish.confirmed or wish.is_hurried or self._has_edits(scan):
            self._take_in(work, scan, wish, report)
        reach("taken-in")
        return work, scan

    def _has_edits(self, scan: Scan) -> bool:
        """Whether there is anything to take in, to take back, or to look at a second time; most often there is not."""
        if not scan.is_clean or self.cache.pending() or self.cache.absences():
            return True
        before = self.clock.now().timestamp() - ADOPTION_SECONDS
        return bool(journals.manifests(self.places, before))

    def _take_in(self, work: Work, scan: Scan, wish: Wish, report: PassReport) -> None:
        from loopx.workspace.takein import TakeIn  # the largest part of a pass to load

        take_in = TakeIn(
            work,
            self.places,
            self.clock,
            self.person,
            wish.confirmed,
            wish.accepted_by,
            is_hurried=wish.is_hurried,
            is_patient=not wish.proposals,
            progress=self.progress,
        )
        take_in.run(scan)
        report.notices, report.taken_in = take_in.notices, take_in.accepted

    def _admit(self, work: Work, admitted: str, head: str, scan: Scan) -> None:
        from loopx.workspace import foreign

        if self.store.is_ancestor(admitted, head):
            foreign.admit(work, admitted, head, scan)
        elif self.store.compare(admitted, head):
            raise LoopxError(
                "history-rewritten",
                f"main is at {head[:10]}, which does not contain the last accepted commit {admitted[:10]}",
                facts={"old": admitted, "new": head},
            )
        else:
            foreign.join_same_tree(work, admitted, head)

    def _publish(self, work: Work) -> Published:
        policies = self.policies()

        def run_hook() -> None:
            if policies.hooks is Hooks.RUN:
                self.store.run_hook("pre-commit", policies.hook_timeout_seconds)

        return publish(work, self.places, durable=self.is_durable, run_hook=run_hook, wait=self.clock.wait)

    def _record(self, work: Work, scan: Scan, published: Published | None) -> None:
        """Let the cache follow: the audit trail, the folder rows, and the revision it stands for."""
        touched = set(work.contents) | work.on_disk.keys() | work.held
        for folder, row in stale_rows(self.cache, scan, touched).items():
            self.cache.put_folder(folder, row)
        if published is None:
            return
        for link, written in zip(work.links, published.commits, strict=True):
            author = f"{link.author.name} <{link.author.email}>"
            paths = sorted(written.blobs)
            seq = self.cache.add_commit(commit_row(written.oid, author, link.receipt, link.headline, paths, link.ids))
            for path, blob in written.blobs.items():
                if blob is not None:
                    self.cache.add_version(path, blob, seq, written.oid)
        self.cache.set_meta("revision", published.commits[-1].oid)

    def _answer(self, wish: Wish, work: Work, published: Published | None, report: PassReport) -> None:
        oids = (
            {id(link): each.oid for link, each in zip(work.links, published.commits, strict=True)} if published else {}
        )
        pending = edits.pending(self.cache) if wish.proposals else []
        waiting = {each.path for each in pending} if published else set()
        unsettled = [problem for edit in pending if edit.state is not EditState.SETTLING for problem in edit.problems]
        for proposal in wish.proposals:
            if proposal.error is not None:
                continue
            if proposal.replay is not None:
                proposal.result = proposal.replay
                continue
            assert proposal.receipt is not None
            link = proposal.link
            revision = oids.get(id(link)) if link is not None else None
            kept = [
                path
                for path in (link.changes if link else ())
                if path in waiting or path in (published.left if published else ())
            ]
            notices = (*proposal.notices, *(_waits(path) for path in kept), *report.notices, *unsettled)
            proposal.result = Committed(proposal.receipt, revision, warnings=notices)


@contextmanager
def _after(published: Published | None) -> Iterator[None]:
    """Once main moved nothing is a plain failure any more: whoever is told of it must read back what happened."""
    try:
        yield
    except (LoopxError, OSError) as error:
        if published is None or getattr(error, "code", "") == "cache-broken":
            raise
        raise unfinished(error) from error


def _refuse_newer(work: Work) -> None:
    config = work.state.config()
    if config is not None and config.version > SCHEMA_VERSION:
        raise LoopxError(
            "workspace-version",
            f"the workspace has files of version {config.version}; this LoopX knows versions up to {SCHEMA_VERSION}",
        )


def _waits(path: str) -> Problem:
    from loopx.errors import Place

    return Problem("edit-waits", f"{path} holds an edit that is not accepted; the file was left as it is", Place(path))
