"""Room: runtime."""
