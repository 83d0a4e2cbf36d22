"""The decision: what may happen now in one Goal for one actor, and why."""
