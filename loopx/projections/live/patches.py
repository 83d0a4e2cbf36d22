"""A textual difference as lines a template can colour."""

from __future__ import annotations

from markupsafe import Markup, escape

from loopx.model.defining import dataclass

LINES_LIMIT = 1500
_WIDTH = 2000


@dataclass(frozen=True, slots=True)
class PatchLine:
    """One line: ``look`` is ``named``, ``place``, ``added``, ``removed`` or ``same``."""

    look: str
    text: Markup


def patch_lines(patch: str) -> list[PatchLine]:
    """The lines of ``patch``; the last one says how many were left out, where any were."""
    lines = patch.split("\n")
    while lines and not lines[-1]:
        lines.pop()
    found = [PatchLine(_look(each), escape(each[:_WIDTH])) for each in lines[:LINES_LIMIT]]
    if len(lines) > LINES_LIMIT:
        found.append(PatchLine("place", escape(f"… and {len(lines) - LINES_LIMIT} more lines")))
    return found


def _look(line: str) -> str:
    if line.startswith(("diff ", "index ", "--- ", "+++ ", "new file", "deleted file", "similarity", "rename ")):
        return "named"
    return {"@": "place", "+": "added", "-": "removed"}.get(line[:1], "same")
