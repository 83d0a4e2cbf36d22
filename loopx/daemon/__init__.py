"""Room: daemon."""
