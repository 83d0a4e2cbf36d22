"""Reading: what the files say now, after taking in what was typed; or what they said at an earlier revision.

A read scans without the lock and takes it only when something differs. When it cannot be had, the last accepted state
is shown with ``edits-pending``. Nothing else is ever written by a read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from loopx.errors import LoopxError, Problem
from loopx.kernel.state import MemorySource, State
from loopx.model.clock import Clock
from loopx.model.codec import decode, encode
from loopx.model.defining import dataclass
from loopx.model.entities import CLASSES, Entity, goal_of, kind_of
from loopx.model.kind import Kind
from loopx.model.layout import locate
from loopx.model.times import parse_instant
from loopx.store.protocol import Store
from loopx.workspace import edits
from loopx.workspace import journal as journals
from loopx.workspace.admitted import admitted_or_known
from loopx.workspace.places import Places
from loopx.workspace.results import EditState, View
from loopx.workspace.scan import Scan
from loopx.workspace.settle import ADOPTION_SECONDS
from loopx.workspace.sighting import Desk, stale_rows
from loopx.workspace.source import CacheSource

if TYPE_CHECKING:
    from loopx.kernel.environment import Environment
    from loopx.store.cache import Cache
    from loopx.workspace.passes import Passes

READ_WAIT_SECONDS = 1.0
"""How long a read waits for the lock before it answers without the newest edits."""


@dataclass(slots=True, kw_only=True)
class Reader:
    """Answers reads of one workspace."""

    places: Places
    store: Store
    cache: Cache
    clock: Clock
    desk: Desk
    passes: Callable[[], Passes]
    mark_pages: Callable[[], None]
    """Says that the pages are out of date; what a read takes in shows on them too."""
    environment: Callable[[], Environment]
    """The project around, as one state asks about it."""

    def now(self, *, take_in: bool) -> View:
        """The state now."""
        self._follow()
        trouble = self._take_in() if take_in else []
        waiting = [problem for edit in edits.pending(self.cache) for problem in edit.problems]
        return View(
            State(CacheSource(self.cache), self.environment()),
            self.cache.get_meta("revision"),
            self.clock.now(),
            (*trouble, *waiting),
        )

    def past(self, name: str) -> View:
        """The state at an earlier revision. Raises ``revision-unknown``."""
        self._follow()
        commit = self.store.resolve(name)
        at = next(self.store.history(commit, limit=1)).committed_at
        unreadable: list[str] = []
        entities = list(entities_at(self.store, self.cache, commit, unreadable))
        state = State(MemorySource(entities, unreadable=unreadable), self.environment())
        return View(state, commit, at, is_past=True)

    def _follow(self) -> None:
        """Bring the cache to the last accepted commit."""
        target = admitted_or_known(self.store)
        if target is None or self.cache.get_meta("revision") == target:
            return
        from loopx.workspace.catchup import catch_up

        self.cache.begin()
        try:
            catch_up(self.cache, self.store, target)
            self.cache.commit()
        except BaseException:
            self.cache.rollback()
            raise

    def _take_in(self) -> list[Problem]:
        try:
            found = self.desk.scan()
        except OSError as error:
            return [Problem("edits-pending", f"the files could not be compared: {error.strerror or error}")]
        if not self._is_worth_a_pass(found):
            self._remember(found)
            return []
        from loopx.workspace.passes import Wish

        before = self._unaccepted()
        try:
            report = self.passes().run(Wish(), wait_seconds=READ_WAIT_SECONDS, purpose="taking in hand edits")
        except LoopxError as error:
            if error.code in ("history-rewritten", "workspace-version"):
                return [error.problem]
            return [Problem("edits-pending", f"edited files were not looked at: {error}", hint=error.problem.hint)]
        except OSError as error:
            return [Problem("edits-pending", f"edited files were not looked at: {error}")]
        if report.taken_in or self._unaccepted() != before:
            self.mark_pages()
        return list(report.notices)

    def _unaccepted(self) -> set[tuple[str, str | None, str]]:
        """What stands among the problems, but for files that only need to rest."""
        rows = self.cache.pending()
        return {(each.path, each.content, each.problems) for each in rows if each.state != EditState.SETTLING}

    def _is_worth_a_pass(self, found: Scan) -> bool:
        head = self.store.head()
        if self.places.journal.exists() or self.places.late.exists() or found.temps:
            return True
        if head != admitted_or_known(self.store):
            return True
        for each in found.changed:
            content = None if each.content is None else self.store.hash(each.content)
            if not edits.verdict_stands(self.cache, each.path, content, head):
                return True
        seen = {each.path for each in found.changed} | set(found.absent)
        if any(edit.path not in seen and edit.state is not EditState.DISPLACED for edit in edits.pending(self.cache)):
            return True
        return self._has_new_absence(found) or self._has_due_displaced()

    def _has_new_absence(self, found: Scan) -> bool:
        known = self.cache.absences()
        due = self.clock.now() - timedelta(seconds=ADOPTION_SECONDS)
        for path in found.absent:
            first = known.get(path)
            if first is None or (parse_instant(first) <= due and not self._is_judged_absent(path)):
                return True
        return False

    def _is_judged_absent(self, path: str) -> bool:
        row = self.cache.pending_at(path)
        return row is not None and row.head == (self.store.head() or "") and "document-absent" not in row.problems

    def _has_due_displaced(self) -> bool:
        due = (self.clock.now() - timedelta(seconds=ADOPTION_SECONDS)).timestamp()
        return bool(journals.manifests(self.places, due))

    def _remember(self, found: Scan) -> None:
        """Record what was seen to be clean; when somebody else is writing the cache just now, the next one will."""
        if not found.rows:
            return
        try:
            self.cache.begin()
        except LoopxError:
            return
        for folder, row in stale_rows(self.cache, found, set()).items():
            self.cache.put_folder(folder, row)
        self.cache.commit()


def entities_at(store: Store, cache: Cache, commit: str, unreadable: list[str]) -> Iterator[Entity]:
    """Every document of ``commit`` that can be read, from the cache by blob where it is known.

    The paths of the others are added to ``unreadable``.
    """
    unknown: dict[str, list[str]] = {}
    for entry in store.listing(commit):
        location = locate(entry.path)
        if location is None:
            continue
        known = cache.parsed(entry.oid)
        entity = None if known is None else decode(CLASSES[Kind(known[0])], json.loads(known[1]))
        # The same bytes may lie in two folders: what the folder says about them is not in the blob.
        if entity is not None and kind_of(entity) is location.kind and goal_of(entity) == location.goal:
            yield entity
        else:
            unknown.setdefault(entry.oid, []).append(entry.path)
    from loopx.documents import read

    for oid, content in store.read_many(unknown):
        for path in unknown[oid]:
            reading = read(path, content)
            if reading.entity is not None:
                cache.put_parsed(oid, reading.kind.value, json.dumps(encode(reading.entity), ensure_ascii=False))
                yield reading.entity
            else:
                unreadable.append(path)
