"""A workspace that is open: its parts, put together once, and the two things everything else is made of, reading and
writing. :class:`loopx.workspace.facade.Workspace` adds what callers ask for by name.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Self

from loopx.errors import LoopxError, Place
from loopx.model.actor import Actor, Origin
from loopx.model.clock import Clock, IdSource
from loopx.model.ids import OPERATION, OPERATION_PATTERN
from loopx.model.kind import Kind
from loopx.store.cache import Cache
from loopx.store.git.repository import GitStore
from loopx.workspace.actors import People, choose_actor
from loopx.workspace.clock import RandomIds, SystemClock
from loopx.workspace.discovery import Found
from loopx.workspace.places import Places
from loopx.workspace.reading import Reader
from loopx.workspace.sighting import Desk, Watch
from loopx.workspace.source import CacheSource

if TYPE_CHECKING:
    from loopx.kernel.commands import Command
    from loopx.model.workspace import Policies
    from loopx.workspace.pages import Pages
    from loopx.workspace.passes import Passes, PassReport, Wish
    from loopx.workspace.project import ProjectEnvironment
    from loopx.workspace.proposal import Proposal
    from loopx.workspace.results import Committed, View

LOCK_GRACE_SECONDS = 1.0
"""How old a lock file must be before it can be told dead."""


class OpenWorkspace:
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
        self.store = self._open_store(run_hooks=settings.get("hooks", "run") == "run")
        self.desk = Desk(self.places, self.store, self.cache, self.clock, watch)
        self.reader = Reader(
            places=self.places,
            store=self.store,
            cache=self.cache,
            clock=self.clock,
            desk=self.desk,
            passes=lambda: self.passes,
            mark_pages=lambda: self.pages.mark(),
            environment=self.environment,
        )
        self._queue: list[Proposal] = []
        self._turn = threading.RLock()
        self._queue_guard = threading.Lock()

    def _open_store(self, *, run_hooks: bool) -> GitStore:
        """The history of this workspace: the one place that says which store keeps it."""
        return GitStore(self.places.root, clock=self.clock, durable=self.is_durable, run_hooks=run_hooks)

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
            environment=self.environment,
            progress=lambda done, total: self.progress(done, total) if self.progress else None,
            is_durable=self.is_durable,
        )

    @cached_property
    def pages(self) -> Pages:
        """The pages regenerated after writes."""
        from loopx.workspace.pages import Pages

        return Pages(self)

    # reading -----------------------------------------------------------------------------------

    def read(self, *, at: str | None = None, take_in: bool = True) -> View:
        """The state now (after taking in hand edits), or at a revision. Raises ``revision-unknown``."""
        with self._turn:
            return self.reader.past(at) if at is not None else self.reader.now(take_in=take_in)

    def environment(self) -> ProjectEnvironment:
        """The project around, to be asked afresh; each state gets one of its own."""
        from loopx.workspace.project import ProjectEnvironment

        return ProjectEnvironment(self.places.project, self.environ)

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
        actor: Actor | None = None,
        op: str | None = None,
        expect_revision: str | None = None,
        origin: Origin = Origin.COMMAND,
    ) -> Committed:
        """Propose ``command``. Returns what was committed, or the original answer when ``op`` was committed before.

        Without an ``actor`` it is who LOOPX_ACTOR names, else the person Git is configured for. Raises
        :class:`RefusedError` when the kernel says no, and :class:`LoopxError` for anything else in the way.
        """
        proposal = self.proposal(command, actor=actor, op=op, expect_revision=expect_revision, origin=origin)
        return self.settle(proposal)

    def proposal(
        self,
        command: Command,
        *,
        actor: Actor | None = None,
        op: str | None = None,
        expect_revision: str | None = None,
        origin: Origin = Origin.COMMAND,
    ) -> Proposal:
        """``command`` as a proposal to a pass."""
        from loopx.workspace.proposal import Proposal

        _check_operation(op)
        who = actor or choose_actor(None, self.environ, self.people)
        return Proposal(
            command=command,
            actor=who,
            author=self.people.author_of(who),
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
            from loopx.workspace.unknown import of_operation

            for each in batch:
                each.error = each.error or of_operation(error, each.operation)
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

    def render(self, *, wait: bool) -> None:
        """Bring the pages up to date: now, or by a background process."""
        self.pages.render() if wait else self.pages.start()

    def close(self) -> None:
        """End helper processes and give the cache back."""
        self.store.close()
        self.cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _settings(cache: Cache) -> Mapping[str, str]:
    """The policies as written, read without making them an entity: every read asks, and needs two of them."""
    try:
        row = next(iter(cache.select(Kind.WORKSPACE.value)), None)
    except LoopxError as error:
        if error.code != "cache-broken":
            raise
        cache.reset()  # nothing in it is the only copy of anything
        row = None
    found: Mapping[str, str] = json.loads(row.data).get("policies", {}) if row is not None else {}
    return found


def _check_operation(op: str | None) -> None:
    if op is not None and not re.fullmatch(OPERATION_PATTERN, op):
        raise LoopxError(
            "usage", f"{op[:60]!r} cannot be an operation id", place=Place("--op"),
            hint="Use letters, digits, dots, dashes and colons, at most 127.",
        )  # fmt: skip
