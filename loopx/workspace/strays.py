"""Files among the documents that LoopX does not read: a wrong folder, a wrong ending, a capital letter too many.

``loopx check`` tells of them, so that nobody waits for a Todo that nothing will ever look at. What editors and systems
leave behind is not told of.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from loopx.errors import Place, Problem
from loopx.model.layout import locate
from loopx.workspace.droppings import is_dropping

TOLD_LIMIT = 100
"""Strays told of; whoever has more has put a whole tree in the wrong place."""
_FOLDERS = ("todos", "gates", "visions", "proposals")


def strays(root: Path) -> Iterator[Problem]:
    """A notice for each file below ``goals/`` that is no document, by path."""
    for path in islice(_files(root), TOLD_LIMIT):
        message = f"{path} lies where LoopX reads no document."
        yield Problem("document-stray", message, Place(path), hint=_hint(path))


def _files(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root / "goals"):
        folders[:] = sorted(each for each in folders if not is_dropping(each))
        below = Path(folder).relative_to(root)
        for name in sorted(names):
            path = (below / name).as_posix()
            if not is_dropping(name) and locate(path) is None:
                yield path


def _hint(path: str) -> str:
    """Where it may have been meant to lie; empty for the catalogue's own words."""
    parts = path.split("/")
    if len(parts) == 3 and parts[2].lower() == "goal.md":
        return "Name it goal.md to have it read."
    if len(parts) < 4:
        return ""
    folder = next(iter(get_close_matches(parts[2].lower(), _FOLDERS, 1)), None)
    if folder is None:
        return ""
    name = Path(parts[-1]).stem
    return f"Move it to goals/{parts[1]}/{folder}/{name}.md to have it read."
