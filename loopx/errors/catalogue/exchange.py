"""Codes of the kernel about monitors, effects, agents, proposals and handoffs."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

EXCHANGE: tuple[Entry, ...] = (
    Entry(
        "agent-unregistered",
        Exit.REFUSED,
        "The workspace knows no agent of this name, or the Goal names its agents and not this one.",
        "A person adds it with `loopx agent add`.",
    ),
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
    Entry(
        "text-credential",
        Exit.REFUSED,
        "A text holds what looks like a password, a token or a key.",
        "Take it out and name the place where it is kept; if it was real, change it there.",
    ),
    Entry(
        "text-private",
        Exit.REFUSED,
        "A text names a path of this machine or a private link, and the workspace is shared.",
        "Name it relative to the project, or leave it out and say how to get it.",
    ),
)
