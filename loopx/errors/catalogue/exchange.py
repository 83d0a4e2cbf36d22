"""Codes of the kernel about monitors, effects, agents, proposals and handoffs."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

EXCHANGE: tuple[Entry, ...] = (
    Entry(
        "effect-unknown",
        Exit.REFUSED,
        "No effect has this id.",
        "List them with `loopx effect list`.",
    ),
    Entry(
        "handoff-unknown",
        Exit.REFUSED,
        "No handoff has this id.",
        "List them with `loopx handoff list`.",
    ),
    Entry(
        "proposal-unknown",
        Exit.REFUSED,
        "No proposal has this id.",
        "List them with `loopx proposal list`.",
    ),
)
