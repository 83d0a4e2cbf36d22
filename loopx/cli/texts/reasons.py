"""An explanation in words: the sentence that answers, then every rule with what it found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from loopx.cli.columns import padded, shown
from loopx.cli.screen import Screen

if TYPE_CHECKING:
    from loopx.kernel.why import Explanation

_COLOURS = {"ok": "green", "no": "red", "note": "dim"}


def reason_lines(told: Explanation, screen: Screen) -> Iterator[str]:
    """The whole explanation."""
    yield screen.paint(f"{told.kind} {told.id}  {shown(told.title)}", "bold") + f"  ({told.status})"
    yield shown(told.summary)
    width = max((len(line.rule) for line in told.lines), default=0)
    for line in told.lines:
        mark = screen.paint(f"{line.verdict:<4}", _COLOURS.get(line.verdict, "dim"))
        yield f"  {mark}  {padded(line.rule, width)}  {shown(line.message)}"
