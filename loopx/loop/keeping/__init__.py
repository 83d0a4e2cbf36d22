"""Keeping a run: on record in the workspace, and on this machine what is not on record yet; asking people by Gates."""
