"""In what order things happen, and how a crash is survived: the one door for writing."""
