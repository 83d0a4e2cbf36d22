"""Codes of the kernel about how a Goal ends."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

ENDING: tuple[Entry, ...] = (
    Entry(
        "goal-not-closable",
        Exit.REFUSED,
        "The terminal audit of the Goal names things that are still open, or that nobody knows.",
        "Settle what `loopx goal audit` names; each item says how.",
    ),
    Entry(
        "goal-not-achieved",
        Exit.REFUSED,
        "Nothing shows that the Goal was achieved: no acceptance criterion of it is met.",
        "Meet a criterion with `loopx goal meet`, or close the Goal with `--as no_followup` and a reason.",
    ),
    Entry(
        "compensation-required",
        Exit.REFUSED,
        "The Goal has effects that nobody settled, so it cannot be given up without saying who makes them good.",
        "Settle the effects named, or carry them on with `--compensate TITLE --in GOAL`.",
    ),
)
