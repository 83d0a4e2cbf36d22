"""Answers that are lists: aligned columns for people, every field for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from loopx.cli.answer import Answer
from loopx.cli.columns import table
from loopx.cli.screen import Screen
from loopx.model.defining import dataclass

if TYPE_CHECKING:
    from loopx.workspace.results import View

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Listing:
    """How a list looks: its name in JSON, its columns (the last one is cut to the screen), what is said of none."""

    name: str
    header: tuple[str, ...]
    none: str


def listed(
    listing: Listing,
    view: View,
    found: Iterable[T],
    facts: Callable[[T], dict[str, Any]],
    row: Callable[[T], Sequence[str]],
    *,
    total: int | None = None,
    is_cut: bool = False,
    notes: Sequence[str] = (),
) -> Answer:
    """The answer that lists ``found``. ``total`` is how many there are where not all are given; ``is_cut`` says that
    there are more, where nobody counted them."""
    items = list(found)
    more = 0 if total is None else total - len(items)

    def data() -> dict[str, Any]:
        counted = {"count": len(items), "total": None if is_cut else len(items) + more}
        return {listing.name: [facts(each) for each in items], **counted, "truncated": is_cut or more > 0}

    def lines(screen: Screen) -> list[str]:
        shown = table(listing.header, [row(each) for each in items], screen) or [listing.none]
        return [*shown, *([f"and {more} more"] if more else []), *(screen.paint(each, "dim") for each in notes)]

    return Answer(data, lines, view.revision, view.warnings)
