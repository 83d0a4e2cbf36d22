"""Comparing the working files with the last accepted version, cheaply.

For each folder of documents the cache keeps one row: names, times, sizes and inodes of its files when all of them
equalled HEAD. A folder whose listing still gives the same bytes is clean and costs one ``stat`` a file; only files that
differ from the row are read and hashed. An entry recorded within 20 ms of its own times is hashed again next time
(Git's racy rule). Folders that only machines write are judged by the folder's own times, unless asked to be thorough;
those of days more than a week past by being there.

Called by the pass and by reads; decides nothing and changes nothing but those rows.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISLNK
from typing import Any, NamedTuple

from loopx.model.defining import dataclass
from loopx.model.layout import WORKSPACE_FILE, locate
from loopx.workspace.droppings import is_dropping, is_temp

RACY_NS = 20_000_000
_Stat = tuple[str, int, int, int, int]
_HAND_FOLDERS = ("todos", "gates", "visions", "proposals")
_MACHINE_FOLDERS = (
    "completions",
    "decisions",
    "criteria",
    "leases",
    "monitors",
    "effects",
    "handoffs",
    "baselines",
)
_FENCES = ("leases",)
"""Machine-written, yet looked at file by file: whoever executes a Todo relies on what they say at this moment."""
_BY_DAY = ("evidence", "turns")
_FIRST_DAY = "0001-01-01"
_PAST_NS = 7 * 24 * 3600 * 10**9
"""How old a day's folder is before it is taken to be as it was last seen."""
_PLANS = "plans"
"""Below it a folder for each Todo, and in it one for each run: a plan people write, and what only machines write."""
_OF_RUN = ("steps", "trace")
_OF_GOAL = ("goal.md", "closure.yaml")
"""Documents that lie in a Goal's own folder."""


class Sighting(NamedTuple):
    """A document file that is not the last accepted version. ``content`` is ``None`` when it cannot be read."""

    path: str
    content: bytes | None
    modified_ns: int = 0
    is_link: bool = False
    error: str = ""


@dataclass(slots=True)
class Scan:
    """What the working files look like against HEAD."""

    changed: list[Sighting] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    temps: list[str] = field(default_factory=list)
    rows: dict[str, bytes] = field(default_factory=dict)
    """Folder rows to record; empty bytes mean *look again next time*."""
    partial: dict[str, bytes] = field(default_factory=dict)
    """Of folders that were not clean, what a row would say of their clean files: good while history stands."""
    seen: int = 0

    @property
    def is_clean(self) -> bool:
        return not self.changed and not self.absent


class Accepted(NamedTuple):
    """How the last accepted version is asked: paths and blobs below a folder, and the hash of a content."""

    blobs_in: Callable[[str], Mapping[str, str]]
    """Folder (``""`` for the root) to file name to blob oid, of the documents directly in it."""
    hash: Callable[[bytes], str]


def scan(
    root: Path,
    known: Mapping[str, bytes],
    accepted: Accepted,
    now_ns: int,
    *,
    thorough: bool = False,
    only: Collection[str] | None = None,
) -> Scan:
    """Compare everything under ``root``, or ``only`` some folders. ``known`` are the folder rows recorded last."""
    result = Scan()
    visited: set[str] = set()
    last = _day(now_ns - _PAST_NS)
    for folder, is_machine in _folders(root) if only is None else _these(root, only):
        visited.add(folder)
        row = known.get(folder, b"")
        if row and only is None and not thorough and _is_long_past(folder, last):
            continue
        if is_machine:
            _visit_machine(root, folder, row, accepted, now_ns, result, thorough=thorough)
        else:
            _visit(root, folder, row, accepted, now_ns, result)
    for folder in known.keys() - visited:
        gone = accepted.blobs_in(folder)
        result.absent.extend(f"{folder}/{name}" for name in gone)
        if known[folder]:
            result.rows[folder] = b""
    return result


def _is_long_past(folder: str, last: str) -> bool:
    """Whether ``folder`` holds the records of a day up to ``last``. Nobody writes there but LoopX, which knows that it
    did; that the folder is there at all was seen. A long past would otherwise be looked at folder by folder by every
    command. What somebody changes there is found by a thorough look."""
    parts = folder.split("/")
    return len(parts) == 4 and parts[2] in _BY_DAY and _FIRST_DAY < parts[3] <= last


def _day(ns: int) -> str:
    return datetime.fromtimestamp(max(ns, 0) / 1e9, UTC).date().isoformat()


def _these(root: Path, only: Collection[str]) -> Iterator[tuple[str, bool]]:
    for folder in only:
        if _may_hold_documents(folder) and (root / folder).is_dir():
            yield folder, "/archive/" in folder or (_is_machines(folder) and not folder.endswith(_FENCES))


def _may_hold_documents(folder: str) -> bool:
    """Whether documents may lie directly in ``folder``: not so in one that holds nothing but days or months."""
    parts = folder.split("/") if folder else []
    match parts:
        case ["goals", _, group]:
            return group in _HAND_FOLDERS or group in _MACHINE_FOLDERS
        case ["goals", _, group, _]:
            return group in _BY_DAY
        case ["goals", _, "archive", _, _]:
            return True
        case _:
            return len(parts) in (0, 2)


def _is_machines(folder: str) -> bool:
    """Whether only records lie in ``folder``."""
    parts = folder.split("/")
    if len(parts) > 4 and parts[2] == _PLANS:
        return len(parts) == 6 and parts[-1] in _OF_RUN
    return parts[-1] in _MACHINE_FOLDERS or (len(parts) == 4 and parts[2] in _BY_DAY)


def _is_run(folder: str) -> bool:
    """Whether ``folder`` is that of a run: its plan and its record lie in it."""
    parts = folder.split("/")
    return len(parts) == 5 and parts[2] == _PLANS


def _folders(root: Path) -> Iterator[tuple[str, bool]]:
    """Every folder that may hold documents, as ``(path, only machines write it)``; ``""`` is the root."""
    yield "", False
    if (root / "goals").is_symlink():
        return  # as with any linked folder: what lies behind it is not ours
    for goal in _subfolders(root / "goals"):
        base = f"goals/{goal}"
        yield base, False
        present = set(_subfolders(root / base))
        for name in _HAND_FOLDERS:
            if name in present:
                yield f"{base}/{name}", False
        for name in _MACHINE_FOLDERS:
            if name in present:
                yield f"{base}/{name}", name not in _FENCES
        for group in {*_BY_DAY, "archive"} & present:
            yield from _dated(root, f"{base}/{group}", group == "archive")
        if _PLANS in present:
            yield from _runs(root, f"{base}/{_PLANS}")


def _dated(root: Path, base: str, is_archive: bool) -> Iterator[tuple[str, bool]]:
    for period in _subfolders(root / base):
        if not is_archive:
            yield f"{base}/{period}", True
            continue
        for name in _subfolders(root / base / period):
            yield f"{base}/{period}/{name}", True


def _runs(root: Path, base: str) -> Iterator[tuple[str, bool]]:
    """The folders of every run of a Goal."""
    for todo in _subfolders(root / base):
        for run in _subfolders(root / base / todo):
            folder = f"{base}/{todo}/{run}"
            yield folder, False
            yield from ((f"{folder}/{each}", True) for each in _subfolders(root / folder) if each in _OF_RUN)


def _subfolders(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [each.name for each in entries if each.name[0] != "." and each.is_dir(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _visit(root: Path, folder: str, row: bytes, accepted: Accepted, now_ns: int, result: Scan) -> None:
    where = root / folder if folder else root
    listing = _listing(where, folder, result)
    result.seen += len(listing)
    if row and _row(listing) == row:
        return
    trusted = {each[0]: each for each in marshal.loads(row)} if row else {}
    recorded, is_clean = _judge(where, folder, listing, trusted, accepted, now_ns, result)
    result.rows[folder] = _row(recorded) if is_clean else b""
    if not is_clean:
        result.partial[folder] = _row(recorded)


def _visit_machine(
    root: Path, folder: str, row: bytes, accepted: Accepted, now_ns: int, result: Scan, *, thorough: bool
) -> None:
    """A folder only machines write: while its own times stand, nothing came or went in it."""
    where = root / folder
    stat = os.stat(where)
    times = (stat.st_mtime_ns, stat.st_ino)
    known, entries = marshal.loads(row) if row else (None, [])
    if known == times and not thorough:
        return
    trusted = {} if thorough else {each[0]: each for each in entries}
    recorded, is_clean = _judge(where, folder, _listing(where, folder, result), trusted, accepted, now_ns, result)
    if not is_clean:
        result.rows[folder] = b""
        return
    result.rows[folder] = _row((times if now_ns - stat.st_mtime_ns > RACY_NS else None, recorded))


def without(row: bytes, names: Collection[str]) -> bytes:
    """``row`` with some files no longer trusted."""
    if not row:
        return b""
    content = marshal.loads(row)
    if isinstance(content, list):
        return _row([each if each[0] not in names else (each[0], 0, 0, 0, 0) for each in content])
    return _row((None, [each for each in content[1] if each[0] not in names]))


def _row(content: Any) -> bytes:
    """Bytes that are equal whenever what they stand for is; later versions of the format depend on reference counts."""
    return marshal.dumps(content, 2)


def _listing(where: Path, folder: str, result: Scan) -> list[_Stat]:
    """Name, times, size and inode of each document file directly in ``where``, in the folder's own order."""
    if not folder or folder.count("/") == 1:
        return _named_files(where, _OF_GOAL if folder else (WORKSPACE_FILE,), folder, result)
    suffix = _suffix(folder)
    found: list[_Stat] = []
    with os.scandir(where) as entries:
        for each in entries:
            name = each.name
            if name[0] == ".":
                if is_temp(name):
                    result.temps.append(f"{folder}/{name}")
            elif name.endswith(suffix):
                try:
                    stat = each.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                found.append((name, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino))
    return found


def _suffix(folder: str) -> str:
    """How the names of the documents in ``folder`` end."""
    if folder.endswith("/trace") and _is_machines(folder):
        return ".jsonl"
    return ".yaml" if _is_machines(folder) or _is_run(folder) else ".md"


def _named_files(where: Path, names: Collection[str], folder: str, result: Scan) -> list[_Stat]:
    """The listing of a folder in which only certain names are documents: the root's, a Goal's."""
    found: list[_Stat] = []
    for each in os.listdir(where):
        if is_temp(each):
            result.temps.append(f"{folder}/{each}" if folder else each)
        if each not in names:
            continue
        try:
            stat = os.stat(where / each, follow_symlinks=False)
        except FileNotFoundError:
            continue
        found.append((each, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino))
    return found


def _judge(
    where: Path,
    folder: str,
    listing: list[_Stat],
    trusted: Mapping[str, _Stat],
    accepted: Accepted,
    now_ns: int,
    result: Scan,
) -> tuple[list[_Stat], bool]:
    """Sort the files of one folder into clean and changed; a row that trusts the clean ones, and whether all are."""
    blobs = dict(accepted.blobs_in(folder))
    clean = True
    recorded: list[_Stat] = []
    for each in listing:
        name = each[0]
        blob = blobs.pop(name, None)
        if blob is None or trusted.get(name) != each:
            path = f"{folder}/{name}" if folder else name
            if is_dropping(name) or locate(path) is None:
                recorded.append(each)
                continue
            sighting = look(where / name, path)
            if sighting is None:
                clean = False
                continue
            if blob is None or sighting.content is None or accepted.hash(sighting.content) != blob:
                result.changed.append(sighting)
                clean = False
                continue
        recorded.append(each if now_ns - max(each[1], each[2]) > RACY_NS else (name, 0, 0, 0, 0))
    result.absent.extend(f"{folder}/{name}" if folder else name for name in blobs)
    return recorded, clean and not blobs


def look(file: Path, path: str) -> Sighting | None:
    """Read one document file; ``None`` when it is not there (any more)."""
    try:
        stat = os.stat(file, follow_symlinks=False)
        if S_ISLNK(stat.st_mode):
            return Sighting(path, None, stat.st_mtime_ns, is_link=True)
        content = file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        return Sighting(path, None, error=error.strerror or str(error))
    return Sighting(path, content, stat.st_mtime_ns)
