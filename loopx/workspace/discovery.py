"""Finding the workspace that owns a folder, and saying why it was that one. Reads the disk, changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from loopx.errors import LoopxError, Place
from loopx.model.defining import dataclass
from loopx.workspace.places import FOLDER


@dataclass(frozen=True, slots=True)
class Found:
    """The ``.loopx`` folder found, and by what: option, environment, folder or worktree."""

    root: Path
    found_by: str
    notes: tuple[str, ...] = ()


def find(start: Path, workspace: str | None, environ: Mapping[str, str]) -> Found:
    """The workspace for ``start``: named by option or LOOPX_WORKSPACE, else the nearest above.

    Raises ``workspace-missing`` or ``workspace-foreign``.
    """
    for named, found_by in ((workspace, "option"), (environ.get("LOOPX_WORKSPACE"), "environment")):
        if named:
            return Found(_named(Path(named).expanduser(), found_by), found_by)
    foreign: list[str] = []
    for folder in _upwards(start):
        candidate = folder / FOLDER
        if is_ours(candidate):
            return Found(candidate.resolve(), "folder", tuple(foreign))
        if is_foreign(candidate):
            foreign.append(f"{candidate} belongs to another tool and was passed over")
        main = main_worktree(folder)
        if main is not None and is_ours(main / FOLDER):
            return Found((main / FOLDER).resolve(), "worktree", tuple(foreign))
    raise LoopxError(
        "workspace-missing",
        f"no workspace was found in {start} or above" + (f" ({'; '.join(foreign)})" if foreign else ""),
    )


def is_ours(folder: Path) -> bool:
    """Whether ``folder`` is a workspace of ours: a history of its own is what tells."""
    return (folder / ".git").exists()


def is_foreign(folder: Path) -> bool:
    """Whether ``folder`` exists, holds something, and is not ours."""
    try:
        return not is_ours(folder) and any(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return folder.exists()


def main_worktree(folder: Path) -> Path | None:
    """The main worktree of the repository whose linked worktree has its top at ``folder``; ``None`` for any other."""
    marker = folder / ".git"
    if not marker.is_file():
        return None
    try:
        git_dir = (folder / marker.read_text(encoding="utf-8").removeprefix("gitdir:").strip()).resolve()
        common = (git_dir / (git_dir / "commondir").read_text(encoding="utf-8").strip()).resolve()
    except (OSError, UnicodeDecodeError):
        return None
    return common.parent if common.name == ".git" else None


def enclosing_repository(folder: Path) -> tuple[Path, Path] | None:
    """The top and the common Git folder of the project's own repository around ``folder``, if there is one."""
    for each in _upwards(folder):
        marker = each / ".git"
        if marker.is_dir():
            return each, marker
        main = main_worktree(each)
        if main is not None:
            return each, main / ".git"
        if marker.is_file():
            target = marker.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
            return each, (each / target).resolve()
    return None


def _named(path: Path, found_by: str) -> Path:
    if is_ours(path / FOLDER):
        return (path / FOLDER).resolve()
    if path.resolve().name == FOLDER and is_ours(path):  # never a project's own repository
        return path.resolve()
    where = "--workspace" if found_by == "option" else "LOOPX_WORKSPACE"
    if is_foreign(path / FOLDER):
        raise LoopxError("workspace-foreign", f"{path / FOLDER} is not a workspace of LoopX", place=Place(where))
    raise LoopxError("workspace-missing", f"{path} is not a workspace and holds none", place=Place(where))


def _upwards(start: Path) -> Iterator[Path]:
    here = start.resolve()
    yield here
    yield from here.parents
