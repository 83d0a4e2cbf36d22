"""Plans as people and agents propose them: read, checked, edited, and brought over from before."""
