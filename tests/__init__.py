"""Everything that tests LoopX. Rooms are mirrored in ``unit/``; ``support/`` holds what tests share."""
