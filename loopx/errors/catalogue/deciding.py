"""Codes of the kernel about the decision what happens next."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

DECIDING: tuple[Entry, ...] = (
    Entry(
        "goal-none-active",
        Exit.REFUSED,
        "There is no active Goal to decide about.",
        "List them with `loopx goal list --all`; a person takes one up with `loopx goal activate` or `loopx goal new`.",
    ),
    Entry(
        "goal-unreadable",
        Exit.UNAVAILABLE,
        "The Goal's own document is committed and cannot be read, so nothing is known of it.",
        "See what is wrong with `loopx doctor`, correct the file, and ask again.",
    ),
    Entry(
        "replan-no-delta",
        Exit.REFUSED,
        "A turn was opened for an obligation and adds no fact that discharges it: another copy of the plan is none.",
        "Change the Todos, the Vision, a Gate, the acceptance or the boundary, or say why the work ends; "
        "or give the turn up with `loopx turn void`.",
    ),
)
