"""Which workspace is used, and what making one did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from loopx.cli.columns import shown
from loopx.cli.screen import Screen
from loopx.cli.texts.receipts import short

if TYPE_CHECKING:
    from loopx.workspace.reports import Where

FOUND_BY = {
    "option": "named by --workspace",
    "environment": "named by LOOPX_WORKSPACE",
    "folder": "the nearest one in this folder or above",
    "worktree": "the one of the main worktree",
}


def where_lines(where: Where, screen: Screen) -> Iterator[str]:
    """The workspace, why it was that one, and where its parts are."""
    title = f'  "{shown(where.title)}"' if where.title else ""
    yield f"{screen.paint(shown(where.root), 'bold')}{title}"
    yield f"  because   {FOUND_BY.get(where.found_by, where.found_by)}"
    yield f"  project   {shown(where.project)}"
    yield f"  history   {shown(where.git_dir)}"
    yield f"  revision  {short(where.head)}"
    yield from (f"  note      {shown(note)}" for note in where.notes)


def made_lines(where: Where, created: bool, notes: Sequence[str]) -> Iterator[str]:
    """What ``init`` did, in a line, and what it said on the way."""
    yield f"workspace {'made in' if created else 'was there already:'} {shown(where.root)}"
    yield from (f"  {shown(note)}" for note in notes)
    if created:
        yield '  next: loopx goal new NAME --title "…"'
