"""Codes of the kernel about evidence and what it is bound to."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

EVIDENCE: tuple[Entry, ...] = (
    Entry(
        "readback-stale",
        Exit.REFUSED,
        "The outside fact a criterion rests on was not read back lately enough.",
        "Read it back: run the criterion's check, or let a person say what they saw.",
    ),
)
