"""Room: projections."""
