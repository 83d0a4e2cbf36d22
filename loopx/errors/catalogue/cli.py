"""Codes of the command line: how a request was put."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

CLI: tuple[Entry, ...] = (
    Entry("usage", Exit.USAGE, "The command line cannot be understood.", "Read the command's `--help`."),
    Entry(
        "interrupted",
        Exit.INTERRUPTED,
        "The command was interrupted.",
        "Run it again; with the same `--op` nothing happens twice.",
    ),
    Entry("bug", Exit.BUG, "LoopX itself failed.", "Please report it with the text in the file named."),
)
