"""Codes of the daemon: that there is one already or none, and what keeps it from watching."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

DAEMON: tuple[Entry, ...] = (
    Entry(
        "daemon-running",
        Exit.CONFLICT,
        "Another daemon watches this workspace already.",
        "Use that one, or end it with `loopx daemon stop`.",
    ),
    Entry(
        "daemon-missing",
        Exit.REFUSED,
        "No daemon watches this workspace, and one is needed for this.",
        "Start one with `loopx daemon start`.",
    ),
    Entry(
        "daemon-failed",
        Exit.UNAVAILABLE,
        "The daemon could not do its part; commands work without it.",
        "Read `.loopx/local/daemon.log`; it tries again by itself where it runs.",
    ),
    Entry(
        "daemon-outdated",
        Exit.DONE,
        "The daemon runs another version of LoopX than the one installed.",
        "Start it anew: `loopx daemon stop`, then `loopx daemon start`.",
    ),
    Entry(
        "service-unknown",
        Exit.UNAVAILABLE,
        "This system has no kind of user service that LoopX can write a unit for.",
        "Have `loopx daemon run` started at login by other means.",
    ),
)
