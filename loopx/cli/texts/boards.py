"""``loopx board``: Todos in lanes side by side where the screen is wide enough, else one lane below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from loopx.cli.columns import cut, padded, shown
from loopx.cli.screen import Screen
from loopx.projections.facts import Lane, TodoFacts

_NARROWEST = 22
"""Columns a lane needs to say anything."""
_DONE_SHOWN = 10
"""Closed Todos are shown to see that something moves, not to be read."""


def board_lines(todos: Sequence[TodoFacts], screen: Screen) -> Iterator[str]:
    """The board. Lanes with nothing in them keep their place, so that it always looks the same."""
    if not todos:
        yield "no Todos yet; add one with `loopx todo add`"
        return
    ordered = sorted(todos, key=_order)
    lanes = {lane: [each for each in ordered if each.lane is lane] for lane in Lane}
    width = screen.width or 0
    share = (width - 2 * (len(Lane) - 1)) // len(Lane)
    yield from _side_by_side(lanes, share, screen) if share >= _NARROWEST else _below_one_another(lanes, screen)


def _side_by_side(lanes: dict[Lane, list[TodoFacts]], width: int, screen: Screen) -> Iterator[str]:
    heads = [padded(_head(lane, found), width) for lane, found in lanes.items()]
    yield screen.paint("  ".join(heads).rstrip(), "bold")
    cards = [_cards(lane, found) for lane, found in lanes.items()]
    for row in zip_longest(*cards, fillvalue=""):
        yield "  ".join(padded(cut(card, width), width) for card in row).rstrip()


def _below_one_another(lanes: dict[Lane, list[TodoFacts]], screen: Screen) -> Iterator[str]:
    for number, (lane, found) in enumerate(lanes.items()):
        yield from [""] if number else []
        yield screen.paint(_head(lane, found), "bold")
        yield from (
            f"  {card if screen.width is None else cut(card, screen.width - 2)}" for card in _cards(lane, found)
        )


def _head(lane: Lane, found: Sequence[TodoFacts]) -> str:
    return f"{lane.value.upper()} {len(found)}"


def _cards(lane: Lane, found: Sequence[TodoFacts]) -> list[str]:
    if lane is not Lane.DONE:
        return [_card(each) for each in found]
    more = len(found) - _DONE_SHOWN
    return [*(_card(each) for each in found[:_DONE_SHOWN]), *([f"and {more} more"] if more > 0 else [])]


def _card(todo: TodoFacts) -> str:
    claimed = f" @{todo.claimed_by}" if todo.claimed_by else ""
    return f"{todo.priority} {todo.id} {shown(todo.title)}{claimed}"


def _order(todo: TodoFacts) -> tuple[str, float, str]:
    return (todo.priority, todo.created_at.timestamp() if todo.created_at else 0.0, todo.id)
