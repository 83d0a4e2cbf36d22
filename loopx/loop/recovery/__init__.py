"""Recovery: decide, execute on a working copy, validate, then commit or discard whole."""
