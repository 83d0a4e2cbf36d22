"""Codes of the workspace: finding it, taking in edits, recovering, rolling back."""

from loopx.errors.catalogue.entry import Entry

WORKSPACE: tuple[Entry, ...] = ()
