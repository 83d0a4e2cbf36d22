"""Obligations: what is owed before other work, told from the state each time it is asked."""
