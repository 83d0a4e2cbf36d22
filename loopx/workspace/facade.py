"""The workspace as callers see it: find or make one, read, submit, look back, roll back. The public Python API."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from loopx.model.actor import Actor, Origin
from loopx.model.clock import Clock, IdSource
from loopx.workspace.clock import RandomIds, SystemClock
from loopx.workspace.discovery import Found, find
from loopx.workspace.exclusion import ensure
from loopx.workspace.opened import OpenWorkspace
from loopx.workspace.results import Based
from loopx.workspace.sighting import Watch

if TYPE_CHECKING:
    from loopx.projections.facts import Survey
    from loopx.workspace.doctor import Diagnosis, Repaired
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


class Workspace(OpenWorkspace):
    """One ``.loopx/`` workspace. Safe to use from several threads; close it when done."""

    # finding and making ----------------------------------------------------------------------

    @classmethod
    def find(
        cls,
        start: Path | None = None,
        *,
        workspace: str | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
        ids: IdSource | None = None,
        watch: Watch | None = None,
    ) -> Workspace:
        """The workspace that owns ``start`` (else the current folder). Raises ``workspace-missing`` and kin."""
        environ = os.environ if environ is None else environ
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
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
        ids: IdSource | None = None,
    ) -> Workspace:
        """Make a workspace, or find that it is there already. Raises ``workspace-foreign``, ``identity-missing``."""
        from loopx.workspace import creation

        environ = os.environ if environ is None else environ
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

    # looking ------------------------------------------------------------------------------------

    def survey(self, view: View, *, full: bool = False) -> Survey:
        """The facts pages and terminal views show, for a state that was read."""
        from loopx.workspace.survey import survey

        with self._turn:
            return survey(self.cache, view, full=full)

    def whole_survey(self, view: View) -> Survey:
        """The facts of a full survey with everything about the work on each Goal and all that is owed: for pages."""
        from loopx.workspace.doctor.repairs import repeated
        from loopx.workspace.survey import survey_for_pages

        with self._turn:
            return survey_for_pages(self.cache, view, repeated(self.places, view.at))

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

    def show(self, rev: str, ids: tuple[str, ...] = ()) -> CommitReport:
        """One commit, with its receipt and what it changed, of some documents or all. Raises ``revision-unknown``."""
        from loopx.workspace.history import show

        with self._turn:
            self.reader.now(take_in=False)
            return show(self.store, self.cache, rev, ids)

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
        expect_revision: str | None = None,
        origin: Origin = Origin.COMMAND,
    ) -> RolledBack:
        """Put documents back to ``rev`` by a new commit, and prove it. Raises :class:`RefusedError`."""
        from loopx.workspace.rollback import roll_back

        based = Based(expect_revision, origin)
        return roll_back(self, rev, reason=reason, actor=actor, goal=goal, todo=todo, op=op, based=based)

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
        expect_revision: str | None = None,
        origin: Origin = Origin.COMMAND,
    ) -> RolledBack:
        """Undo one operation's documents. Raises ``undo-built-upon`` when later operations changed them since."""
        from loopx.workspace.undo import undo

        based = Based(expect_revision, origin)
        return undo(self, op, actor=actor, reason=reason, and_operations=and_operations, new_op=new_op, based=based)

    def choose_history(self, keep: str, *, actor: Actor, reason: str) -> Committed:
        """After history was rewritten: keep the ``old`` tip or the ``new`` one."""
        from loopx.workspace.rewritten import choose

        with self._turn:
            return choose(self, keep, actor=actor, reason=reason)

    # hand edits --------------------------------------------------------------------------------

    def edits(self, *, take_in: bool = True) -> list[PendingEdit]:
        """Files that differ from the last accepted version and were not taken in."""
        from loopx.workspace.edits import pending

        with self._turn:
            self.reader.now(take_in=take_in)
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

    # disagreement ------------------------------------------------------------------------------

    def doctor(self, *, goal: str | None = None, at: str | None = None) -> Diagnosis:
        """Which surface is wrong, who owns the fact and what kind of difference it is. Changes nothing."""
        from loopx.workspace.doctor.examining import examine

        with self._turn:
            return examine(self, goal=goal, at=at)

    def repair(self, *, actor: Actor, cause: str | None = None) -> Repaired:
        """Make pages, cache, index and journal right, and read back. Raises :class:`RefusedError`."""
        from loopx.workspace.doctor.repairing import repair

        with self._turn:
            return repair(self, actor=actor, cause=cause)


def default_actor(ws: Workspace) -> Actor:
    """The person whose machine this is. Raises ``identity-missing``."""
    return ws.people.person()[0]
