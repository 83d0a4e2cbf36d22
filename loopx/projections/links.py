"""Ways between pages and files: relative links that hold wherever the workspace is moved.

Pages lie in ``status/``; every path here is relative to ``.loopx/``. Used by the pages, knows no content.
"""

from __future__ import annotations

import posixpath
import re

from loopx.projections.escape import address

FOLDER = "status"
OVERVIEW, PROBLEMS, TIMELINE, GRAPH = "README.md", "problems.md", "timeline.md", "graph.md"
BOARD, STATUS = "board.html", "status.json"

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SAFE_SCHEME = re.compile(r"(?:https?|mailto):", re.IGNORECASE)


def goal_page(goal: str) -> str:
    """The page of a Goal, relative to the folder of pages."""
    return f"goals/{goal}.md"


def to_source(page: str, path: str) -> str:
    """The link on ``page`` to the file at ``path``; ``""`` where there is no file."""
    return _relative(page, path) if path else ""


def to_page(page: str, other: str) -> str:
    """The link on ``page`` to another page."""
    return _relative(page, f"{FOLDER}/{other}")


def is_safe(href: str) -> bool:
    """Whether a link typed by somebody may be followed: the web, mail, or a relative path."""
    if href.startswith(("//", "\\")):
        return False
    return not _SCHEME.match(href) or _SAFE_SCHEME.match(href) is not None


def moved(href: str, source: str, page: str) -> str:
    """A link typed in the file ``source``, as it must read on ``page`` to lead to the same place.

    ``href`` is percent-encoded already. Addresses with a scheme, and places within the text itself, stay as they are.
    """
    if not href or href.startswith(("#", "/")) or _SCHEME.match(href):
        return href
    return _between(page, posixpath.join(posixpath.dirname(source), href))


def _relative(page: str, path: str) -> str:
    return address(_between(page, path))


def _between(page: str, path: str) -> str:
    """The way from ``page`` to ``path``. Not ``relpath``: that one asks for the current folder."""
    start = posixpath.dirname(f"{FOLDER}/{page}").split("/")
    target = posixpath.normpath(path).split("/")
    shared = 0
    while shared < min(len(start), len(target) - 1) and start[shared] == target[shared]:
        shared += 1
    return "/".join([".."] * (len(start) - shared) + target[shared:])
