"""What file names may lead to elsewhere: two that are one and the same on other systems, and files with more than one.

Called by ``loopx check``. Reads names and file status, no contents.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from loopx.errors import Place, Problem


def clashes(paths: Iterable[str]) -> Iterator[Problem]:
    """A notice for each path that a system without case, or with its own form of accents, takes for an earlier one."""
    known: dict[str, str] = {}
    for path in paths:
        first = known.setdefault(unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold()), path)
        if first != path:
            message = f"{path} and {first} have the same name on systems that do not tell their letters apart."
            yield Problem("document-name-clash", message, Place(path), facts={"other": first})


def shared(root: Path, paths: Iterable[str]) -> Iterator[Problem]:
    """A notice for each file that has another name somewhere, which will not follow."""
    for path in paths:
        try:
            links = os.stat(root / path, follow_symlinks=False).st_nlink
        except OSError:
            continue
        if links > 1:
            yield Problem(
                "file-shared", f"{path} has another name elsewhere, which no change here reaches.", Place(path)
            )
