"""Codes of the command line: how a request was put."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

CLI: tuple[Entry, ...] = (
    Entry("usage", Exit.USAGE, "The command line cannot be understood.", "Read the command's `--help`."),
    Entry(
        "folder-taken",
        Exit.REFUSED,
        "The folder for the demo is there already and not empty.",
        "Name a folder that is empty or not there yet.",
    ),
    Entry(
        "problems-found",
        Exit.REFUSED,
        "The workspace was looked at, and something in it needs mending.",
        "Mend what is listed; each problem names its place and its remedy.",
    ),
    Entry(
        "outcome-unknown",
        Exit.UNKNOWN,
        "Whether an operation happened is not known yet.",
        "Read it back again with `loopx op show`; do not repeat it under another id.",
    ),
    Entry(
        "output-failed",
        Exit.UNAVAILABLE,
        "The answer could not be written; the request itself was carried out.",
        "Make room, or send the output elsewhere; look the outcome up with `loopx log`.",
    ),
    Entry(
        "interrupted",
        Exit.INTERRUPTED,
        "The command was interrupted.",
        "Run it again; with the same `--op` nothing happens twice.",
    ),
    Entry("bug", Exit.BUG, "LoopX itself failed.", "Please report it with the text in the file named."),
)
