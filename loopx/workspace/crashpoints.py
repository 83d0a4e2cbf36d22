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

RUN_POINTS = (
    "todo-woken",
    "lease-held",
    "turn-opened",
    "run-begun",
    "engine-ended",
    "evidence-recorded",
    "turn-settled",
)
"""In the order in which a process that carries a run on passes them; between ``run-begun`` and ``engine-ended`` every
save has one before and one after it, named after its :class:`loopx.loop.keeping.store.SavePoint`."""

hook: Callable[[str], None] | None = None
"""Called with the point's name; what it raises (or a process it kills) is the crash."""


def reach(point: str) -> None:
    """Say that ``point`` is reached."""
    if hook is not None:
        hook(point)
