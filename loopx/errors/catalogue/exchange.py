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
        "agent-exists",
        Exit.REFUSED,
        "An agent of this name is there already, described otherwise.",
        "Change what is known of it with `loopx agent edit`.",
    ),
    Entry(
        "agent-last",
        Exit.REFUSED,
        "It is the only agent the Goal names; a Goal that names nobody takes any agent.",
        "Name another first, or pause the Goal.",
    ),
    Entry(
        "agent-still-named",
        Exit.DONE,
        "A Goal goes on naming only agents that are no longer registered, so that no agent takes part there.",
        "Name others with `loopx agent add … --goal …`.",
    ),
    Entry(
        "agents-named",
        Exit.DONE,
        "A Goal that took any agent names those that take part from now on.",
        "Add the others with `loopx agent add … --goal …` if they are to go on.",
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
