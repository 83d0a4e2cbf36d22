"""The workspace as callers see it: find or make one, read, submit, look back, roll back. The public Python API."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from loopx.errors import LoopxError, Place
from loopx.model.actor import Actor, Origin
from loopx.model.clock import Clock, IdSource
from loopx.model.ids import OPERATION, OPERATION_PATTERN
from loopx.model.kind import Kind
from loopx.store.cache import Cache
from loopx.store.git.repository import GitStore
from loopx.workspace.actors import People
from loopx.workspace.clock import RandomIds, SystemClock
from loopx.workspace.discovery import Found, find
from loopx.workspace.exclusion import ensure
from loopx.workspace.places import Places
from loopx.workspace.reading import Reader
from loopx.workspace.sighting import Desk, Watch
from loopx.workspace.source import CacheSource

if TYPE_CHECKING:
    from loopx.kernel.commands import Command
    from loopx.model.workspace import Policies
    from loopx.projections.facts import Survey
    from loopx.workspace.pages import Pages
    from loopx.workspace.passes import Passes, PassReport, Wish
    from loopx.workspace.proposal import Proposal
    from loopx.workspace.reports import (
        CheckReport,
        CommitReport,
        Fix,
        LogEntry,
        OperationReport,
        RollbackPacket,
        RolledBack,
        Where,
    )
    from loopx.workspace.results import Committed, PendingEdit, View

LOCK_GRACE_SECONDS = 1.0
"""How old a lock file must be before it can be told dead."""


class Workspace:
    """One ``.loopx/`` workspace. Safe to use from several threads; close it when done."""

    def __init__(
        self,
        found: Found,
        *,
        environ: Mapping[str, str],
        clock: Clock | None = None,
        ids: IdSource | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.found = found
        self.places = Places(found.root)
        self.environ = environ
        self.clock = clock or SystemClock()
        self.ids = ids or RandomIds()
        self.people = People(self.places.project)
        self.created = False
        self.progress: Callable[[int, int], None] | None = None
        """Told how many of how many files were taken in, while that is long work."""
        self.notes: tuple[str, ...] = found.notes
        self.cache = Cache(self.places.cache)
        settings = _settings(self.cache)
        self.is_durable = settings.get("durability", "full") == "full"
        self.store = GitStore(
            self.places.root, clock=self.clock, durable=self.is_durable, run_hooks=settings.get("hooks", "run") == "run"
        )
        self.desk = Desk(self.places, self.store, self.cache, self.clock, watch)
        self.reader = Reader(
            places=self.places,
            store=self.store,
            cache=self.cache,
            clock=self.clock,
            desk=self.desk,
            passes=lambda: self.passes,
            mark_pages=lambda: self.pages.mark(),
        )
        self._queue: list[Proposal] = []
        self._turn = threading.RLock()
        self._queue_guard = threading.Lock()

    @cached_property
    def passes(self) -> Passes:
        """Who writes; made when something is to be written, since most reads need none of it."""
        from loopx.workspace.passes import Passes

        return Passes(
            places=self.places,
            store=self.store,
            cache=self.cache,
            clock=self.clock,
            ids=self.ids,
            desk=self.desk,
            person=self.people.person,
            policies=self.policies,
            clear_locks=self.clear_locks,
            progress=lambda done, total: self.progress(done, total) if self.progress else None,
            is_durable=self.is_durable,
        )

    @cached_property
    def pages(self) -> Pages:
        """The pages regenerated after writes."""
        from loopx.workspace.pages import Pages

        return Pages(self)

    # finding and making ----------------------------------------------------------------------

    @classmethod
    def find(
        cls,
        start: Path | None = None,
        *,
        workspace: str | None = None,
        environ: Mapping[str, str],
        clock: Clock | None = None,
        ids: IdSource | None = None,
        watch: Watch | None = None,
    ) -> Workspace:
        """The workspace that owns ``start`` (the current folder). Raises ``workspace-missing``, ``workspace-foreign``."""
        found = find(start or Path.cwd(), workspace, environ)
        ensure(found.root.parent)
        return cls(found, environ=environ, clock=clock, ids=ids, watch=watch)

    @classmethod
    def create(
        cls,
        path: Path | None = None,
        *,
        title: str | None = None,
        git_dir: Path | None = None,
        sign: bool = False,
        environ: Mapping[str, str],
        clock: Clock | None = None,
        ids: IdSource | None = None,
    ) -> Workspace:
        """Make a workspace, or find that it is there already. Raises ``workspace-foreign``, ``identity-missing``."""
        from loopx.workspace import creation

        project, notes = creation.target_folder(path, Path.cwd())
        made = creation.create(
            project,
            title=title,
            git_dir=git_dir,
            sign=sign,
            clock=clock or SystemClock(),
            ids_=ids or RandomIds(),
            environ=environ,
        )
        found = Found(made.root.resolve(), "folder", (*notes, *made.notes))
        ws = cls(found, environ=environ, clock=clock, ids=ids)
        ws.created = made.is_new
        ws.pages.ensure_schemas()
        return ws

    def where(self) -> Where:
        """What was found as the workspace, and why."""
        from loopx.workspace.reports import Where

        config = self.reader.now(take_in=False).state.config()
        return Where(
            root=str(self.places.root),
            project=str(self.places.project),
            git_dir=str(self.store.git_dir),
            found_by=self.found.found_by,
            workspace_id=config.id if config else None,
            title=config.title if config else None,
            head=self.store.head(),
            notes=self.found.notes,
        )

    # reading -----------------------------------------------------------------------------------

    def read(self, *, at: str | None = None, take_in: bool = True) -> View:
        """The state now (after taking in hand edits), or at a revision. Raises ``revision-unknown``."""
        with self._turn:
            return self.reader.past(at) if at is not None else self.reader.now(take_in=take_in)

    def survey(self, view: View, *, full: bool = False) -> Survey:
        """The facts pages and terminal views show, for a state that was read."""
        from loopx.workspace.survey import survey

        with self._turn:
            return survey(self, view, full=full)

    def policies(self) -> Policies:
        """The settings in force."""
        from loopx.model.workspace import Policies, WorkspaceConfig

        config = CacheSource(self.cache).get(Kind.WORKSPACE, "")
        if isinstance(config, WorkspaceConfig):
            return config.policies
        return Policies()

    # writing -----------------------------------------------------------------------------------

    def fresh_operation(self) -> str:
        """A new operation id."""
        return self.ids.fresh(OPERATION)

    def submit(
        self,
        command: Command,
        *,
        actor: Actor,
        op: str | None = None,
        expect_revision: str | None = None,
        origin: Origin = Origin.COMMAND,
    ) -> Committed:
        """Propose ``command``. Returns what was committed, or the original answer when ``op`` was committed before.

        Raises :class:`RefusedError` when the kernel says no, and :class:`LoopxError` for anything else in the way.
        """
        proposal = self.proposal(command, actor=actor, op=op, expect_revision=expect_revision, origin=origin)
        return self.settle(proposal)

    def proposal(
        self,
        command: Command,
        *,
        actor: Actor,
        op: str | None = None,
        expect_revision: str | None = None,
        origin: Origin = Origin.COMMAND,
    ) -> Proposal:
        """``command`` as a proposal to a pass."""
        from loopx.workspace.proposal import Proposal

        _check_operation(op)
        return Proposal(
            command=command,
            actor=actor,
            author=self.people.author_of(actor),
            operation=op or self.fresh_operation(),
            is_named=op is not None,
            origin=origin,
            expect_revision=expect_revision,
        )

    def settle(self, proposal: Proposal) -> Committed:
        """Run ``proposal``, together with those other threads have waiting: one lock, one flush, one move of main."""
        with self._queue_guard:
            self._queue.append(proposal)
        with self._turn:
            if proposal.result is None and proposal.error is None:
                self._run_queue()
        if proposal.error is not None:
            raise proposal.error
        assert proposal.result is not None
        return proposal.result

    def _run_queue(self) -> None:
        from loopx.workspace.passes import Wish

        with self._queue_guard:
            batch, self._queue = self._queue, []
        purpose = batch[0].command.name or "a command"
        try:
            self.run_pass(Wish(proposals=batch), purpose=purpose)
        except LoopxError as error:
            for each in batch:
                each.error = each.error or error
        except BaseException as error:
            for each in batch:
                each.error = each.error or LoopxError("bug", f"the pass ended early: {error}")
            raise

    def run_pass(self, wish: Wish, *, purpose: str) -> PassReport:
        """One pass, waiting for the lock as long as the workspace allows."""
        with self._turn:
            policies = self.policies()
            report = self.passes.run(wish, wait_seconds=policies.lock_timeout_seconds, purpose=purpose)
            if any(each.link is not None for each in wish.proposals) or report.taken_in:
                self.pages.mark()
            return report

    def clear_locks(self, ours: int | None) -> list[str]:
        """Remove lock files of Git that no process holds; the index lock of inode ``ours`` at once.

        A lock file too young to be told dead is waited for.
        """
        from loopx.store.stale_locks import remove_dead_locks, wait_for_young_locks

        root, git_dir = self.places.root, self.store.git_dir

        def remove() -> list[str]:
            return remove_dead_locks(root, git_dir, now=self.clock.now(), grace_seconds=LOCK_GRACE_SECONDS, ours=ours)

        removed = remove()
        if wait_for_young_locks(git_dir, self.clock, LOCK_GRACE_SECONDS):
            removed += remove()
        return removed

    # looking back ------------------------------------------------------------------------------

    def operation(self, op: str) -> OperationReport:
        """What is known of an operation: committed, pending, absent or unknown."""
        from loopx.workspace.operations import report

        with self._turn:
            return report(self, op)

    def log(
        self,
        *,
        id: str | None = None,
        actor: str | None = None,
        command: str | None = None,
        since: datetime | None = None,
        limit: int | None = 50,
        every: bool = False,
    ) -> list[LogEntry]:
        """The audit trail, newest first. ``every`` lifts the limit."""
        from loopx.workspace.history import log

        with self._turn:
            self.reader.now(take_in=True)
            return log(self.cache, id=id, actor=actor, command=command, since=since, limit=None if every else limit)

    def show(self, rev: str) -> CommitReport:
        """One commit, with its receipt and what it changed. Raises ``revision-unknown``."""
        from loopx.workspace.history import show

        with self._turn:
            self.reader.now(take_in=False)
            return show(self.store, self.cache, rev)

    def diff(self, old: str, new: str | None = None, ids: tuple[str, ...] = ()) -> str:
        """The textual difference between two revisions (``new``: the last accepted one), of some documents or all."""
        from loopx.workspace.history import diff

        with self._turn:
            self.reader.now(take_in=True)
            return diff(self.store, self.cache, old, new, ids)

    # going back --------------------------------------------------------------------------------

    def plan_rollback(
        self, rev: str, *, goal: str | None = None, todo: str | None = None, everything: bool = True
    ) -> RollbackPacket:
        """What a rollback to ``rev`` would do. Changes nothing."""
        from loopx.workspace.rollback import plan

        with self._turn:
            self.reader.now(take_in=True)
            return plan(self, self.store.resolve(rev), goal=goal, todo=todo)

    def roll_back(
        self,
        rev: str,
        *,
        reason: str,
        actor: Actor,
        goal: str | None = None,
        todo: str | None = None,
        op: str | None = None,
    ) -> RolledBack:
        """Put documents back to ``rev`` by a new commit, and prove it. Raises :class:`RefusedError`."""
        from loopx.workspace.rollback import roll_back

        return roll_back(self, rev, reason=reason, actor=actor, goal=goal, todo=todo, op=op)

    def plan_undo(self, op: str | None = None, and_operations: tuple[str, ...] = ()) -> RollbackPacket:
        """What undoing ``op`` (the newest operation) would do. Changes nothing."""
        from loopx.workspace.undo import plan

        with self._turn:
            self.reader.now(take_in=True)
            return plan(self, op, and_operations)

    def undo(
        self,
        op: str | None = None,
        *,
        actor: Actor,
        reason: str | None = None,
        and_operations: tuple[str, ...] = (),
        new_op: str | None = None,
    ) -> RolledBack:
        """Undo one operation's documents. Raises ``undo-built-upon`` when later operations changed them since."""
        from loopx.workspace.undo import undo

        return undo(self, op, actor=actor, reason=reason, and_operations=and_operations, new_op=new_op)

    def choose_history(self, keep: str, *, actor: Actor, reason: str) -> Committed:
        """After history was rewritten: keep the ``old`` tip or the ``new`` one."""
        from loopx.workspace.rewritten import choose

        with self._turn:
            return choose(self, keep, actor=actor, reason=reason)

    # hand edits --------------------------------------------------------------------------------

    def edits(self) -> list[PendingEdit]:
        """Files that differ from the last accepted version and were not taken in."""
        from loopx.workspace.edits import pending

        with self._turn:
            self.reader.now(take_in=True)
            return pending(self.cache)

    def accept_edit(self, path: str, *, actor: Actor) -> Committed:
        """Take an edit that waits for a person's word. Never bypasses a guard."""
        from loopx.workspace.settling import accept

        return accept(self, path, actor=actor)

    def discard_edit(self, path: str, *, actor: Actor) -> str:
        """Drop an edit; a copy is kept. Returns where."""
        from loopx.workspace.settling import discard

        return discard(self, path, actor=actor)

    def check(self, *, fix: bool = False, confirm: Callable[[list[Fix]], bool] | None = None) -> CheckReport:
        """Read every document and say what is wrong; with ``fix`` make sure repairs ``confirm`` agrees to."""
        from loopx.workspace.check import check

        with self._turn:
            return check(self, fix=fix, confirm=confirm)

    def render(self, *, wait: bool) -> None:
        """Bring the pages up to date: now, or by a background process."""
        self.pages.render() if wait else self.pages.start()

    def close(self) -> None:
        """End helper processes and give the cache back."""
        self.store.close()
        self.cache.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def default_actor(ws: Workspace) -> Actor:
    """The person whose machine this is. Raises ``identity-missing``."""
    return ws.people.person()[0]


def _settings(cache: Cache) -> Mapping[str, str]:
    """The policies as written, read without making them an entity: every read asks, and needs two of them."""
    row = next(iter(cache.select(Kind.WORKSPACE.value)), None)
    found: Mapping[str, str] = json.loads(row.data).get("policies", {}) if row is not None else {}
    return found


def _check_operation(op: str | None) -> None:
    if op is not None and not re.fullmatch(OPERATION_PATTERN, op):
        raise LoopxError(
            "usage", f"{op[:60]!r} cannot be an operation id", place=Place("--op"),
            hint="Use letters, digits, dots, dashes and colons, at most 127.",
        )  # fmt: skip
