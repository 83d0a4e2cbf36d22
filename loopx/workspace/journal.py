"""The journal: one small file that says what a write is about to do, so that a crash in the middle can be finished.

Written before main moves, dropped last. Where files were displaced it is kept beside them, under ``local/displaced/``,
until they have been looked at again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from loopx.model.defining import dataclass
from loopx.store.disk import flush_folder
from loopx.workspace.places import Places


class Step(NamedTuple):
    """What happens to one path. ``before`` and ``after`` are blob oids, ``None`` for no file."""

    path: str
    temp: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Journal:
    """A write in progress."""

    write: str
    """Id of this write; temp files carry it in their names."""
    base: str | None
    commit: str
    steps: tuple[Step, ...]
    index_inode: int
    index: dict[str, str | None]
    """Path to blob for everything the commits change, to prepare the index again if its lock is lost."""
    operations: tuple[str, ...] = ()
    """Operation ids of the commands in it, for read-back of an operation whose answer was lost."""

    def as_text(self) -> str:
        return json.dumps(
            {
                "write": self.write,
                "base": self.base,
                "commit": self.commit,
                "steps": [[s.path, s.temp, s.before, s.after] for s in self.steps],
                "index_inode": self.index_inode,
                "index": self.index,
                "operations": self.operations,
            },
            ensure_ascii=True,
        )

    @classmethod
    def of_text(cls, text: str) -> Journal:
        """The journal ``text`` holds; raises :class:`ValueError` when it holds none (it was never finished)."""
        try:
            raw = json.loads(text)
            steps = tuple(Step(*each) for each in raw["steps"])
            return cls(
                raw["write"], raw["base"], raw["commit"], steps, raw["index_inode"], raw["index"],
                tuple(raw["operations"]),
            )  # fmt: skip
        except (KeyError, TypeError) as error:
            raise ValueError("not a journal") from error


def write(places: Places, journal: Journal, *, durable: bool = True) -> None:
    """Put the journal in place, whole, and on disk where ``durable``."""
    fresh = places.journal.with_suffix(".new")
    with open(fresh, "w", encoding="ascii") as file:
        file.write(journal.as_text())
        file.flush()
        if durable:
            os.fsync(file.fileno())
    os.replace(fresh, places.journal)
    if durable:
        flush_folder(str(places.local))


def read(places: Places) -> Journal | None:
    """The journal left behind, if there is one. One that cannot be parsed was never in force: ``None``."""
    try:
        return Journal.of_text(places.journal.read_text(encoding="ascii"))
    except FileNotFoundError:
        return None
    except ValueError:
        return None


def drop(places: Places) -> None:
    """Forget the journal."""
    places.journal.unlink(missing_ok=True)


def keep_with_displaced(places: Places, journal: Journal) -> None:
    """Forget the journal, but keep it beside the displaced files it describes."""
    os.replace(places.journal, places.displaced / f"{journal.write}.json")


def manifests(places: Places, before: float | None = None) -> list[Path]:
    """Files of the kept journals of displaced files, oldest first; with ``before``, of those last changed by then
    (seconds since the epoch). Reads none of them: a burst of writes leaves hundreds for a moment."""
    found = []
    try:
        with os.scandir(places.displaced) as entries:
            for each in entries:
                if each.name.endswith(".json"):
                    changed = each.stat().st_mtime_ns
                    if before is None or changed <= before * 1e9:
                        found.append((changed, each.name))
    except FileNotFoundError:
        return []
    return [places.displaced / name for _, name in sorted(found)]


def displaced(places: Places, before: float | None = None) -> Iterator[tuple[Path, Journal]]:
    """The kept journals of displaced files, as :func:`manifests` finds them."""
    for each in manifests(places, before):
        try:
            yield each, Journal.of_text(each.read_text(encoding="ascii"))
        except (ValueError, FileNotFoundError):
            continue
