"""Todos as cards of the board: the ones a page shows at once, and the rest as compact data for its script.

Shared by the page's template (first cards of each column) and the data block the script filters. Both are bounded;
what is left out is counted, so that no view can be mistaken for the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loopx.model.defining import dataclass
from loopx.model.todo import TodoClass, TodoStatus
from loopx.projections import links, words
from loopx.projections.escape import cut, one_line, script_json
from loopx.projections.facts import Lane, TodoFacts

CARDS_SHOWN = 50
"""Cards of a column that are shown at once."""

DATA_LIMIT = 4_000_000
"""Characters of card data a page carries."""

_REASONS, _REASON_LENGTH = 6, 240


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the board. ``number`` counts every Todo of the lane; ``todos`` are those shown at once."""

    lane: Lane
    title: str
    number: int
    todos: Sequence[TodoFacts]

    @property
    def more(self) -> int:
        return self.number - len(self.todos)


def columns(lanes: Sequence[tuple[Lane, Sequence[TodoFacts]]], counts: Mapping[str, int]) -> list[Column]:
    """The board's columns with their first cards."""
    return [
        Column(lane, words.LANE_TITLES[lane], counts.get(lane, len(todos)), todos[:CARDS_SHOWN])
        for lane, todos in lanes
    ]


def card_data(lanes: Sequence[tuple[Lane, Sequence[TodoFacts]]], limit: int = DATA_LIMIT) -> tuple[str, int]:
    """Every Todo as a JSON array for a script block, in the order of the columns, and how many did not fit.

    Open lanes come first, so that what is left out is what was closed longest ago.
    """
    parts: list[str] = []
    size, left = 2, 0
    for number, (_, todos) in enumerate(lanes):
        for todo in todos:
            part = script_json(_compact(todo, number))
            if size + len(part) > limit:
                left += 1
                continue
            size += len(part) + 1
            parts.append(part)
    return f"[{','.join(parts)}]", left


def title_of(todo: TodoFacts) -> str:
    """Its title on one line; its id where the title has nothing to be seen."""
    return one_line(todo.title) or todo.id


def reasons(todo: TodoFacts) -> list[str]:
    """Why it may not run, in a few lines."""
    return [cut(each, _REASON_LENGTH) for each in todo.reasons[:_REASONS]]


def ended(todo: TodoFacts) -> str:
    """How a closed Todo ended, where that is not simply done."""
    return str(todo.status) if todo.status in (TodoStatus.SUPERSEDED, TodoStatus.CANCELLED) else ""


def sort_of(todo: TodoFacts) -> str:
    """Its class in words, where that is not plain work."""
    return "" if todo.todo_class is TodoClass.ADVANCEMENT else todo.todo_class.replace("_", " ")


def _compact(todo: TodoFacts, lane: int) -> dict[str, Any]:
    """The card by short keys, without what is empty. The page's script names them."""
    full = {
        "i": todo.id,
        "t": title_of(todo),
        "g": todo.goal,
        "l": lane,
        "p": str(todo.priority),
        "s": ended(todo),
        "c": sort_of(todo),
        "w": todo.claimed_by,
        "r": reasons(todo),
        "k": [one_line(each) for each in todo.tags],
        "d": todo.depends_on,
        "q": todo.requires,
        "u": todo.successors + todo.superseded_by,
        "x": todo.supersedes,
        "a": words.moment(todo.created_at),
        "e": words.moment(todo.completed_at),
        "b": words.person(todo.completed_by),
        "v": int(todo.validated),
        "f": links.to_source(links.BOARD, todo.path),
        "n": todo.run,
        "m": int(bool(todo.body.strip())),
    }
    return {key: value for key, value in full.items() if value not in ("", (), [], 0) or key == "l"}
