"""Codes of the kernel: proposals that are refused, and why."""

from loopx.errors.catalogue.entry import Entry

KERNEL: tuple[Entry, ...] = ()
