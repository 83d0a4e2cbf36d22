"""Room: documents."""
