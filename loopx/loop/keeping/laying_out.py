"""Files written from a snapshot: back into the project, or into a folder of their own.

Called by :mod:`loopx.loop.keeping.snapshots`, which decides what may be written. Nothing here writes through a link,
and a file appears under its name only once it is whole.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from loopx.errors import LoopxError
from loopx.store.disk import guarded
from loopx.store.git.scoped import LINK, PROGRAM, UNFINISHED, Entries, listed

Changes = Mapping[str, tuple[int, str] | None]
"""Path to the mode and blob it is to have; ``None`` to be gone."""


def stands_in_the_way(project: Path, changes: Changes, present: Entries) -> tuple[str, str] | None:
    """The first path that keeps ``changes`` from being made, and why."""
    going = {path for path, entry in changes.items() if entry is None}
    for path, entry in changes.items():
        blocked = _above(project, path, going)
        if blocked is not None:
            return blocked
        found = _kind(project / path)
        if entry is not None and found == "folder":
            kept = next((each for each in _below(project, path) if each not in going), None)
            if kept is not None:
                return kept, f"{path} is to be a file again"
        elif found is not None and path not in present:
            return path, "no snapshot holds it as it is now"
    return None


def put_back(project: Path, changes: Changes, contents: Mapping[str, bytes]) -> None:
    """Make ``changes``: what is to go goes first, and folders it leaves empty with it."""
    with guarded(str(project)):
        for path in (each for each, entry in changes.items() if entry is None):
            (project / path).unlink(missing_ok=True)
            _tidy((project / path).parent, project)
        for path, entry in changes.items():
            if entry is not None:
                file = project / path
                if _kind(file) == "folder":
                    _remove_empty(file)
                file.parent.mkdir(parents=True, exist_ok=True)
                _write(file, entry[0], contents[entry[1]])


@contextmanager
def laid_out(entries: Entries, contents: Mapping[str, bytes]) -> Iterator[Path]:
    """``entries`` in a new folder, which is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="loopx-checkout-"))
    try:
        with guarded(str(folder)):
            for path, (mode, oid) in entries.items():
                file = folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                _write(file, mode, contents[oid])
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def laid_out_beside(project: Path, folder: Path, is_left_out: Callable[[str], bool]) -> None:
    """Copy the files of ``project`` that Git does not ignore into ``folder``, but for those left out."""
    paths, _ = listed(project, ("**",), lambda scopes, path: True)
    with guarded(str(folder)):
        for path in paths:
            kind = _kind(project / path)
            if kind in (None, "folder") or is_left_out(path):
                continue
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            if not os.path.lexists(folder / path):
                shutil.copy2(project / path, folder / path, follow_symlinks=False)


def carried_along(project: Path, folder: Path, paths: Sequence[str]) -> None:
    """Let ``folder`` have more paths of ``project``: copies of files, links to folders, which may be very large."""
    for path in paths:
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or ".." in parts or parts[0] in (".loopx", ".git"):
            raise LoopxError("checkout-missing", f"{path} is no path in the project that can be carried along.")
        source, target = project / path, folder / path
        if not source.exists():
            raise LoopxError("checkout-missing", f"{path} is to be carried along and is not there.")
        target.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(target):
            continue
        if source.is_dir():
            target.symlink_to(source.resolve(), target_is_directory=True)
        else:
            shutil.copy2(source, target)


def _above(project: Path, path: str, going: set[str]) -> tuple[str, str] | None:
    """A link or file where ``path`` needs a folder."""
    for above in list(PurePosixPath(path).parents)[:-1]:
        kind = _kind(project / above)
        if kind == "link" and str(above) not in going:
            return str(above), "it is a link, and nothing is written through one"
        if kind == "file" and str(above) not in going:
            return str(above), f"it is a file, and {path} lies below it"
    return None


def _below(project: Path, path: str) -> Iterator[str]:
    for folder, inside, files in os.walk(project / path):
        for name in (*files, *(each for each in inside if (Path(folder) / each).is_symlink())):
            yield (Path(folder) / name).relative_to(project).as_posix()


def _kind(file: Path) -> str | None:
    try:
        mode = file.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    return "link" if stat.S_ISLNK(mode) else "folder" if stat.S_ISDIR(mode) else "file"


def _write(file: Path, mode: int, content: bytes) -> None:
    fresh = file.with_name(f"{UNFINISHED}{os.getpid()}")
    fresh.unlink(missing_ok=True)
    if mode == LINK:
        os.symlink(os.fsdecode(content), fresh)
    else:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with open(os.open(fresh, flags, 0o777 if mode == PROGRAM else 0o666), "wb") as opened:
            opened.write(content)
    os.replace(fresh, file)


def _tidy(folder: Path, project: Path) -> None:
    """Remove ``folder`` and those above it as long as nothing is in them."""
    while folder != project:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _remove_empty(folder: Path) -> None:
    """Remove a folder in which there are only folders."""
    for inside, _, _ in os.walk(folder, topdown=False):
        os.rmdir(inside)
