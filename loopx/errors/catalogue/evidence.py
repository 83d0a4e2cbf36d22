"""Codes of the kernel about evidence and what it is bound to."""

from loopx.errors.catalogue.entry import Entry

EVIDENCE: tuple[Entry, ...] = ()
