"""Plans of steps: the tables of their lives, the checks of their shape, and how far they are. Pure; the loop acts."""
