"""Codes of the kernel about the decision what happens next."""

from loopx.errors.catalogue.entry import Entry

DECIDING: tuple[Entry, ...] = ()
