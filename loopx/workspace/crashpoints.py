"""Named points at which a write may be interrupted. Tests stop the program here; otherwise one does nothing."""

from __future__ import annotations

from collections.abc import Callable

POINTS = (
    "recovered",
    "admitted-foreign",
    "taken-in",
    "decided",
    "objects-written",
    "temps-written",
    "index-prepared",
    "journal-written",
    "published",
    "materialised",
    "index-placed",
    "admitted",
    "forgotten",
    "pages-marked",
)
"""In the order in which a write passes them; see ``docs/explanation/writing-safely.md``."""

hook: Callable[[str], None] | None = None
"""Called with the point's name; what it raises (or a process it kills) is the crash."""


def reach(point: str) -> None:
    """Say that ``point`` is reached."""
    if hook is not None:
        hook(point)
