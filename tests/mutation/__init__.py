"""Faults that are put into a copy of the loop on purpose, so that its tests can show that they see them."""
