"""Codes of the live page: who may speak to it, and how it was asked."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

WEB: tuple[Entry, ...] = (
    Entry(
        "page-closed",
        Exit.REFUSED,
        "The browser does not hold the token of this live page, or the page was started anew since.",
        "Run `loopx web`: it opens the page with a link that works once.",
    ),
    Entry(
        "page-foreign",
        Exit.REFUSED,
        "The request came by another name than this machine's own, or from another page.",
        "Open the live page with `loopx web` and do it there.",
    ),
    Entry(
        "page-request",
        Exit.USAGE,
        "The live page was sent something it cannot understand.",
        "Load the page again and fill in what is asked for.",
    ),
    Entry("page-unknown", Exit.REFUSED, "The live page has nothing at this address.", "Start from the overview."),
    Entry(
        "web-failed",
        Exit.UNAVAILABLE,
        "The live page could not be served.",
        "Choose another port, or let a free one be taken.",
    ),
)
