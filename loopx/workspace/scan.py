"""Comparing the working files with the last accepted version, cheaply: which folders are looked at, and how closely.

Folders people write in are looked at file by file. Folders only machines write are judged by the folder's own times.
Those of one day or month pile up as long as work goes on, so they are looked at when one came or went, while they are
among the newest, and as long as something is not in order in them. A thorough scan looks at everything.

Called by the pass and by reads; decides nothing and changes nothing but what is remembered of folders.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from loopx.workspace.visiting import BY_DAY, MACHINE_FOLDERS, RACY_NS, is_machines, row_of, visit, visit_machine
from loopx.workspace.visiting import Accepted as Accepted
from loopx.workspace.visiting import Scan as Scan
from loopx.workspace.visiting import Sighting as Sighting
from loopx.workspace.visiting import is_untrusted as is_untrusted
from loopx.workspace.visiting import look as look
from loopx.workspace.visiting import without as without

_HAND_FOLDERS = ("todos", "gates", "visions", "proposals")
_FENCES = ("leases",)
"""Machine-written, yet looked at file by file: whoever executes a Todo relies on what they say at this moment."""
_GROUPS = (*BY_DAY, "archive")
"""Folders of a Goal that hold nothing but a folder for each day or month."""
_TRUSTED = row_of((0, []))
_NEWEST = 2
"""So many of the newest days or months are always looked at."""


class Deep(Protocol):
    """What is remembered of folders of one day or month, asked for where it is needed."""

    def row(self, folder: str) -> bytes:
        """The row of one folder; empty when there is none."""
        ...

    def below(self, group: str) -> Mapping[str, bytes]:
        """Every row of a folder below ``group``."""
        ...


class Nothing:
    """Nothing is remembered."""

    def row(self, folder: str) -> bytes:
        return b""

    def below(self, group: str) -> Mapping[str, bytes]:
        return {}


def scan(
    root: Path,
    known: Mapping[str, bytes],
    accepted: Accepted,
    now_ns: int,
    *,
    thorough: bool = False,
    only: Collection[str] | None = None,
    deep: Deep | None = None,
) -> Scan:
    """Compare everything under ``root``, or ``only`` some folders.

    ``known`` are the rows recorded last: of ``only`` those folders, else of all but those of one day or month, which
    ``deep`` knows.
    """
    looking = _Look(os.fspath(root), accepted, now_ns, deep or Nothing(), thorough)
    if only is None:
        looking.everything(known)
    else:
        looking.these(only, known)
    for folder in known.keys() - looking.rows.keys():
        looking.gone(folder, known[folder])
    return looking.result


class _Look:
    """One scan."""

    def __init__(self, root: str, accepted: Accepted, now_ns: int, deep: Deep, thorough: bool) -> None:
        self.result = Scan()
        self.rows: dict[str, bytes] = {}
        """The folders looked at, with what is known of each now."""
        self._root = root
        self._accepted = accepted
        self._now_ns = now_ns
        self._deep = deep
        self._thorough = thorough

    def these(self, only: Collection[str], known: Mapping[str, bytes]) -> None:
        """Look at these folders alone, as far as documents may lie in them."""
        for folder in only:
            row = known.get(folder, b"")
            if not os.path.isdir(f"{self._root}/{folder}"):
                continue
            if _may_hold_documents(folder):
                is_machine = "/archive/" in folder or (is_machines(folder) and not folder.endswith(_FENCES))
                self._visit(folder, row, is_machine)
            else:
                self._note(folder, row, row)

    def everything(self, known: Mapping[str, bytes]) -> None:
        """Look at every folder that is worth it."""
        for folder, is_machine in self._folders():
            row = known.get(folder, b"")
            if folder.endswith(_GROUPS) and folder.count("/") == 2:
                self._visit_group(folder, row)
            else:
                self._visit(folder, row, is_machine)

    def gone(self, folder: str, row: bytes) -> None:
        """A folder that was there is not any more, with everything in it."""
        below = self._deep.below(folder) if folder.endswith(_GROUPS) else {}
        for each, its_row in {folder: row, **below}.items():
            self.result.absent.extend(f"{each}/{name}" for name in self._accepted.blobs_in(each))
            if its_row:
                self.result.rows[each] = b""

    def _visit(self, folder: str, row: bytes, is_machine: bool) -> None:
        result = self.result
        if is_machine:
            visit_machine(self._root, folder, row, self._accepted, self._now_ns, result, thorough=self._thorough)
        else:
            visit(self._root, folder, row, self._accepted, self._now_ns, result)
        self._note(folder, row, result.rows.pop(folder, row))

    def _note(self, folder: str, before: bytes, now: bytes) -> None:
        self.rows[folder] = now
        if now != before:
            self.result.rows[folder] = now

    def _visit_group(self, group: str, row: bytes) -> None:
        """The folders of days or months: all of them when one came or went, else those worth another look."""
        stat = os.stat(f"{self._root}/{group}")
        times = (stat.st_mtime_ns, stat.st_ino)
        recorded, names = marshal.loads(row) if row else (None, [])
        if recorded == times and not self._thorough:
            for name in names:
                self._visit(f"{group}/{name}", self._deep.row(f"{group}/{name}"), is_machine=True)
        else:
            names = self._visit_all(group)
        again = {each for each in names if is_untrusted(self.rows.get(f"{group}/{each}", _TRUSTED))}
        is_old = self._now_ns - stat.st_mtime_ns > RACY_NS
        self._note(group, row, row_of((times if is_old else None, sorted({*again, *newest(names)}))))

    def _visit_all(self, group: str) -> list[str]:
        """Look at whatever is not known to be in order, and at the newest; everything there is."""
        known = self._deep.below(group)
        names = sorted(_periods(f"{self._root}/{group}", is_nested=group.endswith("archive")))
        latest = set(newest(names))
        for name in names:
            row = known.get(f"{group}/{name}", b"")
            if self._thorough or name in latest or is_untrusted(row):
                self._visit(f"{group}/{name}", row, is_machine=True)
        for folder in known.keys() - {f"{group}/{name}" for name in names}:
            self.gone(folder, known[folder])
        return names

    def _folders(self) -> Iterator[tuple[str, bool]]:
        """Every folder that may hold documents, or folders of days, as ``(path, only machines write it)``."""
        yield "", False
        if os.path.islink(f"{self._root}/goals"):
            return  # as with any linked folder: what lies behind it is not ours
        for goal in _subfolders(f"{self._root}/goals"):
            base = f"goals/{goal}"
            yield base, False
            present = set(_subfolders(f"{self._root}/{base}"))
            for name in (*_HAND_FOLDERS, *MACHINE_FOLDERS, *_GROUPS):
                if name in present:
                    yield f"{base}/{name}", name not in _HAND_FOLDERS and name not in _FENCES


def newest(names: Collection[str]) -> list[str]:
    """The newest of the days or months ``names``."""
    periods = sorted({each.partition("/")[0] for each in names})[-_NEWEST:]
    return [each for each in names if each.partition("/")[0] in periods]


def group_of(folder: str) -> str | None:
    """The folder of days or months that ``folder`` is one of, or lies in."""
    parts = folder.split("/")
    return "/".join(parts[:3]) if len(parts) > 3 and parts[2] in _GROUPS else None


def _may_hold_documents(folder: str) -> bool:
    """Whether documents may lie directly in ``folder``: not so in one that holds nothing but days or months."""
    parts = folder.split("/") if folder else []
    match parts:
        case ["goals", _, group]:
            return group in _HAND_FOLDERS or group in MACHINE_FOLDERS
        case ["goals", _, group, _]:
            return group in BY_DAY
        case ["goals", _, "archive", _, _]:
            return True
        case _:
            return len(parts) in (0, 2)


def _periods(group: str, *, is_nested: bool) -> Iterator[str]:
    for period in _subfolders(group):
        if is_nested:
            yield from (f"{period}/{name}" for name in _subfolders(f"{group}/{period}"))
        else:
            yield period


def _subfolders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [each.name for each in entries if each.name[0] != "." and each.is_dir(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
