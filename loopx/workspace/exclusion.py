"""Keeping the workspace out of the project's own repository: two lines in its private exclude file, nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from loopx.errors import Place, Problem
from loopx.workspace.discovery import enclosing_repository
from loopx.workspace.places import FOLDER

LINES = (f"{FOLDER}/", ".local/")


def ensure(project: Path) -> bool:
    """See to it that the enclosing repository ignores the workspace; ``True`` when lines had to be added.

    A project that is no repository, or whose Git folder cannot be written, is left as it is.
    """
    found = enclosing_repository(project)
    if found is None:
        return False
    exclude = found[1] / "info" / "exclude"
    present = _lines(exclude)
    missing = [line for line in LINES if line not in present]
    if not missing:
        return False
    try:
        exclude.parent.mkdir(exist_ok=True)
        with open(exclude, "ab") as file:
            file.write(_gap(exclude) + "".join(f"{line}\n" for line in missing).encode())
    except OSError:
        return False
    return True


def is_excluded(project: Path) -> bool:
    """Whether nothing is missing: no enclosing repository, or both lines in its exclude file."""
    found = enclosing_repository(project)
    return found is None or set(LINES) <= _lines(found[1] / "info" / "exclude")


def tracked(project: Path) -> Iterator[Problem]:
    """A problem for each sign that the project's repository tracks the workspace, now or in its history."""
    found = enclosing_repository(project)
    if found is None:
        return
    from loopx.store.git.enclosing import last_commit_of, tracked_files

    top = found[0]
    inside = os.path.relpath(project / FOLDER, top)
    names = tracked_files(top, inside)
    if names:
        sentence = f"the project's repository tracks {', '.join(names[:3])}{' and more' if len(names) > 3 else ''}"
        yield Problem("workspace-tracked", sentence, Place(inside))
        return
    past = last_commit_of(top, inside)
    if past is not None:
        yield Problem(
            "workspace-tracked",
            f"the project's history holds files of the workspace, last in {past}",
            Place(inside),
            hint="They stay in that history; decide whether it may be public.",
        )


def _lines(exclude: Path) -> set[str]:
    try:
        return {line.strip() for line in exclude.read_text(encoding="utf-8", errors="replace").splitlines()}
    except OSError:
        return set()


def _gap(exclude: Path) -> bytes:
    """A line break, where the file does not end with one."""
    try:
        content = exclude.read_bytes()
    except FileNotFoundError:
        return b""
    return b"" if not content or content.endswith(b"\n") else b"\n"
