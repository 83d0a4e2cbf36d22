"""The replaceable parts of a run: who plans, acts, observes, evaluates, verifies, chooses a recovery, and says stop."""
