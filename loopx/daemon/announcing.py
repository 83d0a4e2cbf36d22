"""What is said after a look. Pure: from what was told so far and what a look found, to what is told now.

A commit is told at once. A refusal is told when it has stood for a second: a file caught half written is refused by
one look and fine at the next, and nobody is to hear of it. Told once, it is not told again until it changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from loopx.daemon.looking import Look
from loopx.errors import Problem
from loopx.model.defining import dataclass
from loopx.web.hub import Happening, HappeningKind
from loopx.workspace.reports import LogEntry
from loopx.workspace.results import EditState, PendingEdit

STANDS_AFTER = timedelta(seconds=1)
"""How long a refusal must stand before it is told."""

LASTS_AFTER = timedelta(seconds=5)
"""How long somebody else must hold the lock, or keep a file from being read, before that is told."""
_PASSING = frozenset({"edits-pending", "lock-held", "cache-busy"})


@dataclass(frozen=True, slots=True)
class Noted:
    """One refused file: what was said of it, since when, and whether that was told."""

    fingerprint: tuple[str, ...]
    since: datetime
    is_told: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered between two looks."""

    files: Mapping[str, Noted]
    failure: str = ""
    """The failure that was told and still stands."""
    failing_since: datetime | None = None
    """Since when looks have failed, told or not."""

    @property
    def has_doubts(self) -> bool:
        """Whether something waits to be told until it has stood long enough."""
        return any(not each.is_told for each in self.files.values())


NOTHING = Memory({})


def announce(memory: Memory, look: Look, now: datetime) -> tuple[list[Happening], Memory]:
    """What to tell of ``look``, and what to remember. After a look that failed nothing is concluded about files."""
    told = commits(look.commits, now)
    since = None if look.failure is None else memory.failing_since or now
    failure = _standing(look.failure, memory.failure, since, now)
    if failure != memory.failure:
        text = _failed(look.failure) if look.failure is not None else "All is well again: the last look went through."
        told.append(Happening(kind=HappeningKind.HEALTH, at=now, revision=look.revision, text=text))
    if look.failure is not None and look.state is None:
        return told, Memory(memory.files, failure, since)
    files = dict(_followed(memory.files, look.edits, now))
    told += _refusals(files, look, now)
    told += _settled(memory.files, files, look, now)
    marked = {
        path: Noted(each.fingerprint, each.since, each.is_told or _stands(each, now)) for path, each in files.items()
    }
    return told, Memory(marked, failure, since)


def _standing(problem: Problem | None, told: str, since: datetime | None, now: datetime) -> str:
    """The failure to be told. One that mostly passes by itself is told when it has lasted."""
    if problem is None or since is None:
        return ""
    if problem.code in _PASSING and now - since < LASTS_AFTER:
        return told
    return problem.code if problem.code in _PASSING else f"{problem.code}: {problem.message}"


def commits(entries: Iterable[LogEntry], now: datetime) -> list[Happening]:
    """What to tell of commits."""
    return [_commit(each, now) for each in entries]


def _followed(before: Mapping[str, Noted], edits: list[PendingEdit], now: datetime) -> Iterator[tuple[str, Noted]]:
    for edit in edits:
        if edit.state is EditState.SETTLING or not edit.problems:
            continue
        fingerprint = (edit.state.value, *(f"{each.code} {each.place} {each.message}" for each in edit.problems))
        known = before.get(edit.path)
        yield edit.path, known if known is not None and known.fingerprint == fingerprint else Noted(fingerprint, now)


def _stands(noted: Noted, now: datetime) -> bool:
    return now - noted.since >= STANDS_AFTER


def _refusals(files: Mapping[str, Noted], look: Look, now: datetime) -> Iterator[Happening]:
    told = [each for each in look.edits if each.path in files and not files[each.path].is_told]
    ready = [each for each in told if _stands(files[each.path], now)]
    for edit in ready[:20]:
        yield Happening(
            kind=HappeningKind.REFUSED, at=now, revision=look.revision, paths=(edit.path,), text=_refused(edit)
        )
    if len(ready) > 20:
        text = f"and {len(ready) - 20} more files are not accepted; `loopx edit` lists them."
        paths = tuple(each.path for each in ready[20:])
        yield Happening(kind=HappeningKind.REFUSED, at=now, revision=look.revision, paths=paths, text=text)


def _settled(before: Mapping[str, Noted], after: Mapping[str, Noted], look: Look, now: datetime) -> Iterator[Happening]:
    gone = sorted(path for path, each in before.items() if each.is_told and path not in after)
    if gone:
        text = f"no longer refused: {', '.join(gone[:5])}" + (f" and {len(gone) - 5} more" if len(gone) > 5 else "")
        yield Happening(kind=HappeningKind.ACCEPTED, at=now, revision=look.revision, paths=tuple(gone), text=text)


def _commit(entry: LogEntry, now: datetime) -> Happening:
    text = f"{entry.headline} · {entry.actor}"
    return Happening(kind=HappeningKind.ACCEPTED, at=now, revision=entry.revision, paths=entry.paths[:100], text=text)


def _refused(edit: PendingEdit) -> str:
    first = edit.problems[0]
    more = f" (and {len(edit.problems) - 1} more)" if len(edit.problems) > 1 else ""
    return f"{first.place or edit.path}: {first.message} [{first.code}]{more} → {first.hint}"


def _failed(problem: Problem) -> str:
    return f"{problem.message} [{problem.code}] → {problem.hint}"
