"""The project's files within write scopes as they are on disk, byte for byte: what a snapshot is made of.

Called by the loop. The project's repository is only read; without one, its folders are walked. What cannot be part of a
snapshot is told with the reason, so that nobody takes it for kept.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loopx.store.git.artifact import EXACT, LEFT_BEHIND, bounds, is_ours
from loopx.store.git.enclosing import asked
from loopx.store.git.format import ObjectFormat
from loopx.store.protocol import Oid

LARGEST = 20 << 20
"""Bytes above which a file is not kept."""
UNFINISHED = ".loopx-restoring-"
"""How files that are being written back begin; they are never part of anything."""
FILE, PROGRAM, LINK = 0o100644, 0o100755, 0o120000
_GRANULE_NS = 50_000_000
"""How far apart two changes must be for a file system's clock to tell them apart, with room to spare."""
_Seen = tuple[int, int, int, int, int]

Entries = dict[str, tuple[int, Oid]]
"""Path below the project to mode and blob."""
Covers = Callable[[Sequence[str], str], bool]
"""Whether a path lies within patterns."""


@dataclass(slots=True)
class Seen:
    """The files within scopes as they were at one moment."""

    entries: Entries = field(default_factory=dict)
    uncovered: dict[str, str] = field(default_factory=dict)
    """Path to why it is not among them."""


@dataclass(slots=True)
class Scanner:
    """Looks at one project again and again; a file whose marks on disk are the same is not read twice."""

    project: Path
    form: ObjectFormat
    covers: Covers
    largest: int = LARGEST
    _known: dict[str, tuple[_Seen, int, Oid]] = field(default_factory=dict)

    def scan(self, scopes: Sequence[str], keep: Callable[[Oid, bytes], None]) -> Seen:
        """The files within ``scopes``. ``keep`` gets the content of each file that was read."""
        seen = Seen()
        if not scopes:
            return seen
        now = _now_ns()
        paths, ignored = listed(self.project, scopes, self.covers)
        seen.uncovered.update((path, "it is ignored") for path in ignored)
        for path in paths:
            reason = self._look(path, scopes, seen.entries, now, keep)
            if reason is not None:
                seen.uncovered[path] = reason
        return seen

    def forget(self) -> None:
        """Read every file again the next time: what was handed over last may not have been kept."""
        self._known.clear()

    def _look(
        self, path: str, scopes: Sequence[str], entries: Entries, now: int, keep: Callable[[Oid, bytes], None]
    ) -> str | None:
        """Put the file at ``path`` among ``entries``; or why that cannot be, ``None`` also where nothing is there."""
        file = self.project / path
        try:
            found = file.lstat()
            if stat.S_ISLNK(found.st_mode):
                return self._link(file, path, scopes, entries, keep)
            if stat.S_ISDIR(found.st_mode):
                return "it is a repository of its own"
            if not stat.S_ISREG(found.st_mode):
                return "it is no file"
            if found.st_size > self.largest:
                return f"it is larger than {self.largest} bytes"
            entries[path] = self._file(file, path, found, now, keep)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except PermissionError:
            return "it may not be read"
        return None

    def _file(
        self, file: Path, path: str, found: os.stat_result, now: int, keep: Callable[[Oid, bytes], None]
    ) -> tuple[int, Oid]:
        marks = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_mode)
        known = self._known.get(path)
        if known is not None and known[0] == marks:
            return known[1], known[2]
        content = file.read_bytes()
        oid = self.form.oid("blob", content)
        keep(oid, content)
        mode = PROGRAM if found.st_mode & stat.S_IXUSR else FILE
        if max(found.st_mtime_ns, found.st_ctime_ns) < now - _GRANULE_NS and len(content) == found.st_size:
            self._known[path] = (marks, mode, oid)
        else:
            self._known.pop(path, None)
        return mode, oid

    def _link(
        self, file: Path, path: str, scopes: Sequence[str], entries: Entries, keep: Callable[[Oid, bytes], None]
    ) -> str | None:
        leads_to = os.path.relpath(os.path.realpath(file), os.path.realpath(self.project))
        if leads_to.startswith("..") or not self.covers(scopes, leads_to):
            return "it is a link that leads out of the scopes"
        content = os.fsencode(os.readlink(file))
        oid = self.form.oid("blob", content)
        keep(oid, content)
        entries[path] = (LINK, oid)
        return None


def listed(project: Path, scopes: Sequence[str], covers: Covers) -> tuple[list[str], list[str]]:
    """Paths within ``scopes`` that Git tracks or would add, and those it ignores; where no repository can tell, all
    files there are, and none ignored."""
    within = bounds(scopes, ())
    output = asked(project, *EXACT, "ls-files", "-z", "-c", "-o", "--exclude-standard", "--", *within)
    ignored = asked(project, *EXACT, "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory", "--", *within)
    if output is None or ignored is None:
        return sorted(path for path in walked(project) if covers(scopes, path)), []
    return _names(output), _names(ignored)


def walked(project: Path) -> Iterator[str]:
    """Every file below ``project`` but for what LoopX, Git and caches keep there."""
    for folder, inside, files in os.walk(project):
        here = Path(folder)
        links = [name for name in inside if (here / name).is_symlink()]
        inside[:] = [each for each in inside if each not in (*LEFT_BEHIND, *links, ".git", ".loopx", ".local")]
        for name in (*files, *links):
            path = (here / name).relative_to(project).as_posix()
            if name not in LEFT_BEHIND and not name.startswith(UNFINISHED):
                yield path


def _names(output: bytes) -> list[str]:
    found: Iterable[str] = (
        each.rstrip(b"/").decode("utf-8", "surrogateescape") for each in output.split(b"\0") if each
    )
    kept = (path for path in found if not is_ours(path) and not os.path.basename(path).startswith(UNFINISHED))
    return sorted(set(kept))


def _now_ns() -> int:
    """The time by the file system's own clock, which is what marks of files are told in."""
    with tempfile.TemporaryFile() as file:
        file.write(b".")
        file.flush()
        return os.fstat(file.fileno()).st_mtime_ns
