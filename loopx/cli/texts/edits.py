"""Hand edits that wait: where, why, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from loopx.cli.columns import shown
from loopx.cli.failures import told
from loopx.cli.screen import Screen

if TYPE_CHECKING:
    from loopx.workspace.results import PendingEdit


def edit_lines(edits: Sequence[PendingEdit], screen: Screen) -> Iterator[str]:
    """Each path with its state, then every problem with its place and remedy."""
    if not edits:
        yield "every hand edit is accepted"
    for each in edits:
        yield f"{screen.paint(shown(each.path), 'bold')}  {each.state}"
        for problem in each.problems:
            yield from (f"  {line}" for line in told(problem, screen, grade="edit"))
