"""How a Goal ends: the terminal audit, and what may stand beside it."""
