"""Codes of the kernel about how a Goal ends."""

from loopx.errors.catalogue.entry import Entry

ENDING: tuple[Entry, ...] = ()
