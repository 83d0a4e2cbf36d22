"""Snapshots of the files a run may write: taken as each step leaves them, put back when a recovery says so, and laid
out afresh for a verifier.

Each is a commit in the workspace's own repository (:mod:`loopx.store.git.snapshots`). The newest of a run says how its
last execution left the files, so that whatever differs from it before the next one begins is somebody else's work,
which is never overwritten unless a person says so. The project's own repository is never touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from loopx.errors import LoopxError
from loopx.kernel.scopes import covers
from loopx.loop.keeping.laying_out import carried_along, laid_out, laid_out_beside, put_back, stands_in_the_way
from loopx.model.clock import Clock
from loopx.model.plan import PlanStep
from loopx.model.step import StepEffect
from loopx.store.git.scoped import LARGEST, Entries, Scanner, Seen
from loopx.store.git.snapshots import Snapshots

KEPT_FOR = timedelta(days=14)
"""How long the snapshots of a run that has ended are kept."""
_MOST_TOLD = 50
_FOUND = "_found"
"""How a snapshot is called that was taken before an execution. No step can be called so."""
_SCOPES = "LoopX-Scopes: "
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


def scopes_of(steps: Iterable[PlanStep]) -> tuple[str, ...]:
    """The union of what the steps of a plan may write. A step that names no scope adds nothing: what it writes cannot
    be told from anybody else's work."""
    writing = (each for each in steps if any(effect is not StepEffect.READ for effect in each.effects))
    return tuple(dict.fromkeys(scope for each in writing for scope in each.write_scopes))


def sweep(store: Snapshots, kept: Collection[str], now: datetime, kept_for: timedelta = KEPT_FOR) -> list[str]:
    """Drop snapshots older than ``kept_for``, but for those of the runs ``kept``; their names. Called where a run
    ends."""
    return store.drop_before(now - kept_for, lambda name: name.partition("/")[0] in kept)


class ProjectArtifacts:
    """The snapshots of one run. ``store`` is :attr:`loopx.store.git.repository.GitStore.snapshots`."""

    def __init__(
        self,
        store: Snapshots,
        project: str | Path,
        scopes: Sequence[str],
        run: str,
        clock: Clock,
        *,
        largest: int = LARGEST,
    ) -> None:
        self._store = store
        self._project = Path(project)
        self._scopes = tuple(scopes)
        self._run = run
        self._clock = clock
        self._scanner = Scanner(self._project, store.form, covers, largest)
        self.uncovered: dict[str, str] = {}
        """What the last snapshot does not hold although it lies within the scopes, and why."""

    def take(self, label: str) -> str:
        """Take a snapshot; its id. When nothing changed since the last one, that is it."""
        return self._keep(self._seen(self._scopes), label, self._scopes)

    def found(self) -> None:
        """Look at the files before an execution begins: what differs from how the last one left them is somebody
        else's, and stays so whatever the next one does."""
        if self._names:
            self._keep(self._seen(self._scopes), _FOUND, self._scopes)

    def tree(self, snapshot: str) -> str:
        """The tree hash a snapshot holds. Raises ``snapshot-unknown``."""
        return self._store.tree(snapshot)

    def restore(self, snapshot: str, *, over_others: bool = False) -> str:
        """Put the files back and say the tree's hash as it is then; the present is kept in a snapshot first.

        Raises ``snapshot-overwrites`` where that would undo changes somebody made since the snapshot, other than while
        an execution ran (unless ``over_others``), and ``snapshot-blocked`` where something not in the snapshot stands
        in the way or lies outside what the run may write; nothing is changed then.
        """
        wanted, scopes = self._store.entries(snapshot), self._scopes_of(snapshot)
        seen = self._seen(scopes)
        changes = {
            path: wanted.get(path)
            for path in sorted({*wanted, *seen.entries})
            if wanted.get(path) != seen.entries.get(path)
        }
        if not over_others:
            self._refuse_others(snapshot, changes, seen.entries)
        self._refuse_blocked(changes, seen.entries)
        self._keep(seen, "before-restore", scopes)
        contents = dict(self._store.contents({entry[1] for entry in changes.values() if entry is not None}))
        put_back(self._project, changes, contents)
        return self._restored(snapshot, scopes)

    @contextmanager
    def checkout(self, snapshot: str, carried: Sequence[str] = ()) -> Iterator[str]:
        """A folder of its own with the project as ``snapshot`` holds it: within the scopes what it holds, everything
        else that Git does not ignore as it is now. ``carried`` names ignored paths that are wanted there too. Raises
        ``checkout-missing`` for one that is not there."""
        wanted, scopes = self._store.entries(snapshot), self._scopes_of(snapshot)
        contents = dict(self._store.contents({oid for _, oid in wanted.values()}))
        with laid_out(wanted, contents) as folder:
            laid_out_beside(self._project, folder, lambda path: covers(scopes, path))
            carried_along(self._project, folder, carried)
            yield str(folder)

    # how the last execution left the files ---------------------------------------------------------

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        """Names and ids of this run's snapshots, oldest first."""
        return [(each.name, each.oid) for each in self._store.named(f"{self._run}/")]

    def _seen(self, scopes: Sequence[str]) -> Seen:
        last = self._store.entries(self._names[-1][1]) if self._names else {}
        keeper = self._store.keeper(oid for _, oid in last.values())
        try:
            seen = self._scanner.scan(scopes, keeper.keep)
            keeper.finish()
        except BaseException:
            self._scanner.forget()
            raise
        return seen

    def _keep(self, seen: Seen, label: str, scopes: Sequence[str]) -> str:
        self.uncovered = dict(seen.uncovered)
        if self._names:
            last = self._names[-1][1]
            if self._store.tree(last) == self._store.tree_of(seen.entries) and self._scopes_of(last) == tuple(scopes):
                return last
        message = _message(self._run, label, scopes, seen.uncovered)
        oid = self._store.write(seen.entries, message, self._clock.now())
        self._name(label, oid)
        return oid

    def _name(self, label: str, oid: str) -> None:
        number = int(self._names[-1][0].rpartition("/")[2].partition("-")[0]) + 1 if self._names else 1
        name = f"{self._run}/{number:06d}-{_UNFIT.sub('-', label)[:80]}"
        self._store.name(name, oid)
        self._names.append((name, oid))

    def _scopes_of(self, snapshot: str) -> tuple[str, ...]:
        """The scopes a snapshot was taken of."""
        for line in self._store.message(snapshot).splitlines():
            if line.startswith(_SCOPES):
                return tuple(json.loads(line.removeprefix(_SCOPES)))
        raise LoopxError("snapshot-unknown", f"{snapshot} is no snapshot of a run.", facts={"snapshot": snapshot})

    # what speaks against putting back --------------------------------------------------------------

    def _refuse_others(
        self, snapshot: str, changes: Entries | dict[str, tuple[int, str] | None], present: Entries
    ) -> None:
        last = self._names[-1][1] if self._names else None
        left = self._store.entries(last) if last is not None else {}
        between = self._found_since(snapshot)
        others = [path for path in changes if path in between or left.get(path) != present.get(path)]
        if others:
            shown = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
            message = f"Somebody else changed {shown} since."
            raise LoopxError("snapshot-overwrites", message, facts={"paths": others[:_MOST_TOLD]})

    def _found_since(self, snapshot: str) -> set[str]:
        """Paths somebody else changed between executions after ``snapshot``."""
        known = [number for number, (_, oid) in enumerate(self._names) if oid == snapshot]
        start = known[-1] + 1 if known else 1
        found = set[str]()
        for (_, before), (name, after) in zip(self._names[start - 1 :], self._names[start:], strict=False):
            if name.endswith(f"-{_FOUND}"):
                old, new = self._store.entries(before), self._store.entries(after)
                found.update(path for path in {*old, *new} if old.get(path) != new.get(path))
        return found

    def _refuse_blocked(self, changes: dict[str, tuple[int, str] | None], present: Entries) -> None:
        for path in changes:
            if not covers(self._scopes, path):
                message = f"{path} lies outside what the run may write now."
                raise LoopxError("snapshot-blocked", message, facts={"path": path})
        found = stands_in_the_way(self._project, changes, present)
        if found is not None:
            path, why = found
            raise LoopxError("snapshot-blocked", f"{path} stands in the way: {why}.", facts={"path": path})

    def _restored(self, snapshot: str, scopes: Sequence[str]) -> str:
        """Look at what is there now, and take it for how the run left the files."""
        seen = self._seen(scopes)
        tree = self._store.tree_of(seen.entries)
        if tree == self._store.tree(snapshot):
            self._name("restored", snapshot)
        else:
            self._keep(seen, "after-restore", scopes)
        return tree


def _message(run: str, label: str, scopes: Sequence[str], uncovered: dict[str, str]) -> str:
    told = [f"  {json.dumps(path)}: {why}" for path, why in list(uncovered.items())[:_MOST_TOLD]]
    if len(uncovered) > _MOST_TOLD:
        told.append(f"  and {len(uncovered) - _MOST_TOLD} more")
    lines = [f"snapshot: {run} {label}", "", f"{_SCOPES}{json.dumps(list(scopes))}"]
    return "\n".join([*lines, *(["Not covered:", *told] if told else [])])
