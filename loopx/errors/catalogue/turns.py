"""Codes of the kernel about turns, Visions and quota."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

TURNS: tuple[Entry, ...] = (
    Entry(
        "turn-unknown",
        Exit.REFUSED,
        "No turn has this id.",
        "List them with `loopx turn list`.",
    ),
)
