"""The Turns of an agent that have ended, newest first, in the order in which they did.

Records are stamped to the second, so that several may bear one time: each names the one before it, which tells them
apart. Everything asked here costs as much as it gives, however many Turns there were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from loopx.kernel.state import State

if TYPE_CHECKING:
    from loopx.model.turn import Turn

_MARGIN = 4
"""Turns looked at beyond those wanted, for an open one and for some that bear the same time."""
_IN_A_SECOND = 64
"""Turns one agent may end within a second."""


def ended(state: State, goal_id: str, agent: str, limit: int) -> list[Turn]:
    """The last ``limit`` settled or voided Turns of ``agent`` in a Goal, newest first."""
    found = _closed(state.turns(goal_id, agent=agent, limit=limit + _MARGIN))
    if found and len(found) >= limit and found[0].settled_at == found[-1].settled_at:
        found = _closed(state.turns(goal_id, agent=agent, since=found[0].settled_at, limit=limit + _IN_A_SECOND))
    return list(_ordered(found))[:limit]


def last_ended(state: State, goal_id: str, agent: str) -> Turn | None:
    """The newest Turn of ``agent`` in a Goal that is not open."""
    return next(iter(ended(state, goal_id, agent, 1)), None)


def open_turn(state: State, goal_id: str, agent: str) -> Turn | None:
    """The Turn ``agent`` has open in a Goal; there is one at most."""
    return next((each for each in state.open_turns(goal_id) if each.agent == agent), None)


def newest(
    state: State, goal_id: str | None, agent: str | None, limit: int, *, only_open: bool = False
) -> tuple[list[Turn], bool]:
    """The newest turns, open and ended, at most ``limit``, and whether they are all there are."""
    if only_open:
        found = [each for each in state.open_turns(goal_id) if agent is None or each.agent == agent]
        found.sort(key=lambda each: (each.opened_at, each.id), reverse=True)
    else:
        found = list(state.turns(goal_id, agent=agent, limit=limit + 1))
    return found[:limit], len(found) <= limit


def _closed(turns: Iterable[Turn]) -> list[Turn]:
    return [each for each in turns if each.settled_at is not None]


def _ordered(turns: Iterable[Turn]) -> Iterator[Turn]:
    for _, alike in groupby(turns, key=lambda each: each.settled_at):
        yield from _chained({each.id: each for each in alike})


def _chained(left: dict[str, Turn]) -> Iterator[Turn]:
    """Turns of one second, each before the one it names as its predecessor."""
    while left:
        named = {each.previous for each in left.values()}
        newest = max(left, key=lambda each: (each not in named, each))
        yield left.pop(newest)
