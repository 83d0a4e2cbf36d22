"""Codes of the kernel about Leases and claims."""

from loopx.errors.catalogue.entry import Entry

LEASES: tuple[Entry, ...] = ()
