"""The Git store."""
