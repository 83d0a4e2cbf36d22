"""Room: store."""
