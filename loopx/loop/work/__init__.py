"""Carrying one Todo's plan out in a workspace: under a decision, a Lease and a turn, and what it makes of the Todo."""
