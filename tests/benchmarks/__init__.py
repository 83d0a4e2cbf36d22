"""Timings that print and never assert: ``python -m tests.benchmarks``. Not part of the test suite."""
